//! `POST /v1/api-keys/default/rotate`

use app::keys::Issued;
use axum::extract::State;
use axum::response::Response;
use domain::access::RotateDefaultKey;
use domain::language::Language;
use domain::refusal::Code;
use http::Method;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use web::{Admitted, AppState, Failure, IdempotencyKey, JsonBody, answer};

use crate::operation::{Empty, Endpoint, Group, Request};
use crate::wire::{WireIssued, WireKey, say};

#[derive(Serialize, JsonSchema)]
pub(crate) struct KeyRotated<'a> {
    message: &'static str,
    api_key: WireKey<'a>,
    /// Lo que la llave emitió y sigue vivo, lo más nuevo primero: quien tuvo el texto de antes pudo dejarlo. No termina por
    /// sí solo. / What the key has issued and lives, the newest first: whoever had the former text may have left it. It does
    /// not end by itself.
    issued: Vec<WireIssued<'a>>,
    /// Si hay más de 1.000. / Whether there are more than 1,000.
    more_issued: bool,
}

impl KeyRotated<'_> {
    /// One with made-up data.
    pub(crate) fn example() -> Value {
        let mut key = WireKey::example();
        key["api_key"] = json!("ck_live_0123456789abcdefghijklmnopqrstuvwxyz00");
        let message = "llave rotada: la anterior ya no sirve; guarde esta ahora";
        let issued = [WireIssued::example()];
        json!({ "message": message, "api_key": key, "issued": issued, "more_issued": false })
    }
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::tolerant::<RotateDefaultKey, _, _>(
        Method::POST,
        "/v1/api-keys/default/rotate",
        handle,
    )
    .does(
        Group::Keys,
        "Da otro texto a la llave predeterminada; el anterior deja de servir.",
        "Gives the default key a new text; the former one is over.",
    )
    .takes::<Empty>(json!({}))
    .idempotent()
    .answers::<KeyRotated<'_>>(KeyRotated::example())
    .refuses(&[Code::Conflict])
}

async fn handle(
    admitted: Admitted<RotateDefaultKey>,
    State(state): State<AppState>,
    idempotency_key: IdempotencyKey,
    body: JsonBody,
) -> Result<Response, Failure> {
    Empty::read(&body)?;
    let slot = idempotency_key.slot(&admitted.0, body.bytes());
    let issued = app::keys::rotate_default(&state.app, &admitted.0, slot).await?;
    rotated(admitted.language(), &issued)
}

/// The answer that has a key's new text.
pub(crate) fn rotated(language: Language, issued: &Issued) -> Result<Response, Failure> {
    let text = issued.text.expose().to_owned();
    answer::json(&KeyRotated {
        message: say(
            language,
            "llave rotada: la anterior ya no sirve; guarde esta ahora",
            "key rotated: the former one is over; keep this one now",
        ),
        api_key: WireKey::with_text(&issued.record, text),
        issued: WireIssued::all(&issued.issued),
        more_issued: issued.issued.is_cut,
    })
}
