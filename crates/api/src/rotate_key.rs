//! `POST /v1/api-keys/{api_key_id}/rotate`

use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::RotateKey;
use serde::Deserialize;
use web::{Admitted, AppState, Failure, IdempotencyKey, JsonBody};

use crate::rotate_default_key::rotated;
use crate::wire::key_id;

/// An empty object.
#[derive(Deserialize)]
struct Body {}

pub(crate) async fn handle(
    admitted: Admitted<RotateKey>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    idempotency_key: IdempotencyKey,
    body: JsonBody,
) -> Result<Response, Failure> {
    let (act, id) = (&admitted.0, key_id(&id)?);
    let Body {} = body.object()?;
    let slot = idempotency_key.slot(act, body.bytes());
    let issued = app::keys::rotate(&state.app, act, id, slot).await?;
    rotated(admitted.language(), &issued)
}
