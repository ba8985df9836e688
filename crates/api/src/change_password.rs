//! `POST /auth/password`

use axum::extract::State;
use axum::response::Response;
use domain::access::ChangePassword;
use domain::refusal::{Code, Refusal};
use domain::secret::SecretText;
use http::Method;
use serde_json::json;
use web::{Admitted, AppState, Failure, JsonBody, answer};

use crate::operation::{Endpoint, Group, Request, Required, SecretKind, request};
use crate::wire::{PasswordAnswer, say};

request! {
    struct Passwords {
        current_password: Required<SecretKind>,
        /// De 12 bytes en adelante. / From 12 bytes on.
        new_password: Required<SecretKind>,
    }
}

const CHANGED: (&str, &str) = (
    "contraseña cambiada: sus otras sesiones se cerraron",
    "password changed: your other sessions are over",
);

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::strict::<ChangePassword, _, _>(Method::POST, "/auth/password", handle)
        .does(
            Group::Sessions,
            "Cambia la contraseña de quien llama y cierra sus otras sesiones.",
            "Changes the caller's password and ends its other sessions.",
        )
        .takes::<Passwords>(json!({
            "current_password": "made-up password", "new_password": "another made-up password",
        }))
        .answers::<PasswordAnswer<'_>>(PasswordAnswer::example(CHANGED.0))
        .refuses(&[Code::PasswordChangeTryTooFrequent])
}

async fn handle(
    admitted: Admitted<ChangePassword>,
    State(state): State<AppState>,
    body: JsonBody,
) -> Result<Response, Failure> {
    let (current, new) = parse(&body)?;
    state.try_password_change(admitted.0.actor(), admitted.0.now)?;
    let issued = app::sessions::change_password(&state.app, &admitted.0, current, new).await?;
    let message = say(admitted.language(), CHANGED.0, CHANGED.1);
    answer::json(&PasswordAnswer::of(message, &issued))
}

fn parse(body: &JsonBody) -> Result<(SecretText, SecretText), Refusal> {
    let Passwords { current_password, new_password } = Passwords::read(body)?;
    Ok((current_password, new_password))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_passwords_are_needed_as_they_were_typed() {
        let body = r#"{"current_password": " a ", "new_password": "b"}"#;
        let (current, new) = parse(&JsonBody::from(body)).unwrap();
        assert_eq!((current.expose(), new.expose()), (" a ", "b"));
        let Err(Refusal::Validation(details)) = parse(&JsonBody::from("")) else {
            panic!("accepted")
        };
        assert_eq!(details.len(), 2);
    }
}
