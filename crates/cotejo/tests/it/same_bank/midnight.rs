//! Days are those of Caracas, whatever day it is elsewhere, and midnight parts no payment from its notice.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::{Response, Setup, both_engines};

use super::{AT_ONCE, found, known_by, new_by};
use crate::bdv_push::{PushedAccount, codigo, notice};

/// From eight in the morning, when the test begins, to 23:58 and to 20:00.
const TO_TWO_BEFORE_MIDNIGHT: Duration = Duration::from_mins(15 * 60 + 58);
const TO_EIGHT_IN_THE_EVENING: Duration = Duration::from_hours(12);
const A_FEW_MINUTES: Duration = Duration::from_mins(3);

impl PushedAccount {
    async fn push_on(&self, receipt: &str, day: &str, hour: &str) {
        let mut body = notice("0102", receipt);
        (body["fecha"], body["hora"]) = (json!(day), json!(hour));
        assert_eq!(codigo(&self.notify(self.secret(), body).await), "00");
    }

    async fn on(&self, reference: &str, day: Value) -> Response {
        let more = json!({ "fecha_pago": day });
        self.by_payer_with(&self.owner.key, reference, more).await
    }
}

both_engines! {
    async fn a_payment_of_two_minutes_before_midnight_is_found_on_the_next_day(setup: Setup) {
        let pushed = PushedAccount::by_nobody(setup).await;
        pushed.choose(true).await;
        pushed.app.clock().advance(TO_TWO_BEFORE_MIDNIGHT);
        pushed.pay_same_bank("000079911111", AT_ONCE);
        pushed.pay_same_bank("000079922222", A_FEW_MINUTES);
        pushed.push_on("000079911111", "20261120", "2358").await;
        // The next day, in Caracas and everywhere: the second is posted by now, on the day of the payment.
        pushed.app.clock().advance(3 * A_FEW_MINUTES);
        pushed.on("79911111", json!("2026-11-20")).await.refused(409, "PAYMENT_REFERENCE_AMBIGUOUS");
        pushed.push_on("000079922222", "20261120", "2358").await;
        for day in [json!("2026-11-20"), json!("2026-11-21"), Value::Null] {
            let other = pushed.on("79933333", day.clone()).await;
            other.refused(404, "PAYMENT_NOT_FOUND");
        }
        assert_eq!(found(&pushed.on("79911111", json!("2026-11-20")).await), new_by("reference"));
        assert_eq!(found(&pushed.on("79922222", json!("2026-11-21")).await), new_by("reference"));
        assert_eq!(found(&pushed.on("79911111", Value::Null).await), known_by("reference"));
        pushed.is_ledger_of(2).await;
    }

    async fn a_row_and_its_notice_may_lie_on_either_side_of_midnight(setup: Setup) {
        // The bank sent its notice on the day before it booked.
        let pushed = PushedAccount::by_nobody(setup.clone()).await;
        pushed.app.clock().advance(TO_TWO_BEFORE_MIDNIGHT);
        pushed.push_on("000079911111", "20261120", "2358").await;
        pushed.app.clock().advance(A_FEW_MINUTES);
        pushed.pay_same_bank("000079911111", AT_ONCE);
        assert_eq!(found(&pushed.on("79911111", json!("2026-11-21")).await), new_by("reference"));
        pushed.is_ledger_of(1).await;

        // And the other way round. To a question about the day before, the day of the notice is not known.
        let pushed = PushedAccount::by_nobody(setup).await;
        pushed.app.clock().advance(TO_TWO_BEFORE_MIDNIGHT);
        pushed.pay_same_bank("000079911111", AT_ONCE);
        pushed.app.clock().advance(A_FEW_MINUTES);
        pushed.push_on("000079911111", "20261121", "0001").await;
        pushed.on("79911111", json!("2026-11-20")).await.refused(404, "PAYMENT_NOT_FOUND");
        assert_eq!(found(&pushed.on("79911111", json!("2026-11-21")).await), new_by("reference"));
        assert_eq!(found(&pushed.on("79911111", json!("2026-11-20")).await), known_by("reference"));
        pushed.is_ledger_of(1).await;
    }

    /// At eight in the evening it is tomorrow in UTC, which is the day that programs send.
    async fn in_the_evening_the_day_of_utc_is_today(setup: Setup) {
        let pushed = PushedAccount::by_nobody(setup).await;
        pushed.choose(true).await;
        pushed.app.clock().advance(TO_EIGHT_IN_THE_EVENING);
        pushed.pay_same_bank("000079911111", AT_ONCE);
        assert_eq!(found(&pushed.on("911111", json!("2026-11-21")).await), new_by("payer"));
        pushed.push_on("000079911111", "20261120", "2000").await;
        for day in ["2026-11-20", "2026-11-21"] {
            assert_eq!(found(&pushed.on("79911111", json!(day)).await), known_by("payer"), "{day}");
        }
        pushed.is_ledger_of(1).await;
        pushed.on("79922222", json!("2026-11-22")).await.refused(400, "VALIDATION_ERROR");
    }
}
