//! `GET /me/webhook-secret`

use axum::extract::State;
use axum::response::Response;
use domain::access::ShowWebhookSecret;
use domain::webhooks::standard;
use serde::Serialize;
use web::{Admitted, AppState, Failure, answer};

use crate::wire::say;

#[derive(Serialize)]
struct Answer<'a> {
    message: &'static str,
    webhook_secret: &'a str,
    /// The same key as libraries of Standard Webhooks take it.
    standard_webhooks_secret: &'a str,
}

pub(crate) async fn handle(
    admitted: Admitted<ShowWebhookSecret>,
    State(state): State<AppState>,
) -> Result<Response, Failure> {
    let secret = app::webhooks::show_secret(&state.app, &admitted.0).await?;
    let message = say(
        admitted.language(),
        "secreto de los webhooks: guárdelo solo en su servidor",
        "secret of webhooks: keep it on your server alone",
    );
    answer::json(&Answer {
        message,
        webhook_secret: secret.expose(),
        standard_webhooks_secret: standard::secret(&secret).expose(),
    })
}
