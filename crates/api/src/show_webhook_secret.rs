//! `GET /me/webhook-secret`

use axum::extract::State;
use axum::response::Response;
use domain::access::ShowWebhookSecret;
use domain::time::Timestamp;
use domain::webhooks::standard;
use http::Method;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use web::{Admitted, AppState, Failure, answer};

use crate::operation::{Endpoint, Group};
use crate::wire::{Shown, say};

#[derive(Serialize, JsonSchema)]
struct WebhookSecretShown<'a> {
    message: &'static str,
    webhook_secret: &'a str,
    /// La misma clave como la toman las bibliotecas de Standard Webhooks. / The same key as libraries of Standard
    /// Webhooks take it.
    standard_webhooks_secret: &'a str,
    /// Hasta cuándo sirve el anterior, mientras sirva. / Until when the one of before is good, while it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    previous_valid_until: Option<Shown<Timestamp>>,
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::tolerant::<ShowWebhookSecret, _, _>(Method::GET, "/me/webhook-secret", handle)
        .does(
            Group::Webhooks,
            "Dice con qué se firman los avisos del titular.",
            "Tells what the owner's webhooks are signed with.",
        )
        .answers::<WebhookSecretShown<'_>>(json!({
            "message": "secreto de los webhooks: guárdelo solo en su servidor",
            "webhook_secret": "made-up",
            "standard_webhooks_secret": "whsec_bWFkZS11cA==",
        }))
}

async fn handle(
    admitted: Admitted<ShowWebhookSecret>,
    State(state): State<AppState>,
) -> Result<Response, Failure> {
    let found = app::webhook_secrets::show(&state.app, &admitted.0).await?;
    let message = say(
        admitted.language(),
        "secreto de los webhooks: guárdelo solo en su servidor",
        "secret of webhooks: keep it on your server alone",
    );
    answer::json(&WebhookSecretShown {
        message,
        webhook_secret: found.secret.expose(),
        standard_webhooks_secret: standard::secret(&found.secret).expose(),
        previous_valid_until: found.previous_until.map(Shown),
    })
}
