//! A row that the bank puts at an earlier hour, behind what was read already.

use std::time::Duration;

use serde_json::json;
use testkit::bank::Oddities;
use testkit::{Setup, either_engine};

use super::{AT_ONCE, Shop};

either_engine! {
    /// Six digits fit a row that is read from the mark on, and another one that stands before it.
    async fn six_digits_that_fit_a_row_behind_the_mark_too_confirm_none(setup: Setup) {
        let shop = Shop::open(setup).await;
        for number in 0..150 {
            shop.bank.pay_oddly(&format!("000079{number:06}"), 15_075, AT_ONCE, super::PLAIN);
        }
        // It was made now, and is posted in a minute where it belongs: among the first.
        let at_its_hour = Oddities { at_its_hour: Some(true), ..super::PLAIN };
        shop.bank.pay_oddly("000011912345", 15_075, Duration::from_secs(60), at_its_hour);
        shop.app.clock().advance(Duration::from_secs(30));
        for number in 150..170 {
            shop.bank.pay_oddly(&format!("000079{number:06}"), 15_075, AT_ONCE, super::PLAIN);
        }
        shop.verify("79000000").await.ok();
        shop.app.clock().advance(Duration::from_secs(60));
        shop.bank.pay_oddly("000022912345", 15_075, AT_ONCE, super::PLAIN);
        let refused = shop.verify("912345").await.refused(409, "PAYMENT_REFERENCE_AMBIGUOUS");
        assert_eq!(refused["facts"]["digits_needed"], 7);
        assert_eq!(shop.verify("22912345").await.ok()["data"]["is_new"], json!(true));
    }
}
