//! `GET /api-keys/{api_key_id}`

use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::ShowKey;
use domain::refusal::Refusal;
use serde::Serialize;
use web::{Admitted, AppState, Failure, answer};

use crate::wire::{WireKey, say};

#[derive(Serialize)]
struct Answer<'a> {
    message: &'static str,
    api_key: WireKey<'a>,
}

pub(crate) async fn handle(
    admitted: Admitted<ShowKey>,
    State(state): State<AppState>,
    Path(id): Path<String>,
) -> Result<Response, Failure> {
    let id = id.parse().map_err(|_| Refusal::NotFound("api_key"))?;
    let record = app::keys::show(&state.app, &admitted.0, id).await?;
    let message = say(admitted.language(), "llave", "key");
    answer::json(&Answer { message, api_key: WireKey::masked(&record) })
}
