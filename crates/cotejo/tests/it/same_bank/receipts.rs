//! Receipts and what was typed: each names one payment for good.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::{Setup, either_engine};

use super::{A_WHILE, AT_ONCE, LATER, NOT_FOUND_YET, PAYER, found, known_by, new_by};
use crate::bdv_push::{PushedAccount, codigo, notice};
use crate::pay::{make, paid_by, said, status};

either_engine! {
    /// The receipt of the second payment is used for the first, whose own comes later.
    async fn a_receipt_used_for_another_payment_names_that_one_for_good(setup: Setup) {
        let pushed = PushedAccount::by_nobody(setup).await;
        pushed.choose(true).await;
        pushed.pay_same_bank("000079911111", AT_ONCE);
        pushed.pay_same_bank("000079922222", LATER);
        assert_eq!(found(&pushed.by_payer("79922222").await), new_by("payer"));
        pushed.app.clock().advance(LATER);
        pushed.push_receipt("000079922222").await;
        pushed.push_receipt("000079911111").await;
        assert_eq!(found(&pushed.by_reference("79922222").await), known_by("payer"));
        assert_eq!(found(&pushed.by_reference("79911111").await), new_by("reference"));
        assert_eq!(found(&pushed.by_reference("79911111").await), known_by("reference"));
        pushed.is_ledger_of(2).await;
        pushed.by_payer("79944444").await.refused(404, "PAYMENT_NOT_FOUND");
    }

    /// Whatever the first payment was confirmed by, its notice is its own, and the second is found by its receipt.
    async fn a_payment_beside_one_that_was_confirmed_by_another_reference_is_found(setup: Setup) {
        for (typed, hours) in [("88888888", ["0802", "0800"]), ("1111", ["0800", "0802"]), ("79911111", ["0800", "0802"])] {
            let pushed = PushedAccount::by_nobody(setup.clone()).await;
            pushed.choose(true).await;
            pushed.pay_same_bank("000079911111", AT_ONCE);
            assert_eq!(found(&pushed.by_payer(typed).await), new_by("payer"), "{typed}");
            pushed.app.clock().advance(Duration::from_mins(2));
            pushed.pay_same_bank("000079922222", AT_ONCE);
            assert_eq!(pushed.push_at("000079922222", hours[0]).await, "00");
            // A notice is missing.
            pushed.by_reference("79922222").await.refused(404, "PAYMENT_NOT_FOUND");
            assert_eq!(pushed.push_at("000079911111", hours[1]).await, "00");
            assert_eq!(found(&pushed.by_reference("79922222").await), new_by("reference"), "{typed}");
            for reference in ["79922222", typed] {
                let again = pushed.by_payer(reference).await;
                assert!(!found(&again).0, "{typed} {reference}");
            }
            // Its own receipt is known where an ending of it was typed. Any other has no row left.
            let own = pushed.by_payer("79911111").await;
            if "79911111".ends_with(typed) {
                assert_eq!(found(&own), known_by("payer"), "{typed}");
            } else {
                own.refused(404, "PAYMENT_NOT_FOUND");
            }
            pushed.is_ledger_of(2).await;
            pushed.by_payer("79933333").await.refused(404, "PAYMENT_NOT_FOUND");
        }
    }

    /// The receipt of the second payment was typed for the first: it names that row for good, and what is left is the
    /// first one's.
    async fn a_reference_that_was_typed_for_a_payment_confirms_no_other(setup: Setup) {
        let pushed = PushedAccount::by_nobody(setup).await;
        pushed.choose(true).await;
        pushed.pay_same_bank("000079911111", AT_ONCE);
        assert_eq!(found(&pushed.by_payer("79922222").await), new_by("payer"));
        // No row is left that nobody has claimed.
        pushed.push_receipt("000079911111").await;
        pushed.by_reference("79911111").await.refused(404, "PAYMENT_NOT_FOUND");
        pushed.pay_same_bank("000079922222", AT_ONCE);
        pushed.push_receipt("000079922222").await;
        for _ in 0..2 {
            assert_eq!(found(&pushed.by_payer("79922222").await), known_by("payer"));
            assert_eq!(found(&pushed.by_reference("79922222").await), known_by("payer"));
        }
        pushed.is_ledger_of(1).await;
        assert_eq!(found(&pushed.by_reference("79911111").await), new_by("reference"));
        pushed.is_ledger_of(2).await;
        pushed.by_payer("79933333").await.refused(404, "PAYMENT_NOT_FOUND");
    }

    /// The notice of the second of two payments comes before it is listed, while that of the first is lost or late.
    async fn a_receipt_of_a_payment_that_is_not_listed_yet_is_not_reported_as_used(setup: Setup) {
        let pushed = PushedAccount::by_nobody(setup).await;
        pushed.choose(true).await;
        pushed.pay_same_bank("000079911111", AT_ONCE);
        assert_eq!(found(&pushed.by_payer("79911111").await), new_by("payer"));
        pushed.app.clock().advance(Duration::from_mins(2));
        pushed.pay_same_bank("000079922222", LATER);
        assert_eq!(pushed.push_at("000079922222", "0802").await, "00");
        pushed.by_reference("79922222").await.refused(404, "PAYMENT_NOT_FOUND");
        pushed.by_payer("79922222").await.refused(404, "PAYMENT_NOT_FOUND");
        pushed.app.clock().advance(LATER);
        assert_eq!(found(&pushed.by_payer("79922222").await), new_by("payer"));
        // Late, and each is known by its own.
        assert_eq!(pushed.push_at("000079911111", "0800").await, "00");
        for reference in ["79911111", "79922222"] {
            assert_eq!(found(&pushed.by_reference(reference).await), known_by("payer"), "{reference}");
        }
        pushed.is_ledger_of(2).await;
        let open = "select count(*) from bank_notifications where movement_id is null";
        assert_eq!(pushed.app.database().number(open), 0);
    }

    /// The same where the owner has accepted the first for a link, of which no notice has come.
    async fn a_payment_that_its_owner_accepted_is_not_taken_for_the_next(setup: Setup) {
        let pushed = PushedAccount::by_nobody(setup).await;
        let pay = async |reference: &str| {
            let link = make(&pushed.owner.key, &pushed.account, json!({})).await;
            pushed.app.clock().advance(A_WHILE);
            let page = paid_by(&pushed.app.nobody(), &link, reference, &[("document", PAYER)]).await;
            (link, page)
        };
        let settings = json!({ "max_attempts": 1, "announce_expiry": false });
        pushed.owner.put("/v1/payment-link-settings", settings).await.ok();
        pushed.pay_same_bank("000079911111", AT_ONCE);
        let (link, _) = pay("79911111").await;
        let path = format!("/v1/paymentlink/{link}/accept");
        let movement = pushed.waiting().await[0]["subject"].clone();
        pushed.owner.post(&path, json!({ "movement_id": movement })).await.ok();
        pushed.is_ledger_of(1).await;

        pushed.app.clock().advance(Duration::from_mins(2));
        pushed.pay_same_bank("000079922222", LATER);
        assert_eq!(pushed.push_at("000079922222", "0802").await, "00");
        let (link, page) = pay("79922222").await;
        assert_eq!((said(&page), status(&pushed.owner, &link).await), (NOT_FOUND_YET.to_owned(), "pending".to_owned()));
        pushed.app.clock().advance(LATER);
        assert_eq!(pushed.push_at("000079911111", "0800").await, "00");
        pushed.app.clock().advance(A_WHILE);
        paid_by(&pushed.app.nobody(), &link, "79922222", &[("document", PAYER)]).await;
        assert_eq!(status(&pushed.owner, &link).await, "paid");
        pushed.is_ledger_of(2).await;
    }

    /// Whatever is asked besides: another amount, another payer, a day of another week.
    async fn a_reference_that_was_typed_names_one_row_for_good(setup: Setup) {
        let pushed = PushedAccount::by_nobody(setup).await;
        pushed.choose(true).await;
        let other = "V87654321";
        pushed.pay_same_bank("000079911111", AT_ONCE);
        assert_eq!(found(&pushed.by_payer("79911111").await), new_by("payer"));
        pushed.bank.pay_same_bank("000079922222", 9_900, PAYER, AT_ONCE);
        pushed.bank.pay_same_bank("000079933333", 15_075, other, AT_ONCE);
        let asks = async |reference: &str, more: &Value| {
            pushed.by_payer_with(&pushed.owner.key, reference, more.clone()).await
        };
        let others = [json!({ "amount": 99.0 }), json!({ "dni_pagador": other }), json!({ "fecha_pago": "2026-11-28" })];
        for reference in ["79911111", "1179911111", "000079911111"] {
            for more in &others[..2] {
                let refused = asks(reference, more).await.refused(404, "PAYMENT_NOT_FOUND");
                assert_eq!(refused.get("facts"), None, "{more}");
            }
        }
        assert_eq!(found(&pushed.by_payer("79911111").await), known_by("payer"));
        pushed.app.clock().advance(Duration::from_hours(8 * 24));
        pushed.pay_same_bank("000079944444", AT_ONCE);
        asks("79911111", &others[2]).await.refused(404, "PAYMENT_NOT_FOUND");
        pushed.is_ledger_of(1).await;
        // By their own references they are there.
        for (reference, more) in ["79922222", "79933333", "79944444"].into_iter().zip(&others) {
            assert_eq!(found(&asks(reference, more).await), new_by("payer"), "{reference}");
        }
        pushed.is_ledger_of(4).await;
    }

    /// Checks a receipt that was typed for one payer's payment and is another's: the other's notice names no second
    /// row.
    async fn a_receipt_that_was_typed_for_another_payment_is_paired_with_none(setup: Setup) {
        let pushed = PushedAccount::by_nobody(setup).await;
        pushed.choose(true).await;
        pushed.pay_same_bank("000079911111", AT_ONCE);
        assert_eq!(found(&pushed.by_payer("79922222").await), new_by("payer"));
        pushed.bank.pay_same_bank("000079922222", 15_075, "V87654321", AT_ONCE);
        let mut body = notice("0102", "000079922222");
        body["idCliente"] = json!("V87654321");
        assert_eq!(codigo(&pushed.notify(pushed.secret(), body).await), "00");
        let asks = async |reference: &str| {
            pushed.by_payer_with(&pushed.owner.key, reference, json!({ "dni_pagador": "V87654321" })).await
        };
        asks("79922222").await.refused(404, "PAYMENT_NOT_FOUND");
        pushed.is_ledger_of(1).await;
        assert_eq!(found(&asks("79933333").await), new_by("payer"));
        pushed.is_ledger_of(2).await;
    }

    /// The bank reports one receipt again, with another day.
    async fn a_receipt_that_is_reported_again_with_another_day_names_no_second_row(setup: Setup) {
        let pushed = PushedAccount::by_nobody(setup).await;
        pushed.choose(true).await;
        let on = async |receipt: &str, reference: &str| {
            let mut body = notice("0102", receipt);
            body["fecha"] = json!("2026-11-22");
            assert_eq!(codigo(&pushed.notify(pushed.secret(), body).await), "00");
            let more = json!({ "fecha_pago": "2026-11-22" });
            pushed.by_payer_with(&pushed.owner.key, reference, more).await
        };
        pushed.pay_same_bank("000079911111", AT_ONCE);
        pushed.push_receipt("000079911111").await;
        assert_eq!(found(&pushed.by_reference("79911111").await), new_by("reference"));
        pushed.app.clock().advance(Duration::from_hours(48));
        pushed.pay_same_bank("000079922222", AT_ONCE);
        on("000079911111", "79911111").await.refused(404, "PAYMENT_NOT_FOUND");
        assert_eq!(pushed.count("payments"), 1);
        // The payment of that day is found by its own.
        assert_eq!(found(&on("000079922222", "79922222").await), new_by("reference"));
        assert_eq!(pushed.count("payments"), 2);
    }

    async fn a_notice_that_comes_again_supplies_what_it_left_open(setup: Setup) {
        let pushed = PushedAccount::by_nobody(setup).await;
        pushed.pay_same_bank("000079911111", AT_ONCE);
        let full = notice("0102", "000079911111");
        let push = async |fields: &[&str]| {
            let mut body = full.clone();
            for field in fields {
                body[field] = json!("?");
            }
            codigo(&pushed.notify(pushed.secret(), body).await)
        };
        assert_eq!(push(&["bancoOrdenante", "idCliente", "numeroCliente", "hora"]).await, "00");
        for missing in [&["idCliente", "numeroCliente", "hora"][..], &["idCliente", "hora"], &["hora"]] {
            assert_eq!(push(missing).await, "01");
            pushed.by_reference("79911111").await.refused(404, "PAYMENT_NOT_FOUND");
        }
        // Nor does what was reported before get lost.
        assert_eq!(push(&["bancoOrdenante", "idCliente", "numeroCliente"]).await, "01");
        assert_eq!(found(&pushed.by_reference("79911111").await), new_by("reference"));
        assert_eq!(push(&[]).await, "01");
        assert_eq!(pushed.count("bank_notifications"), 1);
        assert_eq!(pushed.count("movements where payer_phone = '584140000002'"), 1);
        pushed.is_ledger_of(1).await;
    }

    /// The bank reports two payers for one receipt: whose it is, only a person can say.
    async fn a_notice_that_comes_again_with_another_payer_is_paired_with_nothing(setup: Setup) {
        for field in ["idCliente", "numeroCliente"] {
            let pushed = PushedAccount::by_nobody(setup.clone()).await;
            pushed.choose(true).await;
            pushed.pay_same_bank("000079911111", AT_ONCE);
            let other = async || {
                let mut body = notice("0102", "000079911111");
                body[field] = json!(if field == "idCliente" { "V87654321" } else { "04140000009" });
                assert_eq!(codigo(&pushed.notify(pushed.secret(), body).await), "01");
            };
            pushed.push_receipt("000079911111").await;
            other().await;
            other().await;
            pushed.by_reference("79911111").await.refused(404, "PAYMENT_NOT_FOUND");
            pushed.by_payer("79911111").await.refused(404, "PAYMENT_NOT_FOUND");
            // Nor is another notice taken for the row's, which may be the first one's.
            pushed.push_receipt("000079922222").await;
            pushed.by_reference("79922222").await.refused(404, "PAYMENT_NOT_FOUND");
            pushed.is_ledger_of(0).await;
        }
    }

    async fn the_owner_is_notified_of_a_notice_that_comes_again_with_another_payer_for_a_row(setup: Setup) {
        let pushed = PushedAccount::by_nobody(setup).await;
        pushed.pay_same_bank("000079911111", AT_ONCE);
        pushed.push_receipt("000079911111").await;
        assert_eq!(found(&pushed.by_reference("79911111").await), new_by("reference"));
        let mut body = notice("0102", "000079911111");
        body["idCliente"] = json!("V87654321");
        assert_eq!(codigo(&pushed.notify(pushed.secret(), body).await), "01");
        let page = pushed.owner.get("/v1/notices").await.ok();
        let kinds: Vec<_> = page["notices"].as_array().unwrap().iter().map(|one| &one["kind"]).collect();
        assert_eq!(kinds, ["payment_contested"]);
        // What was paired is paired for good.
        assert_eq!(found(&pushed.by_reference("79911111").await), known_by("reference"));
        pushed.is_ledger_of(1).await;
    }

    async fn the_receipt_of_another_payment_confirms_nothing_by_payer(setup: Setup) {
        let pushed = PushedAccount::by_nobody(setup).await;
        pushed.choose(true).await;
        pushed.pay_same_bank("000079911111", AT_ONCE);
        // Somebody else's receipt, of another amount, of another hour, or reported with another phone.
        let push = async |receipt: &str, field: &str, value: Value| {
            let mut body = notice("0102", receipt);
            body[field] = value;
            assert_eq!(codigo(&pushed.notify(pushed.secret(), body).await), "00");
        };
        push("000079922222", "idCliente", json!("V87654321")).await;
        push("000079933333", "monto", json!(99)).await;
        push("000079944444", "hora", json!("1100")).await;
        push("000079955555", "fecha", json!("2026-10-20")).await;
        for reference in ["79922222", "922222", "2222", "79933333", "79944444", "79955555"] {
            let refused = pushed.by_payer(reference).await.refused(404, "PAYMENT_NOT_FOUND");
            assert_eq!(refused.get("facts"), None, "{reference}");
        }
        pushed.is_ledger_of(0).await;
        // Few digits of a receipt of last month are no receipt.
        assert_eq!(found(&pushed.by_payer("955555").await), new_by("payer"));
        pushed.is_ledger_of(1).await;
    }

    async fn a_phone_that_differs_from_the_banks_is_another_payer(setup: Setup) {
        let pushed = PushedAccount::by_nobody(setup).await;
        pushed.choose(true).await;
        pushed.pay_same_bank("000079911111", AT_ONCE);
        let with_phone = async |reference: &str, phone: &str| {
            let more = json!({ "phone_pagador": phone });
            pushed.by_payer_with(&pushed.owner.key, reference, more).await
        };
        let other = "04140000009";
        pushed.push_receipt("000079911111").await;
        with_phone("79911111", other).await.refused(404, "PAYMENT_NOT_FOUND");
        // Whatever is typed besides: the row is known by its receipt and its phone.
        with_phone("79922222", other).await.refused(404, "PAYMENT_NOT_FOUND");
        pushed.is_ledger_of(0).await;
        assert_eq!(found(&with_phone("79911111", "04140000002").await), new_by("reference"));
        with_phone("79911111", other).await.refused(404, "PAYMENT_NOT_FOUND");
        pushed.is_ledger_of(1).await;

        // Nor does it find the row where two notices leave open which is which.
        pushed.pay_same_bank("000079922222", AT_ONCE);
        pushed.push_receipt("000079922222").await;
        pushed.push_receipt("000079933333").await;
        with_phone("79922222", other).await.refused(404, "PAYMENT_NOT_FOUND");
        pushed.is_ledger_of(1).await;
        assert_eq!(found(&with_phone("79922222", "04140000002").await), new_by("payer"));
        pushed.is_ledger_of(2).await;
    }

    async fn what_a_receipt_names_is_not_taken_for_another_reference(setup: Setup) {
        let pushed = PushedAccount::by_nobody(setup).await;
        pushed.choose(true).await;
        pushed.pay_same_bank("000079911111", AT_ONCE);
        pushed.push_receipt("000079911111").await;
        pushed.by_payer("79922222").await.refused(404, "PAYMENT_NOT_FOUND");
        assert_eq!(found(&pushed.by_payer("79911111").await), new_by("reference"));
        pushed.is_ledger_of(1).await;
    }
}
