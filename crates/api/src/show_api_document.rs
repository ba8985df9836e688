//! `GET /openapi.json`

use std::sync::LazyLock;

use axum::response::Response;
use domain::access::ShowApiDocument;
use http::{HeaderMap, Method};
use serde_json::{Map, Value, json};
use web::Admitted;
use web::fixed::Fixed;

use crate::operation::{Endpoint, Group, openapi};

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::new::<ShowApiDocument, _, _>(Method::GET, "/openapi.json", handle)
        .does(
            Group::Service,
            "Muestra este documento: la API en OpenAPI 3.1.",
            "Shows this document: the API in OpenAPI 3.1.",
        )
        .answers::<Map<String, Value>>(json!({ "openapi": "3.1.0" }))
}

async fn handle(_: Admitted<ShowApiDocument>, headers: HeaderMap) -> Response {
    static DOCUMENT: LazyLock<Fixed> = LazyLock::new(|| Fixed::new("application/json", openapi()));
    DOCUMENT.answer(&headers)
}
