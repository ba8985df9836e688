//! `DELETE /v1/api-keys/{api_key_id}`

use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::RevokeKey;
use web::{Admitted, AppState, Failure};

use crate::wire::{key_id, said_of_key, say};

pub(crate) async fn handle(
    admitted: Admitted<RevokeKey>,
    State(state): State<AppState>,
    Path(id): Path<String>,
) -> Result<Response, Failure> {
    let record = app::keys::revoke(&state.app, &admitted.0, key_id(&id)?).await?;
    let message = say(
        admitted.language(),
        "llave revocada: ya no abre nada, y su historial queda",
        "key revoked: it opens nothing any more, and its history stays",
    );
    said_of_key(message, &record)
}
