//! `POST /v1/api-keys/default/rotate`

use app::keys::Issued;
use axum::extract::State;
use axum::response::Response;
use domain::access::RotateDefaultKey;
use domain::language::Language;
use serde::{Deserialize, Serialize};
use web::{Admitted, AppState, Failure, IdempotencyKey, JsonBody, answer};

use crate::wire::{WireKey, say};

/// An empty object.
#[derive(Deserialize)]
struct Body {}

#[derive(Serialize)]
struct Answer<'a> {
    message: &'static str,
    api_key: WireKey<'a>,
}

pub(crate) async fn handle(
    admitted: Admitted<RotateDefaultKey>,
    State(state): State<AppState>,
    idempotency_key: IdempotencyKey,
    body: JsonBody,
) -> Result<Response, Failure> {
    let Body {} = body.object()?;
    let slot = idempotency_key.slot(&admitted.0, body.bytes());
    let issued = app::keys::rotate_default(&state.app, &admitted.0, slot).await?;
    rotated(admitted.language(), &issued)
}

/// The answer that has a key's new text.
pub(crate) fn rotated(language: Language, issued: &Issued) -> Result<Response, Failure> {
    let text = issued.text.expose().to_owned();
    answer::json(&Answer {
        message: say(
            language,
            "llave rotada: la anterior ya no sirve; guarde esta ahora",
            "key rotated: the former one is over; keep this one now",
        ),
        api_key: WireKey::with_text(&issued.record, text),
    })
}
