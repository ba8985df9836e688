//! `POST /v1/webhooks/deliveries/{delivery_id}/redeliver`

use app::webhooks::Record;
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::Redeliver;
use domain::language::Language;
use serde::{Deserialize, Serialize};
use web::{Admitted, AppState, Failure, IdempotencyKey, JsonBody, answer};

use crate::wire::{WireDelivery, delivery_id, say};

/// An empty object.
#[derive(Deserialize)]
struct Body {}

#[derive(Serialize)]
struct Answer<'a> {
    message: &'static str,
    delivery: WireDelivery<'a>,
}

pub(crate) async fn handle(
    admitted: Admitted<Redeliver>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    idempotency_key: IdempotencyKey,
    body: JsonBody,
) -> Result<Response, Failure> {
    let id = delivery_id(&id)?;
    let Body {} = body.object()?;
    let slot = idempotency_key.slot(&admitted.0, body.bytes());
    let body = app::webhooks::redeliver(&state.app, &admitted.0, id, slot, render).await?;
    Ok(answer::bytes(body))
}

fn render(record: &Record, language: Language) -> Vec<u8> {
    let message = say(language, "se envía otra vez, ya", "it is sent again, now");
    let answer = Answer { message, delivery: WireDelivery::of(record, language) };
    // Text and finite numbers: writing them as JSON cannot fail.
    serde_json::to_vec(&answer).unwrap_or_default()
}
