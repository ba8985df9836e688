//! `POST /auth/step-up`

use axum::extract::State;
use axum::response::Response;
use domain::access::StepUp;
use domain::refusal::Code;
use domain::time::Timestamp;
use http::Method;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use web::{Admitted, AppState, Failure, JsonBody, answer};

use crate::operation::{Endpoint, Group, Request, Required, SecretKind, request};
use crate::wire::{Shown, say};

request! {
    struct OwnCode {
        /// Seis dígitos del autenticador, o un código de recuperación. / Six digits of the authenticator, or a recovery
        /// code.
        code: Required<SecretKind>,
    }
}

#[derive(Serialize, JsonSchema)]
struct SteppedUp {
    message: &'static str,
    /// Hasta cuándo la sesión puede hacer lo que pide esto. / Until when the session may do what asks for this.
    expires_at: Shown<Timestamp>,
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::strict::<StepUp, _, _>(Method::POST, "/auth/step-up", handle)
        .does(
            Group::Sessions,
            "Confirma con un código que es la persona de la sesión, por diez minutos.",
            "Confirms by a code that it is the session's person, for ten minutes.",
        )
        .takes::<OwnCode>(json!({ "code": "123456" }))
        .answers::<SteppedUp>(json!({
            "message": "confirmado por diez minutos", "expires_at": "2026-11-20T12:10:00.000Z",
        }))
        .refuses(&[Code::Conflict])
}

async fn handle(
    admitted: Admitted<StepUp>,
    State(state): State<AppState>,
    body: JsonBody,
) -> Result<Response, Failure> {
    let OwnCode { code } = OwnCode::read(&body)?;
    let expires_at = app::second_factor::step_up(&state.app, &admitted.0, &code).await?;
    let message =
        say(admitted.language(), "confirmado por diez minutos", "confirmed for ten minutes");
    answer::json(&SteppedUp { message, expires_at: Shown(expires_at) })
}
