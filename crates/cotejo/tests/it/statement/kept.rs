//! Every credit of a day that was read for a question is a movement, once.

use std::time::Duration;

use serde_json::json;
use testkit::{Setup, both_engines};

use super::{A_WHILE, AT_ONCE, Shop, unclaimed};

both_engines! {
    async fn a_day_that_was_read_for_one_payment_is_kept_with_all_of_them(setup: Setup) {
        let shop = Shop::open(setup).await;
        shop.bank.pay("000079912345", 15_075, AT_ONCE);
        shop.bank.pay("000088800001", 2_000, AT_ONCE);
        shop.bank.transfer("000077700001", 9_900, "V12345678");
        shop.verify("79912345").await.ok();
        let kept = [("77700001", false), ("79912345", true), ("88800001", false)];
        let kept = kept.map(|(reference, claimed)| (reference.to_owned(), claimed));
        assert_eq!(shop.seen(&shop.owner).await, kept);
        // Neither the commissions nor what the bank repeats, nor the same once more.
        shop.verify("12345678").await.refused(404, "PAYMENT_NOT_FOUND");
        assert_eq!(shop.seen(&shop.owner).await, kept);
        // What was kept unasked is new to the question that is about it.
        let body = json!({ "bank_reference": "88800001", "amount": 20 });
        let found = shop.owner.key.verify(&shop.account, body).await.ok();
        assert_eq!(found["data"]["is_new"], true);
        assert_eq!(shop.app.database().number("select count(*) from movements"), 3);
    }

    async fn what_nothing_was_found_in_is_kept_as_well(setup: Setup) {
        let shop = Shop::open(setup).await;
        shop.bank.pay("000079912345", 15_075, AT_ONCE);
        shop.verify("79912354").await.refused(404, "PAYMENT_NOT_FOUND");
        assert_eq!(shop.seen(&shop.owner).await, unclaimed(&["79912345"]));
    }

    async fn a_process_that_knows_nothing_of_the_one_before_keeps_nothing_twice(setup: Setup) {
        let mut shop = Shop::open(setup).await;
        for number in 0..5 {
            shop.bank.pay(&format!("00007991234{number}"), 15_075, AT_ONCE);
        }
        shop.verify("79912340").await.ok();
        assert_eq!(shop.seen(&shop.owner).await.len(), 5);
        shop.app.restart().await;
        shop.bank.pay("000088800001", 15_075, AT_ONCE);
        shop.verify("88800001").await.ok();
        assert_eq!(shop.seen(&shop.owner).await.len(), 6);
    }

    /// Rows written behind an answer may be lost with the process, and the next question has it read again.
    async fn a_crash_behind_the_answer_loses_nothing_that_the_bank_still_shows(setup: Setup) {
        let mut shop = Shop::open(setup).await;
        for number in 0..5 {
            shop.bank.pay(&format!("00007991234{number}"), 15_075, AT_ONCE);
        }
        let body = json!({ "bank_reference": "79912340", "amount": 150.75 });
        shop.owner.key.verify(&shop.account, body).await.ok();
        shop.app.crash();
        shop.app.start_again().await;
        shop.app.clock().advance(A_WHILE);
        shop.verify("79912341").await.ok();
        assert_eq!(shop.seen(&shop.owner).await.len(), 5);
        assert_eq!(shop.app.database().number("select count(*) from payments"), 2);
    }

    async fn several_questions_at_once_keep_each_row_once(setup: Setup) {
        let shop = Shop::open(setup).await;
        for number in 0..20 {
            shop.bank.pay(&format!("0000799123{number:02}"), 15_075, AT_ONCE);
        }
        let ask = |number: usize| {
            let reference = format!("799123{number:02}");
            let body = json!({ "bank_reference": reference, "amount": 150.75 });
            shop.owner.key.verify(&shop.account, body)
        };
        let asked = futures_util::future::join_all((0..6).map(ask));
        for answer in shop.app.clock().flow(asked).await {
            assert_eq!(answer.ok()["data"]["is_new"], true);
        }
        shop.app.settle().await;
        assert_eq!(shop.seen(&shop.owner).await.len(), 20);
    }

    /// A day of more rows than one transaction writes, and than a page has.
    async fn a_busy_day_is_kept_in_slices(setup: Setup) {
        let shop = Shop::open(setup).await;
        for number in 0..250 {
            shop.bank.pay_oddly(&format!("000079{number:06}"), 15_075, AT_ONCE, super::PLAIN);
        }
        shop.verify("79000007").await.ok();
        assert_eq!(shop.app.database().number("select count(*) from movements"), 250);
        let pages = shop.bank.pages_asked();
        shop.app.clock().advance(Duration::from_secs(60));
        shop.verify("79000008").await.ok();
        assert_eq!(shop.app.database().number("select count(*) from movements"), 250);
        assert!(shop.bank.pages_asked() > pages);
    }
}
