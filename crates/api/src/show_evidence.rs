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
    /// La prueba entera, que se comprueba sin este servicio. / The whole proof, which is verified without this service.
    #[schemars(schema_with = "proof")]
    proof: Document<'a>,
}

/// The format `cotejo-proof-1`, whose own text says how each part is verified.
fn proof(_: &mut SchemaGenerator) -> Schema {
    let fields = [
        (
            "format",
            json!({ "const": "cotejo-proof-1" }),
            "El nombre del formato, que no cambia nunca. / The name of the format, which never changes.",
        ),
        ("how_to_verify", text(), "Cómo se comprueba cada parte. / How each part is verified."),
        ("event", event(), "El evento. / The event."),
        (
            "attempts",
            many(&attempt()),
            "Sus intentos, el primero primero. / Its attempts, the first one first.",
        ),
        (
            "days",
            many(&day()),
            "Los días sellados en que terminaron; vacía hasta que se sellan. / The sealed days in which they ended; empty until \
             these are sealed.",
        ),
    ];
    Schema::try_from(object(&fields)).expect("an object is a schema")
}

fn event() -> Value {
    object(&[
        ("owner_id", text(), "El titular. / The owner."),
        ("id", text(), "El id del evento. / The event's id."),
        ("kind", text(), "De qué avisa. / What it tells of."),
        (
            "subject",
            text(),
            "El id de aquello de lo que avisa, en hexadecimal. / The id of what it tells of, in hexadecimal.",
        ),
        (
            "payment_link_id",
            or_none("string"),
            "El enlace de que avisa; `null` si no es de ninguno. / The link that it tells of; `null` if it is about none.",
        ),
        ("created_at", text(), "Cuándo ocurrió. / When it happened."),
        (
            "created_at_micros",
            number(),
            "Lo mismo en microsegundos desde 1970. / The same in microseconds since 1970.",
        ),
        (
            "state",
            or_none("string"),
            "`pending`, `delivered` o `exhausted`. / `pending`, `delivered` or `exhausted`.",
        ),
        (
            "ended_at",
            or_none("string"),
            "Cuándo llegó o se dejó de intentar; `null` hasta entonces. / When it arrived or was given up; `null` until then.",
        ),
        (
            "pruned_at",
            or_none("string"),
            "Cuándo se borró su contenido, que desde entonces es `null`. / When its contents were deleted, which are `null` since \
             then.",
        ),
        ("url", or_none("string"), "Adónde fue. / Where it went."),
        ("url_digest", or_none("string"), "La huella de `url`. / The digest of `url`."),
        ("body_base64", or_none("string"), "El cuerpo, en Base64. / The body, in Base64."),
        ("body_digest", or_none("string"), "La huella del cuerpo. / The digest of the body."),
        (
            "digest",
            or_none("string"),
            "La huella del evento; `null` en los que son más viejos que estas pruebas. / The digest of the event; `null` for \
             those older than these proofs.",
        ),
    ])
}

fn attempt() -> Value {
    object(&[
        ("number", number(), "Su número, desde 1. / Its number, from 1 on."),
        ("began_at", text(), "Cuándo empezó. / When it began."),
        (
            "began_at_micros",
            number(),
            "Lo mismo en microsegundos desde 1970. / The same in microseconds since 1970.",
        ),
        (
            "duration_micros",
            number(),
            "Cuántos microsegundos duró. / How many microseconds it took.",
        ),
        (
            "status",
            or_none("integer"),
            "El estado de HTTP que respondió; `null` donde no respondió. / The HTTP status that it answered; `null` where it did \
             not.",
        ),
        (
            "trouble",
            or_none("string"),
            "Por qué no llegó; `null` donde no falló nada. / Why it did not arrive; `null` where nothing failed.",
        ),
        ("address", or_none("string"), "La dirección IP marcada. / The IP address dialled."),
        (
            "is_reused",
            or_none("boolean"),
            "Si la conexión ya estaba. / Whether the connection was there already.",
        ),
        (
            "phases",
            or_none("string"),
            "Cuánto tomó cada parte, en hexadecimal. / How long each part took, in hexadecimal.",
        ),
        (
            "request_head",
            or_none("string"),
            "Lo que se envió antes del cuerpo. / What was sent before the body.",
        ),
        ("request_digest", or_none("string"), "Su huella. / Its digest."),
        (
            "answer_head_base64",
            or_none("string"),
            "Lo que respondió antes del cuerpo, en Base64. / What it answered before the body, in Base64.",
        ),
        (
            "answer_body_base64",
            or_none("string"),
            "El principio del cuerpo que respondió, en Base64. / The beginning of the body that it answered, in Base64.",
        ),
        ("answer_digest", or_none("string"), "La huella de ambos. / The digest of both."),
        (
            "digest",
            or_none("string"),
            "La huella del intento, que sigue a la del anterior. / The digest of the attempt, which follows that of the one \
             before.",
        ),
        (
            "day",
            or_none("string"),
            "El día en que terminó, en Caracas. / The day on which it ended, in Caracas.",
        ),
    ])
}

fn day() -> Value {
    let side = json!({ "type": "string", "enum": ["left", "right"] });
    let step = object(&[
        ("side", side, "De qué lado se une la rama. / The side on which the branch is joined."),
        ("digest", text(), "La huella de la rama. / The digest of the branch."),
    ]);
    let path = object(&[
        ("attempt", number(), "El número del intento. / The number of the attempt."),
        (
            "steps",
            many(&step),
            "Las ramas que llevan de él a la raíz. / The branches that lead from it to the root.",
        ),
    ]);
    object(&[
        ("day", text(), "El día, en Caracas. / The day, in Caracas."),
        (
            "attempts",
            number(),
            "Cuántos intentos terminaron en él, de todos los eventos. / How many attempts ended in it, of all events.",
        ),
        (
            "root",
            text(),
            "La raíz del árbol de sus huellas. / The root of the tree of their digests.",
        ),
        (
            "before",
            or_none("string"),
            "La huella del día sellado anterior; `null` en el primero. / The digest of the sealed day before; `null` for the \
             first.",
        ),
        (
            "digest",
            text(),
            "La huella del día: compárela con la que anotó en otra parte. / The digest of the day: compare it with the one noted \
             elsewhere.",
        ),
        ("sealed_at", text(), "Cuándo se selló. / When it was sealed."),
        (
            "paths",
            many(&path),
            "El camino de cada intento de este evento. / The path of each attempt of this event.",
        ),
    ])
}

/// An object with these fields, all of which are always there: their names, schemas and meanings.
fn object(fields: &[(&str, Value, &str)]) -> Value {
    let names: Vec<&str> = fields.iter().map(|(name, ..)| *name).collect();
    let described = |(name, schema, meaning): &(&str, Value, &str)| {
        let mut schema = schema.clone();
        schema["description"] = (*meaning).into();
        ((*name).to_owned(), schema)
    };
    let fields: Map<String, Value> = fields.iter().map(described).collect();
    json!({ "type": "object", "required": names, "properties": fields })
}

fn text() -> Value {
    json!({ "type": "string" })
}

fn number() -> Value {
    json!({ "type": "integer" })
}

fn or_none(kind: &str) -> Value {
    json!({ "type": [kind, "null"] })
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
