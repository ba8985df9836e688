//! Payments of one payer and amount that few digits distinguish, or that lie further apart than their notices.

use std::time::Duration;

use testkit::{Setup, both_engines};

use super::{AT_ONCE, LATER, found, known_by, new_by};
use crate::bdv_push::PushedAccount;

both_engines! {
    /// Six digits of a receipt are six, also where they begin with zeros.
    async fn what_was_typed_names_its_receipt_with_its_zeros(setup: Setup) {
        for six in ["812437", "012437", "002437"] {
            let pushed = PushedAccount::by_nobody(setup.clone()).await;
            pushed.choose(true).await;
            let receipt = format!("34{six}");
            pushed.pay_same_bank(&format!("0000{receipt}"), AT_ONCE);
            assert_eq!(found(&pushed.by_payer(six).await), new_by("payer"));
            assert_eq!(found(&pushed.by_payer(six).await), known_by("payer"));
            pushed.app.clock().advance(Duration::from_mins(14));
            pushed.pay_same_bank("000070235773", AT_ONCE);
            assert_eq!(found(&pushed.by_payer(&receipt).await), known_by("payer"), "{six}");
            assert_eq!(found(&pushed.by_payer(&format!("0000{receipt}")).await), known_by("payer"), "{six}");
            assert_eq!(found(&pushed.by_payer("70235773").await), new_by("payer"), "{six}");
            pushed.is_ledger_of(2).await;
            // And once the notices have come.
            pushed.push_receipt(&format!("0000{receipt}")).await;
            assert_eq!(pushed.push_at("000070235773", "0814").await, "00");
            pushed.by_payer("70244444").await.refused(404, "PAYMENT_NOT_FOUND");
            for reference in [&receipt, six, "70235773"] {
                assert_eq!(found(&pushed.by_payer(reference).await), known_by("payer"), "{reference}");
            }
            let open = "select count(*) from bank_notifications where movement_id is null";
            assert_eq!(pushed.app.database().number(open), 0);
        }
    }

    /// The receipt of the second payment is used before it is listed, for the first, whose notice comes later.
    async fn the_receipt_of_a_payment_that_was_taken_for_another_confirms_what_is_left(setup: Setup) {
        for minutes in [4, 8] {
            let pushed = PushedAccount::by_nobody(setup.clone()).await;
            pushed.choose(true).await;
            pushed.pay_same_bank("000079911111", AT_ONCE);
            pushed.app.clock().advance(Duration::from_mins(minutes));
            pushed.pay_same_bank("000079922222", LATER);
            assert_eq!(found(&pushed.by_payer("79922222").await), new_by("payer"));
            pushed.app.clock().advance(LATER);
            pushed.push_receipt("000079911111").await;
            assert_eq!(pushed.push_at("000079922222", &format!("080{minutes}")).await, "00");
            assert_eq!(found(&pushed.by_payer("79922222").await), known_by("payer"));
            assert!(found(&pushed.by_payer("79911111").await).0, "{minutes}");
            assert!(!found(&pushed.by_payer("79911111").await).0, "{minutes}");
            pushed.is_ledger_of(2).await;
            pushed.by_payer("79933333").await.refused(404, "PAYMENT_NOT_FOUND");
        }
    }
}
