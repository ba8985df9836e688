//! `POST /auth/email/confirm`

use axum::extract::State;
use axum::response::Response;
use domain::access::ConfirmEmail;
use domain::email_change::EmailChangeToken;
use domain::refusal::{Code, Refusal};
use http::Method;
use serde_json::json;
use web::{Admitted, AppState, Failure, JsonBody};

use crate::operation::{Endpoint, Group, Request, Required, SecretKind, request};
use crate::wire::{MessageAnswer, said_only, say};

request! {
    struct EmailConfirmation {
        /// Lo que está al final de la dirección del enlace. / What stands at the end of the link's address.
        token: Required<SecretKind>,
    }
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::strict::<ConfirmEmail, _, _>(Method::POST, "/auth/email/confirm", handle)
        .does(
            Group::Sessions,
            "Confirma el correo nuevo con el enlace que recibió y cierra las otras sesiones de la persona.",
            "Confirms the new address by the link that it got, and ends the person's other sessions.",
        )
        .takes::<EmailConfirmation>(json!({
            "token": "ec_live_0000000000000000000000000100000000000000000000000001\
                      0123456789abcdefghijklmnopqrstuv",
        }))
        .answers::<MessageAnswer>(json!({ "message": "correo cambiado: inicie sesión con el nuevo" }))
        .refuses(&[Code::NotFound, Code::Conflict, Code::RequestInProgress])
}

async fn handle(
    admitted: Admitted<ConfirmEmail>,
    State(state): State<AppState>,
    body: JsonBody,
) -> Result<Response, Failure> {
    let EmailConfirmation { token } = EmailConfirmation::read(&body)?;
    let token = EmailChangeToken::parse(token.expose()).ok_or(Refusal::EmailChangeInvalid)?;
    app::sessions::confirm_email(&state.app, &admitted.0, &token).await?;
    said_only(say(
        admitted.language(),
        "correo cambiado: inicie sesión con el nuevo",
        "e-mail address changed: sign in with the new one",
    ))
}
