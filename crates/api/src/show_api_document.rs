//! `GET /openapi.json`

use std::sync::{Arc, OnceLock};

use axum::extract::State;
use domain::access::ShowApiDocument;
use http::{HeaderMap, Method};
use serde_json::{Map, Value, json};
use web::fixed::Fixed;
use web::{Admitted, AppState};

use crate::operation::{Endpoint, Group};

/// `document` makes the document for an address, which lists this operation too: the list hands it in. A service asks it
/// once.
pub(crate) fn endpoint(document: fn(&str) -> String) -> Endpoint {
    let served: Arc<OnceLock<Fixed>> = Arc::default();
    let handle = move |_: Admitted<ShowApiDocument>,
                       State(state): State<AppState>,
                       headers: HeaderMap| async move {
        let make = || Fixed::new("application/json", document(&state.app.settings.base_url));
        served.get_or_init(make).answer(&headers)
    };
    Endpoint::strict::<ShowApiDocument, _, _>(Method::GET, "/openapi.json", handle)
        .does(
            Group::Service,
            "Muestra este documento: la API en OpenAPI 3.1.",
            "Shows this document: the API in OpenAPI 3.1.",
        )
        .answers::<Map<String, Value>>(json!({ "openapi": "3.1.0" }))
}
