//! `PUT /v1/usersbank/{bank_id}/change-secret`

use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::ChangeBankSecret;
use domain::refusal::{Code, Refusal};
use domain::secret::SecretText;
use http::Method;
use serde_json::json;
use web::{Admitted, AppState, Failure, JsonBody};

use crate::operation::{Endpoint, Group, Request, Required, request};
use crate::wire::{BankSecret, MessageAnswer, bank_id, said_only, say};

request! {
    struct NewSecret {
        /// La clave, la contraseña o el token del banco. / The bank's key, password or token.
        secret: Required<BankSecret>,
    }
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::tolerant::<ChangeBankSecret, _, _>(Method::PUT, "/v1/usersbank/{bank_id}/change-secret", handle)
        .does(Group::Accounts, "Cambia la llave, clave o token con que se llega a una cuenta, si el banco la acepta.", "Changes the key, password or token that a bank account is reached with, if the bank takes it.")
        .takes::<NewSecret>(json!({ "secret": "made-up" }))
        .answers::<MessageAnswer>(json!({ "message": "el banco la aceptó: clave guardada" }))
        .refuses(&[Code::InvalidBankProvider, Code::RequestInProgress, Code::UserBanckBadPassword, Code::BankNotAvailable])
}

async fn handle(
    admitted: Admitted<ChangeBankSecret>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    body: JsonBody,
) -> Result<Response, Failure> {
    let id = bank_id(&id)?;
    let secret = parse(&body)?;
    state.try_bank(admitted.0.owner(), admitted.0.now)?;
    app::accounts::change_secret(&state.app, &admitted.0, id, secret).await?;
    let message =
        say(admitted.language(), "el banco la aceptó: clave guardada", "the bank took it: kept");
    said_only(message)
}

fn parse(body: &JsonBody) -> Result<SecretText, Refusal> {
    NewSecret::read(body).map(|body| body.secret)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_a_text_of_some_length() {
        assert_eq!(
            parse(&JsonBody::from(r#"{"secret": " made-up "}"#)).unwrap().expose(),
            "made-up"
        );
        let long = format!(r#"{{"secret": "{}"}}"#, "x".repeat(1_025));
        for body in ["{}", r#"{"secret": 1}"#, r#"{"secret": " "}"#, r#"{"secret": "a\nb"}"#, &long]
        {
            assert!(parse(&JsonBody::from(body.to_owned())).is_err(), "{body}");
        }
    }
}
