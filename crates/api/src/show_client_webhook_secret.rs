//! `GET /v1/clients/{client_id}/webhook-secret`

use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::ShowClientWebhookSecret;
use domain::time::Timestamp;
use http::Method;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use web::{Admitted, AppState, Failure, answer};

use crate::operation::{Endpoint, Group};
use crate::wire::{Shown, client_in_path, say};

#[derive(Serialize, JsonSchema)]
struct ClientWebhookSecretShown {
    message: &'static str,
    /// `null` si el cliente no tiene ninguno. El secreto mismo solo se muestra al crearlo. / `null` where the client has
    /// none. The secret itself is shown only when it is made.
    client_webhook_secret: Option<WireClientSecret>,
}

/// Desde cuándo firma el secreto de un cliente. / Since when a client's secret signs.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ClientWebhookSecret")]
struct WireClientSecret {
    created_at: Shown<Timestamp>,
    /// Hasta cuándo sirve el anterior; `null` si no sirve ninguno. / Until when the one of before is good; `null` where none
    /// is.
    previous_valid_until: Option<Shown<Timestamp>>,
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::strict::<ShowClientWebhookSecret, _, _>(
        Method::GET,
        "/v1/clients/{client_id}/webhook-secret",
        handle,
    )
    .does(
        Group::Webhooks,
        "Dice si los avisos de los enlaces de un cliente se firman también para él, y desde cuándo.",
        "Tells whether the webhooks of a client's links are signed for the client, too, and since when.",
    )
    .answers::<ClientWebhookSecretShown>(json!({
        "message": "secreto del cliente",
        "client_webhook_secret": {
            "created_at": "2026-11-20T12:00:00.000Z",
            "previous_valid_until": null,
        },
    }))
}

async fn handle(
    admitted: Admitted<ShowClientWebhookSecret>,
    State(state): State<AppState>,
    Path(id): Path<String>,
) -> Result<Response, Failure> {
    let id = client_in_path(&id)?;
    let standing = app::client_webhook_secrets::show(&state.app, &admitted.0, id).await?;
    answer::json(&ClientWebhookSecretShown {
        message: say(admitted.language(), "secreto del cliente", "the client's secret"),
        client_webhook_secret: standing.map(|standing| WireClientSecret {
            created_at: Shown(standing.created_at),
            previous_valid_until: standing.previous_until.map(Shown),
        }),
    })
}
