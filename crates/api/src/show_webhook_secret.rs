//! `GET /me/webhook-secret`

use axum::extract::State;
use axum::response::Response;
use domain::access::ShowWebhookSecret;
use domain::time::Timestamp;
use domain::webhooks::standard;
use serde::Serialize;
use web::{Admitted, AppState, Failure, answer};

use crate::wire::{Shown, say};

#[derive(Serialize)]
struct Answer<'a> {
    message: &'static str,
    webhook_secret: &'a str,
    /// The same key as libraries of Standard Webhooks take it.
    standard_webhooks_secret: &'a str,
    /// Until when the one of before is good, while it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    previous_valid_until: Option<Shown<Timestamp>>,
}

pub(crate) async fn handle(
    admitted: Admitted<ShowWebhookSecret>,
    State(state): State<AppState>,
) -> Result<Response, Failure> {
    let told = app::webhook_secrets::show(&state.app, &admitted.0).await?;
    let message = say(
        admitted.language(),
        "secreto de los webhooks: guárdelo solo en su servidor",
        "secret of webhooks: keep it on your server alone",
    );
    answer::json(&Answer {
        message,
        webhook_secret: told.secret.expose(),
        standard_webhooks_secret: standard::secret(&told.secret).expose(),
        previous_valid_until: told.previous_until.map(Shown),
    })
}
