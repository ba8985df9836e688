//! `DELETE /v1/clients/{client_id}/webhook-secret`

use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::RevokeClientWebhookSecret;
use http::Method;
use serde_json::json;
use web::{Admitted, AppState, Failure};

use crate::operation::{EmptyBody, Endpoint, Group};
use crate::wire::{MessageAnswer, client_in_path, said_only, say};

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::strict::<RevokeClientWebhookSecret, _, _>(
        Method::DELETE,
        "/v1/clients/{client_id}/webhook-secret",
        handle,
    )
    .does(
        Group::Webhooks,
        "Revoca el secreto de un cliente: sus avisos llevan desde ahora solo la firma del titular.",
        "Revokes a client's secret: from now on its webhooks bear the owner's signature alone.",
    )
    .takes_nothing()
    .answers::<MessageAnswer>(json!({ "message": "secreto del cliente revocado" }))
}

async fn handle(
    admitted: Admitted<RevokeClientWebhookSecret>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    _: EmptyBody,
) -> Result<Response, Failure> {
    let id = client_in_path(&id)?;
    app::client_webhook_secrets::revoke(&state.app, &admitted.0, id).await?;
    said_only(say(
        admitted.language(),
        "secreto del cliente revocado",
        "the client's secret was revoked",
    ))
}
