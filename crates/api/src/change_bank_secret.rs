//! `PUT /v1/usersbank/{bank_id}/change-secret`

use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::ChangeBankSecret;
use domain::refusal::Refusal;
use domain::secret::SecretText;
use serde::Deserialize;
use web::{Admitted, AppState, Failure, Field, Fields, JsonBody};

use crate::link_account::bank_secret;
use crate::wire::{bank_id, said_only, say};

#[derive(Deserialize)]
struct Body<'a> {
    #[serde(borrow)]
    secret: Field<'a>,
}

pub(crate) async fn handle(
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
    let wire: Body<'_> = body.object()?;
    let mut fields = Fields::default();
    fields.required_text("secret", wire.secret, bank_secret).ok_or_else(|| fields.refusal())
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
