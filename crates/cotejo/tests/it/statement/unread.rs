//! A row that nobody can read costs that row and not the day, and is named to the owner.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::{Setup, either_engine};

use super::{AT_ONCE, Shop};

async fn notices(shop: &Shop) -> Vec<Value> {
    let listed = shop.owner.get("/v1/notices").await.ok();
    let notices = listed["notices"].as_array().unwrap().iter();
    notices.filter(|notice| notice["kind"] == "statement_row_unread").cloned().collect()
}

either_engine! {
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

    /// The list of what is open looks at a hundred notices, which a page of rows must not fill.
    async fn rows_of_one_day_that_cannot_be_read_are_one_notice_that_counts_them(setup: Setup) {
        let mut shop = Shop::open(setup).await;
        let unreadable = || testkit::bank::Oddities { unreadable: Some(true), ..super::PLAIN };
        for number in 0..120 {
            shop.bank.pay_oddly(&format!("0000666{number:05}"), 15_075, AT_ONCE, unreadable());
        }
        shop.read(&shop.owner, json!({})).await.ok();
        let again = shop.read(&shop.owner, json!({})).await.ok()["reading"].clone();
        assert_eq!((&again["state"], &again["rows"], &again["unread"]), (&json!("done"), &json!(0), &json!(120)));
        let named = notices(&shop).await;
        assert_eq!((named.len(), &named[0]["times"]), (1, &json!(120)), "{named:?}");
        assert!(named[0]["subject"].as_str().unwrap().ends_with("66600000"), "{named:?}");
        // Whatever is read again, by this process or the next, is counted once.
        for _ in 0..2 {
            shop.app.clock().advance(Duration::from_secs(61));
            shop.read(&shop.owner, json!({})).await.ok();
            shop.app.restart().await;
            shop.owner.sign_in_again().await;
        }
        assert_eq!(notices(&shop).await[0]["times"], 120);
        // One more is one more, and opens the notice again.
        let path = format!("/v1/notices/{}/dismiss", named[0]["id"].as_str().unwrap());
        shop.owner.post(&path, json!({})).await.ok();
        shop.bank.pay_oddly("000066700000", 15_075, AT_ONCE, unreadable());
        shop.app.clock().advance(Duration::from_secs(61));
        shop.read(&shop.owner, json!({})).await.ok();
        let named = notices(&shop).await;
        assert_eq!((named.len(), &named[0]["times"], &named[0]["is_open"]), (1, &json!(121), &json!(true)));
    }
}
