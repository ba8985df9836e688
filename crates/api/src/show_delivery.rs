//! `GET /v1/webhooks/deliveries/{delivery_id}`

use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::ShowDelivery;
use http::Method;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use web::{Admitted, AppState, Failure, answer};

use crate::operation::{Endpoint, Group};
use crate::wire::{WireDelivery, delivery_id, say};

#[derive(Serialize, JsonSchema)]
struct DeliveryShown<'a> {
    message: &'static str,
    delivery: WireDelivery<'a>,
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::strict::<ShowDelivery, _, _>(
        Method::GET,
        "/v1/webhooks/deliveries/{delivery_id}",
        handle,
    )
    .does(
        Group::Webhooks,
        "Muestra un aviso con cada intento.",
        "Shows a delivery of a webhook with every attempt.",
    )
    .answers::<DeliveryShown<'_>>(
        json!({ "message": "aviso y sus intentos", "delivery": WireDelivery::example() }),
    )
}

async fn handle(
    admitted: Admitted<ShowDelivery>,
    State(state): State<AppState>,
    Path(id): Path<String>,
) -> Result<Response, Failure> {
    let record = app::webhooks::show(&state.app, &admitted.0, delivery_id(&id)?).await?;
    let language = admitted.language();
    let message = say(language, "aviso y sus intentos", "what was told, and its attempts");
    answer::json(&DeliveryShown { message, delivery: WireDelivery::of(&record, language) })
}
