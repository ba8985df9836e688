//! `PUT /auth/email`

use app::sessions::Wished;
use axum::extract::State;
use axum::response::Response;
use domain::access::ChangeEmail;
use domain::refusal::{Code, Refusal};
use domain::secret::SecretText;
use domain::text::EmailAddress;
use http::Method;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use web::{Admitted, AppState, Failure, JsonBody, answer};

use crate::operation::{Endpoint, Group, Request, Required, SecretKind, request};
use crate::wire::say;

request! {
    struct EmailWish {
        /// Con qué quiere entrar quien llama. / What the caller wants to sign in with.
        email: Required<EmailAddress>,
        /// La clave actual de quien llama. / The caller's present password.
        password: Required<SecretKind>,
    }
}

#[derive(Serialize, JsonSchema)]
struct EmailAnswer {
    message: &'static str,
    /// Si la dirección nueva ya tiene un enlace que la confirma. Si no, ya sirve para entrar. / Whether the new address
    /// has a link by now that confirms it. Otherwise it signs in already.
    is_pending: bool,
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::strict::<ChangeEmail, _, _>(Method::PUT, "/auth/email", handle)
        .does(
            Group::Sessions,
            "Cambia el correo con que inicia sesión quien llama y cierra sus otras sesiones. Si el servicio envía \
             correo, el cambio se hace cuando se confirma el enlace que recibe el correo nuevo.",
            "Changes the address that the caller signs in with and ends its other sessions. Where the service sends \
             mail, the change happens once the link is confirmed that the new address gets.",
        )
        .takes::<EmailWish>(json!({
            "email": "ana.nueva@tienda.example", "password": "made-up password",
        }))
        .answers::<EmailAnswer>(json!({
            "message": "le enviamos un enlace al correo nuevo: confírmelo para usarlo",
            "is_pending": true,
        }))
        .refuses(&[Code::Conflict, Code::RequestInProgress])
}

async fn handle(
    admitted: Admitted<ChangeEmail>,
    State(state): State<AppState>,
    body: JsonBody,
) -> Result<Response, Failure> {
    let (email, password) = parse(&body)?;
    state.try_password(admitted.0.actor(), admitted.0.now)?;
    let wished = app::sessions::change_email(&state.app, &admitted.0, email, &password).await?;
    let language = admitted.language();
    answer::json(&match wished {
        Wished::Waits => EmailAnswer {
            message: say(
                language,
                "le enviamos un enlace al correo nuevo: confírmelo para usarlo",
                "a link is on its way to the new address: confirm it to use it",
            ),
            is_pending: true,
        },
        Wished::Changed => EmailAnswer {
            message: say(
                language,
                "correo cambiado: sus otras sesiones se cerraron",
                "e-mail address changed: your other sessions are over",
            ),
            is_pending: false,
        },
    })
}

fn parse(body: &JsonBody) -> Result<(EmailAddress, SecretText), Refusal> {
    let EmailWish { email, password } = EmailWish::read(body)?;
    Ok((email, password))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_and_password_are_needed() {
        let body = r#"{"email": " Ana@Tienda.example", "password": " p "}"#;
        let (email, password) = parse(&JsonBody::from(body)).unwrap();
        assert_eq!((email.as_str(), password.expose()), ("ana@tienda.example", " p "));
        let Err(Refusal::Validation(details)) = parse(&JsonBody::from(r#"{"email": "ana"}"#))
        else {
            panic!("accepted")
        };
        assert_eq!(details.len(), 2);
    }
}
