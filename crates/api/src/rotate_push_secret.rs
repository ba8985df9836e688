//! `POST /v1/usersbank/{bank_id}/push-secret/rotate`

use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::RotatePushSecret;
use domain::refusal::Code;
use http::Method;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use web::{Admitted, AppState, Failure, IdempotencyKey, JsonBody, answer};

use crate::operation::{Empty, Endpoint, Group, Request};
use crate::wire::{WirePush, bank_id, say};

#[derive(Serialize, JsonSchema)]
struct PushSecretRotated<'a> {
    message: &'static str,
    push: WirePush<'a>,
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::strict::<RotatePushSecret, _, _>(
        Method::POST,
        "/v1/usersbank/{bank_id}/push-secret/rotate",
        handle,
    )
    .does(
        Group::Accounts,
        "Da a una cuenta otro secreto para los avisos del banco.",
        "Gives a bank account another secret for the bank's notices.",
    )
    .takes::<Empty>(json!({}))
    .idempotent()
    .answers::<PushSecretRotated<'_>>(json!({
        "message": "secreto nuevo: el anterior ya no sirve; guarde este ahora y déselo al banco",
        "push": WirePush::example(),
    }))
    .refuses(&[Code::Conflict, Code::InvalidBankProvider])
}

async fn handle(
    admitted: Admitted<RotatePushSecret>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    idempotency_key: IdempotencyKey,
    body: JsonBody,
) -> Result<Response, Failure> {
    let id = bank_id(&id)?;
    Empty::read(&body)?;
    let slot = idempotency_key.slot(&admitted.0, body.bytes());
    let push = app::accounts::rotate_push_secret(&state.app, &admitted.0, id, slot).await?;
    let message = say(
        admitted.language(),
        "secreto nuevo: el anterior ya no sirve; guarde este ahora y déselo al banco",
        "new secret: the former one is over; keep this one now and give it to the bank",
    );
    answer::json(&PushSecretRotated { message, push: WirePush::of(&push) })
}
