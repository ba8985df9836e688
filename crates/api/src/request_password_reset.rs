//! `POST /auth/password/reset`

use axum::extract::State;
use axum::response::Response;
use domain::access::RequestPasswordReset;
use domain::refusal::{Code, Refusal};
use domain::text::EmailAddress;
use http::Method;
use serde_json::json;
use web::{Admitted, AppState, Failure, JsonBody};

use crate::operation::{Endpoint, Group, Request, Required, request};
use crate::wire::{MessageAnswer, said_only, say};

request! {
    struct ResetRequest {
        /// Con qué entra la persona. / What the person signs in with.
        email: Required<EmailAddress>,
    }
}

const SAID_ES: &str = "si con ese correo se inicia sesión, le llega un enlace que sirve una hora";

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::strict::<RequestPasswordReset, _, _>(Method::POST, "/auth/password/reset", handle)
        .does(
            Group::Sessions,
            "Envía por correo un enlace para elegir otra contraseña. La respuesta es igual exista o no la cuenta.",
            "Sends a link to choose another password by mail. The answer is the same whether the account exists or not.",
        )
        .takes::<ResetRequest>(json!({ "email": "ana@tienda.example" }))
        .answers::<MessageAnswer>(json!({ "message": SAID_ES }))
        .refuses(&[Code::Conflict])
}

async fn handle(
    admitted: Admitted<RequestPasswordReset>,
    State(state): State<AppState>,
    body: JsonBody,
) -> Result<Response, Failure> {
    app::sessions::request_reset(&state.app, &admitted.0, parse(&body)?)?;
    said_only(say(
        admitted.language(),
        SAID_ES,
        "if somebody signs in with that address, a link that works for an hour is on its way",
    ))
}

fn parse(body: &JsonBody) -> Result<EmailAddress, Refusal> {
    let ResetRequest { email } = ResetRequest::read(body)?;
    Ok(email)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_needed() {
        let email = parse(&JsonBody::from(r#"{"email": " Ana@Tienda.example"}"#)).unwrap();
        assert_eq!(email.as_str(), "ana@tienda.example");
        for wrong in ["", r#"{"email": "ana"}"#, r#"{"email": 1}"#] {
            let refused = parse(&JsonBody::from(wrong)).unwrap_err();
            assert_eq!(refused.code(), Code::ValidationError, "{wrong}");
        }
    }
}
