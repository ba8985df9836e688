//! `GET /v1/verifications/{verification_id}`

use app::verification::show::{Shown as Seen, show};
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::ShowVerification;
use domain::ids::{BankId, VerificationId};
use domain::money::Credits;
use domain::refusal::Refusal;
use domain::time::Timestamp;
use http::Method;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use web::{Admitted, AppState, Failure, answer};

use crate::operation::{Endpoint, Group};
use crate::wire::{Shown, WirePayment, say};

#[derive(Serialize, JsonSchema)]
struct VerificationAnswer<'a> {
    message: &'static str,
    verification: Verification<'a>,
}

/// Una verificación: qué se preguntó y qué resultó. / A verification: what was asked, and what came of it.
#[derive(Serialize, JsonSchema)]
struct Verification<'a> {
    id: Shown<VerificationId>,
    user_bank_id: Shown<BankId>,
    /// `asking`, `confirmed`, `not_found`, `refused`, `unknown` o `expired`, como en `GET
    /// /v1/verifications`. / `asking`, `confirmed`, `not_found`, `refused`, `unknown` or `expired`, as in `GET
    /// /v1/verifications`.
    status: &'static str,
    error_code: Option<&'static str>,
    /// Lo que se cobró por ella: 0 donde no confirmó un pago nuevo. / What was charged for it: 0 where it confirmed no
    /// new payment.
    credit_cost: i64,
    created_at: Shown<Timestamp>,
    ended_at: Option<Shown<Timestamp>>,
    /// Si el dinero de la cuenta existe. / Whether money of the account exists.
    livemode: bool,
    /// El pago que quedó reclamado, o que ya lo estaba; `null` donde no hay ninguno. / The payment that was claimed or
    /// found claimed; `null` where there is none.
    user_bank_payment: Option<WirePayment<'a>>,
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::strict::<ShowVerification, _, _>(
        Method::GET,
        "/v1/verifications/{verification_id}",
        handle,
    )
    .does(Group::Payments, "Muestra una verificación.", "Shows a verification.")
    .answers::<VerificationAnswer<'_>>(json!({
        "message": "verificación",
        "verification": {
            "id": "ver_00000000000000000000000001",
            "user_bank_id": "bank_00000000000000000000000001",
            "status": "confirmed",
            "error_code": null,
            "credit_cost": 1,
            "created_at": "2026-11-20T12:00:00.000Z",
            "ended_at": "2026-11-20T12:00:01.000Z",
            "livemode": true,
            "user_bank_payment": WirePayment::example(),
        },
    }))
}

async fn handle(
    admitted: Admitted<ShowVerification>,
    State(state): State<AppState>,
    Path(id): Path<String>,
) -> Result<Response, Failure> {
    let id = id.parse().map_err(|_| Refusal::NotFound("verification"))?;
    let seen = show(&state.app, &admitted.0, id).await?;
    let message = say(admitted.language(), "verificación", "verification");
    answer::json(&VerificationAnswer { message, verification: wire(&seen) })
}

fn wire(seen: &Seen) -> Verification<'_> {
    let Seen { row, payment, livemode } = seen;
    let claimed = payment.as_ref().map(|whole| whole.payment.verification);
    let claimed_here = claimed == Some(row.id);
    // Only the code is shown: what else the refusal says depends on what was typed, and the caller who
    // sees the verification need not have typed it.
    let refusal = row.failed.as_ref().map(|failed| failed.refusal(0));
    Verification {
        id: Shown(row.id),
        user_bank_id: Shown(row.bank),
        status: row.state.as_str(),
        error_code: refusal.map(|refusal| refusal.code().as_str()),
        credit_cost: if claimed_here { row.cost.get() } else { Credits::ZERO.get() },
        created_at: Shown(row.asked_at),
        ended_at: row.ended_at.map(Shown),
        livemode: *livemode,
        user_bank_payment: payment.as_ref().map(WirePayment::of),
    }
}
