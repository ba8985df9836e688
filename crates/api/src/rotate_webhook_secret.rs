//! `POST /me/webhook-secret/rotate`

use axum::extract::State;
use axum::response::Response;
use domain::access::RotateWebhookSecret;
use domain::refusal::{Code, Refusal};
use domain::time::Timestamp;
use domain::webhooks::{OVERLAP_HOURS_MAX, Overlap, standard};
use http::Method;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use web::{Admitted, AppState, Failure, IdempotencyKey, JsonBody, answer};

use crate::operation::{Endpoint, Group, Int, Optional, Request, request};
use crate::wire::{Shown, say};

request! {
    pub(crate) struct Rotation {
        /// Por cuánto tiempo sigue firmando también el anterior. / For how long the former one goes on to sign as well.
        overlap_hours: Optional<Int<0, { OVERLAP_HOURS_MAX as i64 }>>,
    }
}

#[derive(Serialize, JsonSchema)]
struct WebhookSecretRotated<'a> {
    message: &'static str,
    webhook_secret: &'a str,
    /// La misma clave como la toman las bibliotecas de Standard Webhooks. / The same key as libraries of Standard
    /// Webhooks take it.
    standard_webhooks_secret: &'a str,
    /// `null` donde el anterior ya venció, o no hubo ninguno. / Null where the one of before is over, or there was
    /// none.
    previous_valid_until: Option<Shown<Timestamp>>,
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::strict::<RotateWebhookSecret, _, _>(Method::POST, "/me/webhook-secret/rotate", handle)
        .does(
            Group::Webhooks,
            "Da a los avisos del titular otro secreto.",
            "Gives the owner's webhooks another secret.",
        )
        .takes::<Rotation>(json!({ "overlap_hours": 24 }))
        .idempotent()
        .answers::<WebhookSecretRotated<'_>>(json!({
            "message": "secreto nuevo: póngalo en su servidor antes de que venza el anterior",
            "webhook_secret": "made-up",
            "standard_webhooks_secret": "whsec_bWFkZS11cA==",
            "previous_valid_until": "2026-11-21T12:00:00.000Z",
        }))
        .refuses(&[Code::Conflict])
}

async fn handle(
    admitted: Admitted<RotateWebhookSecret>,
    State(state): State<AppState>,
    idempotency_key: IdempotencyKey,
    body: JsonBody,
) -> Result<Response, Failure> {
    let overlap = overlap(&body)?;
    let slot = idempotency_key.slot(&admitted.0, body.bytes());
    let rotated = app::webhook_secrets::rotate(&state.app, &admitted.0, overlap, slot).await?;
    let message = match rotated.previous_until {
        Some(_) => say(
            admitted.language(),
            "secreto nuevo: póngalo en su servidor antes de que venza el anterior",
            "new secret: put it on your server before the former one is over",
        ),
        None => say(
            admitted.language(),
            "secreto nuevo: póngalo en su servidor ahora, el anterior ya no firma",
            "new secret: put it on your server now, the former one signs no more",
        ),
    };
    answer::json(&WebhookSecretRotated {
        message,
        webhook_secret: rotated.secret.expose(),
        standard_webhooks_secret: standard::secret(&rotated.secret).expose(),
        previous_valid_until: rotated.previous_until.map(Shown),
    })
}

/// Reads how long the former secret is good besides.
pub(crate) fn overlap(body: &JsonBody) -> Result<Overlap, Refusal> {
    let Rotation { overlap_hours } = Rotation::read(body)?;
    Ok(overlap_hours.and_then(Overlap::of_hours).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_are_whole_and_a_week_at_most() {
        let parsed = |json: &str| overlap(&JsonBody::from(json.to_owned()));
        for (json, hours) in [
            ("{}", 24),
            (r#"{"overlap_hours": null}"#, 24),
            (r#"{"overlap_hours": 0}"#, 0),
            (r#"{"overlap_hours": 1.0}"#, 1),
            (r#"{"overlap_hours": 168}"#, 168),
        ] {
            assert_eq!(parsed(json).unwrap(), Overlap::of_hours(hours).unwrap(), "{json}");
        }
        for hours in ["-1", "169", "0.5", "\"24\"", "true", "[]", "1e400"] {
            assert!(parsed(&format!(r#"{{"overlap_hours": {hours}}}"#)).is_err(), "{hours}");
        }
    }
}
