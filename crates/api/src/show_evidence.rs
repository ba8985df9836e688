//! `GET /v1/webhooks/deliveries/{delivery_id}/evidence`

use app::evidence::{Document, show};
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::ShowEvidence;
use domain::refusal::Refusal;
use http::Method;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use serde_json::json;
use web::{Admitted, AppState, Failure, answer};

use crate::operation::{Endpoint, Group};
use crate::wire::say;

#[derive(Serialize, JsonSchema)]
struct EvidenceShown<'a> {
    message: &'static str,
    #[schemars(schema_with = "proof")]
    proof: Document<'a>,
}

/// The format `cotejo-proof-1`, whose own text says how each part is verified.
fn proof(_: &mut SchemaGenerator) -> Schema {
    let many = json!({ "type": "array", "items": { "type": "object" } });
    json_schema!({
        "type": "object",
        "required": ["format", "how_to_verify", "event", "attempts", "days"],
        "properties": {
            "format": { "const": "cotejo-proof-1" },
            "how_to_verify": { "type": "string" },
            "event": { "type": "object" },
            "attempts": many,
            "days": many,
        },
    })
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::new::<ShowEvidence, _, _>(
        Method::GET,
        "/v1/webhooks/deliveries/{delivery_id}/evidence",
        handle,
    )
    .does(
        Group::Webhooks,
        "Entrega todo lo que prueba cómo se entregó un evento.",
        "Hands out everything that proves how an event was delivered.",
    )
    .answers::<EvidenceShown<'_>>(json!({
        "message": "prueba de entrega",
        "proof": {
            "format": "cotejo-proof-1",
            "how_to_verify": "…",
            "event": {},
            "attempts": [],
            "days": [],
        },
    }))
}

async fn handle(
    admitted: Admitted<ShowEvidence>,
    State(state): State<AppState>,
    Path(id): Path<String>,
) -> Result<Response, Failure> {
    let id = id.parse().map_err(|_| Refusal::NotFound("webhook_delivery"))?;
    let evidence = show(&state.app, &admitted.0, id).await?;
    let message = say(admitted.language(), "prueba de entrega", "proof of delivery");
    answer::json(&EvidenceShown { message, proof: evidence.document() })
}
