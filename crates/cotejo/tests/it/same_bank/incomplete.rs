//! Where the bank has not shown everything that may be meant.

use std::time::Duration;

use serde_json::json;
use testkit::{Setup, either_engine};

use super::{A_WHILE, AT_ONCE, PAYER, found, known_by, new_by};
use crate::bdv_push::{PushedAccount, codigo, notice};
use crate::pay::{make, paid_by};

either_engine! {
    /// With few digits a row of another bank fits, and the bank may answer before it has looked at all of the day.
    async fn where_the_reference_may_have_found_something_the_payer_finds_nothing(setup: Setup) {
        let pushed = PushedAccount::by_nobody(setup).await;
        pushed.choose(true).await;
        pushed.bank.pay("000055512345", 15_075, AT_ONCE);
        pushed.pay_same_bank("000079911111", AT_ONCE);
        pushed.by_payer("2345").await.refused(400, "PAYMENT_REFERENCE_TOO_SHORT");
        pushed.is_ledger_of(0).await;
        assert_eq!(found(&pushed.by_payer("79911111").await), new_by("payer"));
        pushed.is_ledger_of(1).await;
    }

    async fn a_row_that_cannot_be_read_may_be_any_so_that_none_is_taken_for_another(setup: Setup) {
        let pushed = PushedAccount::by_nobody(setup).await;
        pushed.choose(true).await;
        pushed.pay_same_bank("000079911111", AT_ONCE);
        pushed.push_receipt("000079911111").await;
        pushed.bank.pay_unreadably("000079922222", 15_075, PAYER);
        pushed.by_reference("79911111").await.refused(404, "PAYMENT_NOT_FOUND");
        pushed.by_payer("79922222").await.refused(404, "PAYMENT_NOT_FOUND");
        pushed.is_ledger_of(0).await;
        // What has a reference of its own is found by it.
        pushed.bank.pay("000055512345", 15_075, AT_ONCE);
        assert_eq!(found(&pushed.by_reference("55512345").await), new_by("reference"));
        pushed.is_ledger_of(1).await;
    }

    /// Checks that known payments stay known, and that the owner is notified of what only the owner can confirm.
    async fn a_row_that_cannot_be_read_takes_nothing_back(setup: Setup) {
        let pushed = PushedAccount::by_nobody(setup).await;
        pushed.choose(true).await;
        pushed.pay_same_bank("000079911111", AT_ONCE);
        assert_eq!(found(&pushed.by_payer("88812346").await), new_by("payer"));
        pushed.pay_same_bank("000079922222", AT_ONCE);
        pushed.bank.pay_unreadably("000079933333", 15_075, PAYER);
        assert_eq!(found(&pushed.by_reference("88812346").await), known_by("payer"));
        assert_eq!(found(&pushed.by_payer("88812346").await), known_by("payer"));
        pushed.by_payer("79922222").await.refused(404, "PAYMENT_NOT_FOUND");

        let link = make(&pushed.owner.key, &pushed.account, json!({})).await;
        pushed.app.clock().advance(A_WHILE);
        paid_by(&pushed.app.nobody(), &link, "79922222", &[("document", PAYER)]).await;
        let waiting = pushed.waiting().await;
        assert_eq!((waiting.len(), &waiting[0]["payment_link_id"]), (1, &json!(link)));
        pushed.is_ledger_of(1).await;
    }

    /// The bank shows more that end so than an answer has room for.
    async fn few_digits_on_a_busy_day_find_what_amount_and_payer_name(setup: Setup) {
        let pushed = PushedAccount::by_nobody(setup).await;
        pushed.choose(true).await;
        pushed.bank.transfer("000070012345", 15_075, PAYER);
        pushed.pay_same_bank("000079911111", AT_ONCE);
        pushed.app.clock().advance(Duration::from_mins(1));
        for number in 100..200 {
            pushed.bank.pay(&format!("000000{number}12345"), 15_075, AT_ONCE);
        }
        // Of one hundred later ones nobody knows who paid.
        assert_eq!(found(&pushed.by_payer("12345").await), new_by("reference"));
        pushed.is_ledger_of(1).await;
        // Of another amount they fit nothing, and were not all looked at.
        pushed.bank.pay_same_bank("000079922222", 9_900, "V87654321", AT_ONCE);
        let another = json!({ "amount": 99.0, "dni_pagador": "V87654321" });
        // A day of several pages is read from its mark first, and then whole.
        let ask = async |reference: &str| {
            let call = pushed.by_payer_with(&pushed.owner.key, reference, another.clone());
            pushed.app.clock().flow(call).await
        };
        ask("12345").await.refused(404, "PAYMENT_NOT_FOUND");
        assert_eq!(found(&ask("922222").await), new_by("payer"));
        pushed.is_ledger_of(2).await;
    }

    async fn among_hundreds_of_one_amount_each_receipt_finds_its_payment(setup: Setup) {
        let pushed = PushedAccount::by_nobody(setup).await;
        for number in 0..250 {
            let (receipt, payer) = (format!("0000799{number:05}"), format!("V{}", 10_000_000 + number));
            pushed.bank.pay_same_bank(&receipt, 15_075, &payer, AT_ONCE);
            let mut body = notice("0102", &receipt);
            body["idCliente"] = json!(payer);
            assert_eq!(codigo(&pushed.notify(pushed.secret(), body).await), "00");
        }
        for receipt in ["79900000", "79900124", "79900249"] {
            let answer = pushed.app.clock().flow(pushed.by_reference(receipt)).await;
            assert_eq!(found(&answer), new_by("reference"), "{receipt}");
        }
        pushed.is_ledger_of(3).await;
        pushed.app.clock().flow(pushed.by_reference("79900250")).await.refused(404, "PAYMENT_NOT_FOUND");
    }

    /// A transfer, and a pago móvil from another bank, of the same document, amount and minute.
    async fn what_comes_from_another_bank_never_counts(setup: Setup) {
        let pushed = PushedAccount::by_nobody(setup).await;
        pushed.choose(true).await;
        pushed.bank.transfer("000066611111", 15_075, PAYER);
        pushed.bank.pay("000066622222", 15_075, AT_ONCE);
        pushed.push_receipt("000079911111").await;
        pushed.by_reference("79911111").await.refused(404, "PAYMENT_NOT_FOUND");
        let refused = pushed.by_payer("88812346").await.refused(404, "PAYMENT_NOT_FOUND");
        assert_eq!(refused.get("facts"), None);
        pushed.is_ledger_of(0).await;
        // Beside them the one payment from the same bank is the only one.
        pushed.pay_same_bank("000079911111", AT_ONCE);
        assert_eq!(found(&pushed.by_reference("79911111").await), new_by("reference"));
        pushed.pay_same_bank("000079922222", AT_ONCE);
        assert_eq!(found(&pushed.by_payer("88812346").await), new_by("payer"));
        // And each is found by its own reference.
        for reference in ["66611111", "66622222"] {
            assert_eq!(found(&pushed.by_reference(reference).await), new_by("reference"));
        }
        pushed.is_ledger_of(4).await;
    }
}
