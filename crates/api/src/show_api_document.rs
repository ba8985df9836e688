//! `GET /openapi.json`

use std::sync::OnceLock;

use axum::response::Response;
use domain::access::ShowApiDocument;
use http::{HeaderMap, Method};
use serde_json::{Map, Value, json};
use web::Admitted;
use web::fixed::Fixed;

use crate::operation::{Endpoint, Group};

/// `document` makes the document, which lists this operation too: the list hands it in. It is asked once in a process.
pub(crate) fn endpoint(document: fn() -> &'static str) -> Endpoint {
    let handle = move |_: Admitted<ShowApiDocument>, headers: HeaderMap| async move {
        answer(document, &headers)
    };
    Endpoint::strict::<ShowApiDocument, _, _>(Method::GET, "/openapi.json", handle)
        .does(
            Group::Service,
            "Muestra este documento: la API en OpenAPI 3.1.",
            "Shows this document: the API in OpenAPI 3.1.",
        )
        .answers::<Map<String, Value>>(json!({ "openapi": "3.1.0" }))
}

fn answer(document: fn() -> &'static str, headers: &HeaderMap) -> Response {
    static DOCUMENT: OnceLock<Fixed> = OnceLock::new();
    DOCUMENT.get_or_init(|| Fixed::new("application/json", document())).answer(headers)
}
