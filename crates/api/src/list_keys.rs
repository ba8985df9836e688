//! `GET /me/api-keys`

use axum::extract::State;
use axum::response::Response;
use domain::access::ListMyKeys;
use http::Method;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use web::{Admitted, AppState, Failure, answer};

use crate::operation::{Endpoint, Group};
use crate::wire::{WireKey, say};

#[derive(Serialize, JsonSchema)]
struct KeysListed<'a> {
    message: &'static str,
    /// Las llaves que ve quien llama. / The keys that the caller sees.
    api_keys: Vec<WireKey<'a>>,
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::tolerant::<ListMyKeys, _, _>(Method::GET, "/me/api-keys", handle)
        .does(
            Group::Keys,
            "Lista las llaves que ve quien llama.",
            "Lists the keys that the caller sees.",
        )
        .answers::<KeysListed<'_>>(json!({ "message": "llaves", "api_keys": [WireKey::example()] }))
}

async fn handle(
    admitted: Admitted<ListMyKeys>,
    State(state): State<AppState>,
) -> Result<Response, Failure> {
    let records = app::keys::list(&state.app, &admitted.0).await?;
    let message = say(admitted.language(), "llaves", "keys");
    answer::json(&KeysListed { message, api_keys: records.iter().map(WireKey::masked).collect() })
}
