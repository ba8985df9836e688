//! `check-ledger` finds what is wrong with receipts.

use testkit::{TestApp, either_engine};

use super::paid_link;

either_engine! {
    async fn the_audit_finds_a_receipt_that_is_gone_or_is_not_what_was_given(mut app: TestApp) {
        app.expect_disorder();
        let owner = app.owner().await;
        for reference in ["167890", "267890"] {
            paid_link(&app, &owner, reference).await;
        }
        assert_eq!(app.audit().await, []);
        for (alteration, is_named) in [
            ("update receipts set merchant = 'Otro' where number = 1", "receipts.seal"),
            ("update receipts set number = 3 where number = 2", "receipt_numbers.last"),
            ("update receipt_numbers set last = 3", "receipt_numbers.last"),
            ("delete from receipts where number = 3", "receipts.payment_id"),
        ] {
            app.tamper(alteration).await;
            let found = format!("{:?}", app.audit().await);
            assert!(found.contains(is_named), "{alteration}: {found}");
        }
    }
}
