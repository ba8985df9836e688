//! A row that nobody can read costs that row and not the day, and is named to the owner.

use serde_json::{Value, json};
use testkit::{Setup, both_engines};

use super::{AT_ONCE, Shop};

async fn notices(shop: &Shop) -> Vec<Value> {
    let listed = shop.owner.get("/v1/notices").await.ok();
    let notices = listed["notices"].as_array().unwrap().iter();
    notices.filter(|notice| notice["kind"] == "statement_row_unread").cloned().collect()
}

both_engines! {
    async fn a_row_that_cannot_be_read_costs_itself_alone_and_is_named(setup: Setup) {
        let shop = Shop::open(setup).await;
        let oddities = testkit::bank::Oddities { unreadable: Some(true), ..super::PLAIN };
        shop.bank.pay_oddly("000066600001", 15_075, AT_ONCE, oddities);
        shop.bank.pay("000079912345", 15_075, AT_ONCE);
        shop.verify("79912345").await.ok();
        shop.verify("12345678").await.refused(404, "PAYMENT_NOT_FOUND");
        // What may be that row is never said not to be there, nor confirmed.
        for reference in ["66600001", "600001"] {
            shop.verify(reference).await.refused(503, "BANK_NOT_AVAILABLE");
        }
        let named = notices(&shop).await;
        assert_eq!((named.len(), &named[0]["times"]), (1, &json!(1)), "{named:?}");
        assert!(named[0]["subject"].as_str().unwrap().ends_with("66600001"), "{named:?}");
        assert!(named[0]["text"].as_str().unwrap().contains("66600001"), "{named:?}");
        let metrics = shop.app.nobody().get("/metrics").await;
        assert!(metrics.text().contains("cotejo_bank_rows_unread_total{provider=\"BDV\"}"));
    }
}
