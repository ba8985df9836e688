//! `POST /v1/usersbank/{bank_id}/push-secret/rotate`

use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::RotatePushSecret;
use serde::{Deserialize, Serialize};
use web::{Admitted, AppState, Failure, IdempotencyKey, JsonBody, answer};

use crate::wire::{WirePush, bank_id, say};

/// An empty object.
#[derive(Deserialize)]
struct Body {}

#[derive(Serialize)]
struct Answer<'a> {
    message: &'static str,
    push: WirePush<'a>,
}

pub(crate) async fn handle(
    admitted: Admitted<RotatePushSecret>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    idempotency_key: IdempotencyKey,
    body: JsonBody,
) -> Result<Response, Failure> {
    let id = bank_id(&id)?;
    let Body {} = body.object()?;
    let slot = idempotency_key.slot(&admitted.0, body.bytes());
    let push = app::accounts::rotate_push_secret(&state.app, &admitted.0, id, slot).await?;
    let message = say(
        admitted.language(),
        "secreto nuevo: el anterior ya no sirve; guarde este ahora y déselo al banco",
        "new secret: the former one is over; keep this one now and give it to the bank",
    );
    answer::json(&Answer { message, push: WirePush::of(&push) })
}
