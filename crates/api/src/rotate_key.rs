//! `POST /v1/api-keys/{api_key_id}/rotate`

use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::RotateKey;
use domain::refusal::Code;
use http::Method;
use serde_json::json;
use web::{Admitted, AppState, Failure, IdempotencyKey, JsonBody};

use crate::operation::{Empty, Endpoint, Group, Request};
use crate::rotate_default_key::{KeyRotated, rotated};
use crate::wire::key_id;

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::strict::<RotateKey, _, _>(Method::POST, "/v1/api-keys/{api_key_id}/rotate", handle)
        .does(
            Group::Keys,
            "Da otro texto a una llave; el anterior deja de servir.",
            "Gives a key a new text; the former one is over.",
        )
        .takes::<Empty>(json!({}))
        .idempotent()
        .answers::<KeyRotated<'_>>(KeyRotated::example())
        .refuses(&[Code::Conflict, Code::DefaultKeyFixed])
}

async fn handle(
    admitted: Admitted<RotateKey>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    idempotency_key: IdempotencyKey,
    body: JsonBody,
) -> Result<Response, Failure> {
    let (act, id) = (&admitted.0, key_id(&id)?);
    Empty::read(&body)?;
    let slot = idempotency_key.slot(act, body.bytes());
    let issued = app::keys::rotate(&state.app, act, id, slot).await?;
    rotated(admitted.language(), &issued)
}
