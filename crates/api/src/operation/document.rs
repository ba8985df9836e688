//! The OpenAPI 3.1 document.

use std::collections::BTreeMap;

use domain::access::Rule;
use domain::language::Language::{En, Es};
use domain::logo::MEDIA_TYPES;
use domain::refusal::Code;
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::texts::placeholder;
use super::{Endpoint, Group, RequestBody, events, glossary, reminder_event};

const SCHEMAS: &str = "/components/schemas";

const REQUEST_ID: &str = "X-Request-Id";
const RETRY_AFTER: &str = "Retry-After";

/// The statuses of refusals that may say when to ask again.
const MAY_SAY_WHEN: [u16; 3] = [409, 429, 503];

/// The document of these operations.
pub(crate) fn of(endpoints: &[Endpoint]) -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = SCHEMAS.into();
        settings.meta_schema = None;
    });
    // Answers are written, never read: every field that is always there is required.
    let mut generator = settings.for_serialize().into_generator();
    let mut paths = Map::new();
    for endpoint in endpoints {
        let path = paths.entry(endpoint.path).or_insert_with(|| json!({}));
        let method = endpoint.method.as_str().to_ascii_lowercase();
        path[method] = operation(endpoint, &mut generator);
    }
    let mut webhooks = events::of_links(&mut generator);
    let (reminder, webhook) = reminder_event::webhook();
    webhooks[reminder] = webhook;
    let mut schemas = generator.take_definitions(true);
    schemas.insert("Error".to_owned(), error());
    let (name, schema) = reminder_event::schema();
    schemas.insert(name.to_owned(), schema);
    schemas.values_mut().for_each(glossary::describe);
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
        "tags": Group::ALL.map(tag),
        "paths": paths,
        "webhooks": webhooks,
        "components": {
            "headers": described_headers(),
            "schemas": schemas,
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

fn operation(endpoint: &Endpoint, generator: &mut SchemaGenerator) -> Value {
    let (es, en) = endpoint.summary;
    let (callers_es, callers_en) = endpoint.callers();
    let mut operation = json!({
        "operationId": endpoint.name,
        "tags": [endpoint.group.name()],
        "summary": es,
        "description": format!("{en}\n\nQuién: {callers_es}. / Who: {callers_en}."),
        "security": security(endpoint.rule),
        "responses": responses(endpoint, generator),
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
        let body = request_body(endpoint, request);
        if !body.is_null() {
            operation["requestBody"] = body;
        }
    }
    operation
}

/// The body of a request; `null` where none is described.
fn request_body(endpoint: &Endpoint, request: &RequestBody) -> Value {
    match request {
        RequestBody::Json { schema, example, .. } => {
            let mut schema = schema();
            if endpoint.is_strict {
                schema["additionalProperties"] = false.into();
            }
            if endpoint.needs_a_field() {
                schema["minProperties"] = 1.into();
            }
            json!({
                // Without a body an empty object is read.
                "required": schema.get("required").is_some(),
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

fn responses(endpoint: &Endpoint, generator: &mut SchemaGenerator) -> Value {
    let mut responses = Map::new();
    if let Some(answer) = &endpoint.answer {
        let content = json!({
            "application/json": {
                "schema": (answer.schema)(generator),
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
        // Beside a reference, generators of clients would not look at the codes.
        let of_these = json!({
            "type": "object",
            "required": ["error"],
            "properties": { "error": { "type": "string", "enum": names } },
        });
        let schema = json!({ "allOf": [{ "$ref": format!("#{SCHEMAS}/Error") }, of_these] });
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

/// Every refusal, and what each code means.
fn error() -> Value {
    let codes = Code::ALL.iter().map(|code| {
        json!({
            "const": code.as_str(),
            "description":
                format!("{}: {} / {}", code.status(), code.meaning(Es), code.meaning(En)),
        })
    });
    json!({
        "type": "object",
        "required": ["message", "error", "request_id"],
        "properties": {
            "message": {
                "type": "string",
                "description": "Qué hacer, para personas. / What to do, for people.",
            },
            "error": {
                "description": "El código, para programas. / The code, for programs.",
                "oneOf": codes.collect::<Vec<_>>(),
            },
            "request_id": { "type": "string" },
            "details": {
                "type": "array",
                "description": "Cada campo que hay que corregir. / Every field to correct.",
                "items": {
                    "type": "object",
                    "required": ["field", "problem"],
                    "properties": {
                        "field": { "type": "string" },
                        "problem": { "type": "string" },
                    },
                },
            },
            "facts": {
                "type": "object",
                "description": "Lo que programas pueden usar. / What programs can use.",
                "additionalProperties": true,
            },
        },
    })
}
