//! `POST /auth/totp/confirm`

use app::second_factor::RecoveryCodes;
use axum::extract::State;
use axum::response::Response;
use domain::access::ConfirmSecondFactor;
use domain::refusal::Code;
use http::Method;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use web::{Admitted, AppState, Failure, JsonBody, answer};

use crate::operation::{Endpoint, Group, Request, Required, SecretKind, request};
use crate::wire::say;

request! {
    struct FirstCode {
        /// Seis dígitos del autenticador. / Six digits of the authenticator.
        code: Required<SecretKind>,
    }
}

/// Códigos de recuperación, cada uno para entrar o probar quién es una vez sin el autenticador. / Recovery codes, each
/// for one sign-in or proof without the authenticator.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "RecoveryCodesTold")]
pub(crate) struct ShownRecoveryCodes {
    message: &'static str,
    /// Se muestran esta única vez. / Shown this once.
    recovery_codes: Vec<String>,
}

impl ShownRecoveryCodes {
    /// Some with made-up data.
    pub(crate) fn example(message: &str) -> Value {
        json!({
            "message": message,
            "recovery_codes": ["made-upma-deup-made", "made-upma-deup-madf"],
        })
    }

    /// The answer that shows them.
    pub(crate) fn answer(
        message: &'static str,
        codes: &RecoveryCodes,
    ) -> Result<Response, Failure> {
        let recovery_codes = codes.iter().map(|code| code.shown().expose().to_owned()).collect();
        answer::json(&Self { message, recovery_codes })
    }
}

pub(crate) fn endpoint() -> Endpoint {
    let message = "segundo factor activo: guarde los códigos de recuperación";
    Endpoint::strict::<ConfirmSecondFactor, _, _>(Method::POST, "/auth/totp/confirm", handle)
        .does(
            Group::Sessions,
            "Activa el segundo factor con su primer código y cierra las otras sesiones de quien llama.",
            "Activates the second factor by its first code and ends the caller's other sessions.",
        )
        .takes::<FirstCode>(json!({ "code": "123456" }))
        .answers::<ShownRecoveryCodes>(ShownRecoveryCodes::example(message))
        .refuses(&[Code::Conflict])
}

async fn handle(
    admitted: Admitted<ConfirmSecondFactor>,
    State(state): State<AppState>,
    body: JsonBody,
) -> Result<Response, Failure> {
    let FirstCode { code } = FirstCode::read(&body)?;
    let codes = app::second_factor::confirm(&state.app, &admitted.0, &code).await?;
    let message = say(
        admitted.language(),
        "segundo factor activo: guarde los códigos de recuperación",
        "second factor active: keep the recovery codes",
    );
    ShownRecoveryCodes::answer(message, &codes)
}
