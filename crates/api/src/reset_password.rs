//! `POST /auth/password/reset/confirm`

use axum::extract::State;
use axum::response::Response;
use domain::access::ResetPassword;
use domain::refusal::{Code, Refusal};
use domain::reset::ResetToken;
use domain::secret::SecretText;
use http::Method;
use serde_json::json;
use web::{Admitted, AppState, Failure, JsonBody, answer};

use crate::operation::{Endpoint, Group, Request, Required, SecretKind, request};
use crate::wire::{PasswordAnswer, say};

request! {
    struct PasswordReset {
        /// Lo que está al final de la dirección del enlace. / What stands at the end of the link's address.
        token: Required<SecretKind>,
        /// De 12 bytes en adelante. / From 12 bytes on.
        password: Required<SecretKind>,
    }
}

const CHANGED: (&str, &str) = (
    "contraseña cambiada: inicie sesión con la nueva",
    "password changed: sign in with the new one",
);

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::strict::<ResetPassword, _, _>(Method::POST, "/auth/password/reset/confirm", handle)
        .does(
            Group::Sessions,
            "Pone otra contraseña con un enlace enviado por correo y cierra todas las sesiones de la persona.",
            "Sets another password by a link that was sent by mail, and ends all sessions of the person.",
        )
        .takes::<PasswordReset>(json!({
            "token": "rs_live_0000000000000000000000000100000000000000000000000001\
                      0123456789abcdefghijklmnopqrstuv",
            "password": "made-up password",
        }))
        .answers::<PasswordAnswer<'_>>(PasswordAnswer::example(CHANGED.0))
        .refuses(&[Code::NotFound])
}

async fn handle(
    admitted: Admitted<ResetPassword>,
    State(state): State<AppState>,
    body: JsonBody,
) -> Result<Response, Failure> {
    let (token, password) = parse(&body)?;
    let token = ResetToken::parse(token.expose()).ok_or(Refusal::ResetInvalid)?;
    let issued = app::sessions::reset_password(&state.app, &admitted.0, &token, password).await?;
    let message = say(admitted.language(), CHANGED.0, CHANGED.1);
    answer::json(&PasswordAnswer::of(message, &issued))
}

fn parse(body: &JsonBody) -> Result<(SecretText, SecretText), Refusal> {
    let PasswordReset { token, password } = PasswordReset::read(body)?;
    Ok((token, password))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_and_password_are_needed_as_they_were_typed() {
        let body = JsonBody::from(r#"{"token": "t", "password": " p "}"#);
        let (token, password) = parse(&body).unwrap();
        assert_eq!((token.expose(), password.expose()), ("t", " p "));
        let Err(Refusal::Validation(details)) = parse(&JsonBody::from("")) else {
            panic!("accepted")
        };
        assert_eq!(details.len(), 2);
    }
}
