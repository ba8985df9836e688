//! Zeros in front: digits of the receipt, or what fills a field.

use serde_json::json;
use testkit::bank::PAYER;
use testkit::{Setup, either_engine};

use super::{A_WHILE, Shop, paid, paid_by};
use crate::pay::{make, paid_by as paid_by_payer, status};

either_engine! {
    async fn zeros_among_the_last_digits_are_digits(setup: Setup) {
        let shop = Shop::open(setup).await;
        for (receipt, typed) in [
            ("000012012100", "012100"),
            ("000012000345", "000345"),
            ("000010000346", "0000346"),
            ("000000000347", "00000347"),
            ("000056012348", "6012348"),
        ] {
            shop.pay(receipt);
            let answer = shop.verify(paid(typed)).await.ok();
            assert_eq!(answer["data"]["is_new"], true, "{typed}");
            let shown = answer["data"]["user_bank_payment"]["bank_reference_id"].clone();
            assert!(shown.as_str().unwrap().ends_with(typed), "{typed} {shown}");
            // The same digits, and more of them, are the same payment.
            for again in [typed, receipt.split_at(4).1] {
                let answer = shop.verify(paid(again)).await.ok();
                assert_eq!(answer["data"]["is_new"], false, "{again}");
            }
        }
        assert_eq!(shop.owner.balance().await, 995);
    }

    async fn zeros_that_fit_nothing_fill_a_field_if_enough_digits_are_left(setup: Setup) {
        let shop = Shop::open(setup).await;
        shop.pay("000055812437");
        shop.pay("000044112100");
        let asked = shop.bank.pages_asked();
        assert_eq!(shop.verify(paid("00812437")).await.ok()["data"]["is_new"], true);
        let pages = shop.bank.pages_asked() - asked;
        // Five are left: they say too little with an amount alone.
        let asked = shop.bank.pages_asked();
        shop.verify(paid("012100")).await.refused(404, "PAYMENT_NOT_FOUND");
        assert_eq!(shop.bank.pages_asked() - asked, pages, "the bank is asked once, as for any");
        shop.verify(paid_by("012100", "04149999999")).await.refused(404, "PAYMENT_NOT_FOUND");
        let answer = shop.verify(paid_by("012100", PAYER.0)).await.ok();
        assert_eq!(answer["data"]["is_new"], true);
        shop.verify(paid_by("000345", PAYER.0)).await.refused(404, "PAYMENT_NOT_FOUND");
    }

    /// Six digits pay a link, and zeros that fill a field are none of them.
    async fn a_payer_who_fills_the_field_with_zeros_pays_by_no_fewer_digits(setup: Setup) {
        let shop = Shop::open(setup).await;
        shop.pay("000055812437");
        let link = make(&shop.owner.key, &shop.account, json!({})).await;
        let payer = shop.app.nobody();
        for (typed, expected) in
            [("012437", "pending"), ("00012437", "pending"), ("00812437", "paid")]
        {
            shop.app.clock().advance(A_WHILE);
            let check = paid_by_payer(&payer, &link, typed, &[("phone", PAYER.0)]);
            shop.app.clock().flow(check).await;
            shop.app.settle().await;
            assert_eq!(status(&shop.owner, &link).await, expected, "{typed}");
        }
    }

    async fn what_fits_as_it_was_typed_is_meant_before_what_fits_without_the_zeros(setup: Setup) {
        let shop = Shop::open(setup).await;
        shop.pay("000055812437");
        shop.pay("000000812437");
        let answer = shop.verify(paid("00812437")).await.ok();
        assert_eq!(answer["data"]["user_bank_payment"]["bank_reference_id"], "0050900812437");
        // Six digits mean both.
        shop.verify(paid("812437")).await.refused(409, "PAYMENT_REFERENCE_AMBIGUOUS");
        let other = shop.verify(paid("55812437")).await.ok();
        assert_eq!(other["data"]["is_new"], true);
    }

    async fn before_more_than_eight_digits_zeros_are_padding(setup: Setup) {
        let shop = Shop::open(setup).await;
        shop.pay("000044112100");
        shop.pay("000044812437");
        assert_eq!(shop.verify(paid("000812437")).await.ok()["data"]["is_new"], true);
        // Five digits behind padding are five.
        let answer = shop.verify(paid_by("000012100", PAYER.0)).await.ok();
        assert_eq!(answer["data"]["is_new"], true);
    }
}
