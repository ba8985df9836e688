//! `GET /api-keys/{api_key_id}`

use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::ShowKey;
use http::Method;
use serde_json::json;
use web::{Admitted, AppState, Failure};

use crate::operation::{Endpoint, Group};
use crate::wire::{KeyAnswer, WireKey, key_id, said_of_key, say};

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::tolerant::<ShowKey, _, _>(Method::GET, "/api-keys/{api_key_id}", handle)
        .does(Group::Keys, "Muestra una llave.", "Shows one key.")
        .answers::<KeyAnswer<'_>>(json!({ "message": "llave", "api_key": WireKey::example() }))
}

pub(crate) async fn handle(
    admitted: Admitted<ShowKey>,
    State(state): State<AppState>,
    Path(id): Path<String>,
) -> Result<Response, Failure> {
    let record = app::keys::show(&state.app, &admitted.0, key_id(&id)?).await?;
    said_of_key(say(admitted.language(), "llave", "key"), &record)
}
