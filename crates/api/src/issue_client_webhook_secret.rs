//! `POST /v1/clients/{client_id}/webhook-secret`

use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::IssueClientWebhookSecret;
use domain::refusal::Code;
use domain::time::Timestamp;
use http::Method;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use web::{Admitted, AppState, Failure, IdempotencyKey, JsonBody, answer};

use crate::operation::{Endpoint, Group};
use crate::rotate_webhook_secret::{Rotation, overlap};
use crate::wire::{Shown, client_in_path, say};

#[derive(Serialize, JsonSchema)]
struct ClientWebhookSecretIssued<'a> {
    message: &'static str,
    /// Se muestra esta única vez. / Shown this once.
    webhook_secret: &'a str,
    /// `null` donde el anterior ya venció, o no hubo ninguno. / Null where the one of before is over, or there was
    /// none.
    previous_valid_until: Option<Shown<Timestamp>>,
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::strict::<IssueClientWebhookSecret, _, _>(
        Method::POST,
        "/v1/clients/{client_id}/webhook-secret",
        handle,
    )
    .does(
        Group::Webhooks,
        "Da a un cliente el secreto con que sus receptores verifican los avisos de sus enlaces, u otro en su lugar.",
        "Gives a client the secret by which its receivers check the webhooks of its links, or another in its place.",
    )
    .takes::<Rotation>(json!({ "overlap_hours": 24 }))
    .idempotent()
    .answers::<ClientWebhookSecretIssued<'_>>(json!({
        "message": "secreto del cliente: guárdelo ahora, no se muestra otra vez",
        "webhook_secret": "made-up",
        "previous_valid_until": null,
    }))
    .refuses(&[Code::Conflict])
}

async fn handle(
    admitted: Admitted<IssueClientWebhookSecret>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    idempotency_key: IdempotencyKey,
    body: JsonBody,
) -> Result<Response, Failure> {
    let (id, overlap) = (client_in_path(&id)?, overlap(&body)?);
    let slot = idempotency_key.slot(&admitted.0, body.bytes());
    let issued =
        app::client_webhook_secrets::issue(&state.app, &admitted.0, id, overlap, slot).await?;
    let message = match issued.previous_until {
        Some(_) => say(
            admitted.language(),
            "secreto nuevo del cliente: guárdelo ahora, y póngalo en su servidor antes de que venza el anterior",
            "the client's new secret: keep it now, and put it on the server before the former one is over",
        ),
        None => say(
            admitted.language(),
            "secreto del cliente: guárdelo ahora, no se muestra otra vez",
            "the client's secret: keep it now, it is not shown again",
        ),
    };
    answer::json(&ClientWebhookSecretIssued {
        message,
        webhook_secret: issued.secret.expose(),
        previous_valid_until: issued.previous_until.map(Shown),
    })
}
