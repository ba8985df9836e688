//! `GET /v1/webhooks/redeliveries/{redelivery_id}`

use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::ShowRedelivery;
use domain::refusal::Refusal;
use http::Method;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use web::{Admitted, AppState, Failure, answer};

use crate::operation::{Endpoint, Group};
use crate::wire::{WireRedelivery, say};

#[derive(Serialize, JsonSchema)]
struct RedeliveryShown<'a> {
    message: &'static str,
    redelivery: WireRedelivery<'a>,
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::strict::<ShowRedelivery, _, _>(
        Method::GET,
        "/v1/webhooks/redeliveries/{redelivery_id}",
        handle,
    )
    .does(
        Group::Webhooks,
        "Muestra hasta dónde llegó un reenvío.",
        "Shows how far a redelivery has come.",
    )
    .answers::<RedeliveryShown<'_>>(
        json!({ "message": "terminado", "redelivery": WireRedelivery::example() }),
    )
}

async fn handle(
    admitted: Admitted<ShowRedelivery>,
    State(state): State<AppState>,
    Path(id): Path<String>,
) -> Result<Response, Failure> {
    // An id of another form is an id of nothing.
    let id = id.parse().map_err(|_| Refusal::NotFound("webhook_redelivery"))?;
    let job = app::webhooks::show_redelivery(&state.app, &admitted.0, id).await?;
    let message = match job.ended_at {
        None => say(admitted.language(), "en curso", "under way"),
        Some(_) => say(admitted.language(), "terminado", "done"),
    };
    answer::json(&RedeliveryShown { message, redelivery: WireRedelivery::of(&job) })
}
