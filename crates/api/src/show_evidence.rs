//! `GET /v1/webhooks/deliveries/{delivery_id}/evidence`

use app::evidence::{Document, show};
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::ShowEvidence;
use domain::refusal::Refusal;
use http::Method;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::{Map, Value, json};
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
    let text = || json!({ "type": "string" });
    let text_or_none = || json!({ "type": ["string", "null"] });
    let number = || json!({ "type": "integer" });
    let number_or_none = || json!({ "type": ["integer", "null"] });
    let event = object(&[
        ("owner_id", text()),
        ("id", text()),
        ("kind", text()),
        ("subject", text()),
        ("payment_link_id", text_or_none()),
        ("created_at", text()),
        ("created_at_micros", number()),
        ("state", text_or_none()),
        ("ended_at", text_or_none()),
        ("pruned_at", text_or_none()),
        ("url", text_or_none()),
        ("url_digest", text_or_none()),
        ("body_base64", text_or_none()),
        ("body_digest", text_or_none()),
        ("digest", text_or_none()),
    ]);
    let attempt = object(&[
        ("number", number()),
        ("began_at", text()),
        ("began_at_micros", number()),
        ("duration_micros", number()),
        ("status", number_or_none()),
        ("trouble", text_or_none()),
        ("address", text_or_none()),
        ("is_reused", json!({ "type": ["boolean", "null"] })),
        ("phases", text_or_none()),
        ("request_head", text_or_none()),
        ("request_digest", text_or_none()),
        ("answer_head_base64", text_or_none()),
        ("answer_body_base64", text_or_none()),
        ("answer_digest", text_or_none()),
        ("digest", text_or_none()),
        ("day", text_or_none()),
    ]);
    let side = json!({ "type": "string", "enum": ["left", "right"] });
    let step = object(&[("side", side), ("digest", text())]);
    let path = object(&[("attempt", number()), ("steps", many(&step))]);
    let day = object(&[
        ("day", text()),
        ("attempts", number()),
        ("root", text()),
        ("before", text_or_none()),
        ("digest", text()),
        ("sealed_at", text()),
        ("paths", many(&path)),
    ]);
    let format = json!({ "const": "cotejo-proof-1" });
    let proof = object(&[
        ("format", format),
        ("how_to_verify", text()),
        ("event", event),
        ("attempts", many(&attempt)),
        ("days", many(&day)),
    ]);
    Schema::try_from(proof).expect("an object is a schema")
}

/// An object with these fields, all of which are always there.
fn object(fields: &[(&str, Value)]) -> Value {
    let names: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
    let fields = fields.iter().map(|(name, schema)| ((*name).to_owned(), schema.clone()));
    json!({ "type": "object", "required": names, "properties": fields.collect::<Map<_, _>>() })
}

fn many(item: &Value) -> Value {
    json!({ "type": "array", "items": item })
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::strict::<ShowEvidence, _, _>(
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
            "event": {
                "owner_id": "own_00000000000000000000000001",
                "id": "evt_00000000000000000000000001",
                "kind": "payment_link.paid",
                "subject": "00000000000000000000000000000001",
                "payment_link_id": "link_00000000000000000000000001",
                "created_at": "2026-11-20T12:00:01.000Z",
                "created_at_micros": 1_795_176_001_000_000_i64,
                "state": "pending",
                "ended_at": null,
                "pruned_at": null,
                "url": "https://tienda.example/webhooks",
                "url_digest": null,
                "body_base64": "e30=",
                "body_digest": null,
                "digest": null,
            },
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
