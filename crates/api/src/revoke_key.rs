//! `DELETE /v1/api-keys/{api_key_id}`

use app::lineage::WithIssued;
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::RevokeKey;
use domain::refusal::Code;
use http::{Method, Uri};
use serde_json::json;
use web::{Admitted, AppState, Failure};

use crate::operation::{EmptyBody, Endpoint, Group, Query};
use crate::wire::{KeyAnswer, WireKey, key_id, said_of_key, say};

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::strict::<RevokeKey, _, _>(Method::DELETE, "/v1/api-keys/{api_key_id}", handle)
        .does(Group::Keys, "Revoca una llave para siempre; su historial queda.", "Revokes a key for good; its history stays.")
        .query::<WithIssued>()
        .takes_nothing()
        .answers::<KeyAnswer<'_>>(json!({ "message": "llave revocada: ya no abre nada, y su historial queda", "api_key": WireKey::example() }))
        .refuses(&[Code::DefaultKeyFixed, Code::Conflict])
}

async fn handle(
    admitted: Admitted<RevokeKey>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    uri: Uri,
    _: EmptyBody,
) -> Result<Response, Failure> {
    let (id, with) = (key_id(&id)?, WithIssued::read(&uri)?);
    let record = app::keys::revoke(&state.app, &admitted.0, id, with).await?;
    let message = say(
        admitted.language(),
        "llave revocada: ya no abre nada, y su historial queda",
        "key revoked: it opens nothing any more, and its history stays",
    );
    said_of_key(message, &record)
}
