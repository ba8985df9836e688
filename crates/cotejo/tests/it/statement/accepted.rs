//! Money that no question found is seen, and is accepted for the link that it was meant for.

use std::time::Duration;

use serde_json::json;
use testkit::bank::PAYER;
use testkit::{Setup, either_engine};

use super::{A_WHILE, AT_ONCE, Shop};
use crate::pay::{THEIRS, make, paid_by, status};

const HOUR: Duration = Duration::from_secs(60 * 60);

/// Accepts the payment of that ending on the page of the link, which shows it.
async fn accept_on_page(shop: &Shop, link: &str, ending: &str) {
    let movement = shop.movement(ending).await;
    let browser = shop.app.browser();
    browser.sign_in_as(&shop.owner).await;
    let path = format!("/app/links/{link}/accept");
    let page = browser.open(&path).await;
    let id = movement["id"].as_str().unwrap();
    assert!(page.contains(ending) && page.contains(&format!("value=\"{id}\"")), "{page}");
    let answer = browser.send(&path, &[("movement_id", id)]).await;
    assert_eq!(answer.status, 303, "{}", answer.text());
}

either_engine! {
    async fn a_payment_whose_reference_was_mistyped_is_seen_and_accepted(setup: Setup) {
        let shop = Shop::open(setup).await;
        let link = make(&shop.owner.key, &shop.account, json!({})).await;
        shop.bank.pay("000079912345", 15_075, AT_ONCE);
        let nobody = shop.app.nobody();
        let typed = paid_by(&nobody, &link, "79912354", &[("phone", PAYER.0)]);
        shop.app.clock().flow(typed).await;
        shop.app.settle().await;
        assert_eq!(status(&shop.owner, &link).await, "pending");

        accept_on_page(&shop, &link, "79912345").await;
        assert_eq!(status(&shop.owner, &link).await, "paid");
        // From then on it is a payment like any other, and keys see it.
        assert_eq!(shop.seen(&shop.owner.key).await, [("79912345".to_owned(), true)]);
    }

    async fn a_payment_after_the_links_end_is_read_and_accepted(setup: Setup) {
        let mut shop = Shop::open(setup).await;
        let link = make(&shop.owner.key, &shop.account, json!({ "expiration_time": 30 })).await;
        shop.app.clock().advance(HOUR);
        shop.owner.sign_in_again().await;
        assert_eq!(status(&shop.owner, &link).await, "expired");
        shop.bank.pay("000079912345", 15_075, AT_ONCE);
        shop.read(&shop.owner, json!({})).await.ok();
        accept_on_page(&shop, &link, "79912345").await;
        assert_eq!(status(&shop.owner, &link).await, "paid");
        assert_eq!(shop.owner.balance().await, 999);
    }

    async fn what_a_payer_is_late_with_pays_by_itself_and_is_one_movement(setup: Setup) {
        let shop = Shop::open(setup).await;
        let link = make(&shop.owner.key, &shop.account, json!({})).await;
        shop.bank.pay("000079912345", 15_075, AT_ONCE);
        shop.read(&shop.owner, json!({})).await.ok();
        shop.app.clock().advance(A_WHILE);
        let nobody = shop.app.nobody();
        let check = paid_by(&nobody, &link, "79912345", THEIRS);
        shop.app.clock().flow(check).await;
        shop.app.settle().await;
        assert_eq!(status(&shop.owner, &link).await, "paid");
        assert_eq!(shop.app.database().number("select count(*) from movements"), 1);
    }
}
