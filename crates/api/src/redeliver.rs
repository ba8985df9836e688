//! `POST /v1/webhooks/deliveries/{delivery_id}/redeliver`

use app::webhooks::Record;
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::Redeliver;
use domain::language::Language;
use domain::refusal::Code;
use http::Method;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use web::{Admitted, AppState, Failure, IdempotencyKey, JsonBody, answer};

use crate::operation::{Empty, Endpoint, Group, Request};
use crate::wire::{WireDelivery, delivery_id, say};

#[derive(Serialize, JsonSchema)]
struct DeliveryBegun<'a> {
    message: &'static str,
    delivery: WireDelivery<'a>,
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::strict::<Redeliver, _, _>(
        Method::POST,
        "/v1/webhooks/deliveries/{delivery_id}/redeliver",
        handle,
    )
    .does(Group::Webhooks, "Envía otra vez un aviso.", "Sends a webhook again.")
    .takes::<Empty>(json!({}))
    .idempotent()
    .answers::<DeliveryBegun<'_>>(
        json!({ "message": "se envía otra vez, ya", "delivery": WireDelivery::example() }),
    )
    .refuses(&[Code::Conflict])
}

async fn handle(
    admitted: Admitted<Redeliver>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    idempotency_key: IdempotencyKey,
    body: JsonBody,
) -> Result<Response, Failure> {
    let id = delivery_id(&id)?;
    Empty::read(&body)?;
    let slot = idempotency_key.slot(&admitted.0, body.bytes());
    let body = app::webhooks::redeliver(&state.app, &admitted.0, id, slot, render).await?;
    Ok(answer::bytes(body))
}

fn render(record: &Record, language: Language) -> Vec<u8> {
    let message = say(language, "se envía otra vez, ya", "it is sent again, now");
    let answer = DeliveryBegun { message, delivery: WireDelivery::of(record, language) };
    // Text and finite numbers: writing them as JSON cannot fail.
    serde_json::to_vec(&answer).unwrap_or_default()
}
