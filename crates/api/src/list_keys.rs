//! `GET /me/api-keys`

use axum::extract::State;
use axum::response::Response;
use domain::access::ListMyKeys;
use serde::Serialize;
use web::{Admitted, AppState, Failure, answer};

use crate::wire::{WireKey, say};

#[derive(Serialize)]
struct Answer<'a> {
    message: &'static str,
    api_keys: Vec<WireKey<'a>>,
}

pub(crate) async fn handle(
    admitted: Admitted<ListMyKeys>,
    State(state): State<AppState>,
) -> Result<Response, Failure> {
    let records = app::keys::list(&state.app, &admitted.0).await?;
    let message = say(admitted.language(), "llaves", "keys");
    answer::json(&Answer { message, api_keys: records.iter().map(WireKey::masked).collect() })
}
