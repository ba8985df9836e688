//! The OpenAPI 3.1 document.

use std::collections::BTreeMap;

use domain::access::Rule;
use domain::logo::MEDIA_TYPES;
use domain::refusal::Code;
use serde_json::{Map, Value, json};

use super::shapes::Shapes;
use super::texts::placeholder;
use super::{Endpoint, Group, RequestBody, events, reminder_event};

const REQUEST_ID: &str = "X-Request-Id";
const RETRY_AFTER: &str = "Retry-After";

/// The statuses of refusals that may say when to ask again.
const MAY_SAY_WHEN: [u16; 3] = [409, 429, 503];

/// The document of these operations, which are served at that address.
pub(crate) fn of(endpoints: &[Endpoint], server: &str) -> Value {
    let mut shapes = Shapes::new();
    let mut paths = Map::new();
    for endpoint in endpoints {
        let path = paths.entry(endpoint.path).or_insert_with(|| json!({}));
        let method = endpoint.method.as_str().to_ascii_lowercase();
        path[method] = operation(endpoint, &mut shapes);
    }
    let mut webhooks = events::of_links(&mut shapes);
    let (reminder, webhook) = reminder_event::webhook();
    webhooks[reminder] = webhook;
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Cotejo",
            "version": env!("CARGO_PKG_VERSION"),
            "license": { "name": "AGPL-3.0-only", "identifier": "AGPL-3.0-only" },
            "description":
                "Verifica pagos bancarios en Venezuela contra el banco.\n\n\
                 Verifies bank payments in Venezuela against the bank.",
        },
        "servers": [{ "url": server, "description": "Este servicio. / This service." }],
        "tags": Group::ALL.map(tag),
        "paths": paths,
        "webhooks": webhooks,
        "components": {
            "headers": described_headers(),
            "schemas": shapes.finish(),
            "securitySchemes": {
                "session": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "El `token` de una sesión. / The `token` of a session.",
                },
                "key": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "Una llave de API. / An API key.",
                },
                "appKey": {
                    "type": "apiKey",
                    "in": "header",
                    "name": "appKey",
                    "description": "Una llave de API. / An API key.",
                },
            },
        },
    })
}

fn tag(group: Group) -> Value {
    let (es, en) = group.title();
    json!({ "name": group.name(), "description": format!("{es} / {en}") })
}

fn operation(endpoint: &Endpoint, shapes: &mut Shapes) -> Value {
    let (es, en) = endpoint.summary;
    let (callers_es, callers_en) = endpoint.callers();
    let mut operation = json!({
        "operationId": endpoint.name,
        "tags": [endpoint.group.name()],
        "summary": es,
        "description": format!("{en}\n\nQuién: {callers_es}. / Who: {callers_en}."),
        "security": security(endpoint.rule),
        "responses": responses(endpoint, shapes),
    });
    let parameters = parameters(endpoint);
    if !parameters.is_empty() {
        operation["parameters"] = parameters.into();
    }
    if let Some(removal) = endpoint.removal {
        operation["deprecated"] = true.into();
        let gone_at = removal.gone_at.to_string();
        operation["description"] = format!(
            "{en}\n\nQuién: {callers_es}. / Who: {callers_en}.\n\n\
             Se retira el {gone_at}. / It is removed on {gone_at}."
        )
        .into();
    }
    if let Some(request) = &endpoint.request {
        let body = request_body(endpoint, request, shapes);
        if !body.is_null() {
            operation["requestBody"] = body;
        }
    }
    operation
}

/// The body of a request; `null` where none is described.
fn request_body(endpoint: &Endpoint, request: &RequestBody, shapes: &mut Shapes) -> Value {
    match request {
        RequestBody::Json { schema, example, .. } => {
            let mut schema = schema();
            if endpoint.is_strict {
                schema["additionalProperties"] = false.into();
            }
            if endpoint.needs_a_field() {
                schema["minProperties"] = 1.into();
            }
            // Without a body an empty object is read.
            let is_required = schema.get("required").is_some();
            let schema = shapes.request(endpoint.name, schema);
            json!({
                "required": is_required,
                "content": { "application/json": { "schema": schema, "example": example } },
            })
        }
        RequestBody::Picture => {
            let content = MEDIA_TYPES.map(|kind| {
                let schema = json!({ "type": "string", "format": "binary" });
                (kind.to_owned(), json!({ "schema": schema }))
            });
            json!({ "required": true, "content": Map::from_iter(content) })
        }
        RequestBody::Nothing => Value::Null,
    }
}

fn security(rule: Rule) -> Value {
    match rule {
        Rule::Public | Rule::Hook => json!([]),
        Rule::OwnerSession | Rule::Session | Rule::OwnerOrEmployee(_) => {
            json!([{ "session": [] }])
        }
        _ => json!([{ "session": [] }, { "key": [] }, { "appKey": [] }]),
    }
}

fn parameters(endpoint: &Endpoint) -> Vec<Value> {
    let names = endpoint.path.split('{').skip(1).filter_map(|rest| rest.split('}').next());
    let of_path = names.filter_map(|name| {
        let (es, en, schema) = placeholder(name)?;
        Some(parameter("path", name, (es, en), &schema))
    });
    let of_query =
        endpoint.query.iter().map(|one| parameter("query", one.name, one.text, &one.schema));
    let idempotency = endpoint.is_idempotent.then(|| {
        let text = (
            "Con la misma clave, la misma solicitud se hace una sola vez.",
            "With the same key the same request is done once.",
        );
        let schema = json!({ "type": "string", "minLength": 1, "maxLength": 255 });
        parameter("header", "Idempotency-Key", text, &schema)
    });
    of_path.chain(of_query).chain(idempotency).collect()
}

fn parameter(place: &str, name: &str, (es, en): (&str, &str), schema: &Value) -> Value {
    json!({
        "in": place,
        "name": name,
        "required": place == "path",
        "description": format!("{es} / {en}"),
        "schema": schema,
    })
}

/// The headers of every answer.
fn headers() -> Value {
    json!({ REQUEST_ID: reference(REQUEST_ID) })
}

fn reference(header: &str) -> Value {
    json!({ "$ref": format!("#/components/headers/{header}") })
}

/// Describes the headers that answers refer to.
fn described_headers() -> Value {
    json!({
        REQUEST_ID: {
            "description":
                "El de la solicitud, si lo traía; está también en el registro del servicio. / That of the request, if it \
                 brought one; it is in the service's log too.",
            "required": true,
            "schema": { "type": "string" },
        },
        RETRY_AFTER: {
            "description":
                "En cuántos segundos pedir lo mismo otra vez. / In how many seconds to ask for the same again.",
            "schema": { "type": "integer", "minimum": 0 },
        },
    })
}

fn responses(endpoint: &Endpoint, shapes: &mut Shapes) -> Value {
    let mut responses = Map::new();
    if let Some(answer) = &endpoint.answer {
        let content = json!({
            "application/json": {
                "schema": shapes.answer(answer),
                "example": answer.example,
            },
        });
        responses.insert(
            "200".to_owned(),
            json!({ "description": "Hecho. / Done.", "headers": headers(), "content": content }),
        );
    }
    let mut by_status: BTreeMap<u16, Vec<Code>> = BTreeMap::new();
    for code in endpoint.refusals() {
        by_status.entry(code.status()).or_default().push(code);
    }
    for (status, codes) in by_status {
        let names: Vec<&str> = codes.iter().map(|code| code.as_str()).collect();
        let schema = shapes.refusal(endpoint.name, status, &codes);
        let mut refusal = json!({
            "description": names.join(", "),
            "headers": headers(),
            "content": { "application/json": { "schema": schema } },
        });
        if MAY_SAY_WHEN.contains(&status) {
            refusal["headers"][RETRY_AFTER] = reference(RETRY_AFTER);
        }
        responses.insert(status.to_string(), refusal);
    }
    responses.into()
}
