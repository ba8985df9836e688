//! `POST /auth/invitations/accept`

use app::employees::{Acceptance, EmployeeName};
use axum::extract::State;
use axum::response::Response;
use domain::access::AcceptInvitation;
use domain::invitation::InvitationToken;
use domain::refusal::{Code, Refusal};
use domain::secret::SecretText;
use http::Method;
use serde_json::json;
use web::{Admitted, AppState, Failure, JsonBody};

use crate::operation::{Endpoint, Group, Optional, Request, Required, SecretKind, request};
use crate::wire::{MessageAnswer, said_only, say};

request! {
    struct InvitationAnswer {
        /// Lo que está al final de la dirección de la invitación. / What stands at the end of the invitation's address.
        token: Required<SecretKind>,
        /// De 12 bytes en adelante. / From 12 bytes on.
        password: Required<SecretKind>,
        /// El nombre de la persona, donde no es el que puso quien la invitó. / The person's name, where it is not the
        /// one that the inviter gave.
        name: Optional<EmployeeName>,
    }
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::strict::<AcceptInvitation, _, _>(Method::POST, "/auth/invitations/accept", handle)
        .does(
            Group::Sessions,
            "Acepta una invitación: la persona elige su contraseña y desde entonces puede iniciar sesión.",
            "Accepts an invitation: the person chooses a password and can sign in from then on.",
        )
        .takes::<InvitationAnswer>(json!({
            "token": "iv_live_0123456789abcdefghijklmnopqrstuv", "password": "made-up password",
        }))
        .answers::<MessageAnswer>(json!({ "message": "invitación aceptada: ya puede iniciar sesión" }))
        .refuses(&[Code::NotFound, Code::Conflict, Code::RequestInProgress])
}

async fn handle(
    admitted: Admitted<AcceptInvitation>,
    State(state): State<AppState>,
    body: JsonBody,
) -> Result<Response, Failure> {
    let (token, acceptance) = parse(&body)?;
    let token = InvitationToken::parse(token.expose()).ok_or(Refusal::InvitationInvalid)?;
    app::employees::accept(&state.app, &admitted.0, &token, acceptance).await?;
    said_only(say(
        admitted.language(),
        "invitación aceptada: ya puede iniciar sesión",
        "invitation accepted: you can sign in now",
    ))
}

fn parse(body: &JsonBody) -> Result<(SecretText, Acceptance), Refusal> {
    let InvitationAnswer { token, password, name } = InvitationAnswer::read(body)?;
    Ok((token, Acceptance { name, password }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_and_password_are_needed_and_a_name_may_be_there() {
        let body = JsonBody::from(r#"{"token": "t", "password": " p ", "name": null}"#);
        let (token, acceptance) = parse(&body).unwrap();
        assert_eq!((token.expose(), acceptance.password.expose()), ("t", " p "));
        assert!(acceptance.name.is_none());
        let Err(Refusal::Validation(details)) = parse(&JsonBody::from("")) else {
            panic!("accepted")
        };
        assert_eq!(details.len(), 2);
    }
}
