//! `POST /v1/clients`

use app::clients::{ClientName, ClientRecord, ClientRequest};
use axum::extract::State;
use axum::response::Response;
use domain::access::CreateClient;
use domain::language::Language;
use domain::refusal::Refusal;
use domain::text::{EmailAddress, InvalidText};
use serde::Deserialize;
use web::{Admitted, AppState, Failure, Field, Fields, IdempotencyKey, JsonBody, answer};

use crate::wire::{ClientAnswer, WireClient, document, say};

#[derive(Deserialize)]
struct Body<'a> {
    #[serde(borrow)]
    name: Field<'a>,
    #[serde(borrow)]
    email: Field<'a>,
    #[serde(borrow)]
    document: Field<'a>,
    #[serde(borrow)]
    payments_enabled: Field<'a>,
}

pub(crate) async fn handle(
    admitted: Admitted<CreateClient>,
    State(state): State<AppState>,
    idempotency_key: IdempotencyKey,
    body: JsonBody,
) -> Result<Response, Failure> {
    let request = parse(&body)?;
    let slot = idempotency_key.slot(&admitted.0, body.bytes());
    let body = app::clients::create(&state.app, &admitted.0, request, slot, render).await?;
    Ok(answer::bytes(body))
}

fn render(record: &ClientRecord, language: Language) -> Vec<u8> {
    let message = say(language, "cliente creado", "client created");
    let answer = ClientAnswer { message, client: WireClient::of(record) };
    // Text and numbers: writing them as JSON cannot fail.
    serde_json::to_vec(&answer).unwrap_or_default()
}

fn parse(body: &JsonBody) -> Result<ClientRequest, Refusal> {
    let wire: Body<'_> = body.object()?;
    let mut fields = Fields::default();
    let name = fields.required_text("name", wire.name, ClientName::parse);
    let email = fields.text("email", wire.email, email).flatten();
    let document = document(&mut fields, "document", wire.document);
    let payments_enabled = fields.boolean("payments_enabled", wire.payments_enabled);
    let Some(name) = name.filter(|_| fields.are_right()) else { return Err(fields.refusal()) };
    let payments_enabled = payments_enabled.unwrap_or(false);
    Ok(ClientRequest { name, email, document, payments_enabled })
}

/// Empty text is no address.
pub(crate) fn email(text: &str) -> Result<Option<EmailAddress>, InvalidText> {
    match text.trim() {
        "" => Ok(None),
        text => EmailAddress::parse(text).map(Some),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(json: &str) -> Result<ClientRequest, Refusal> {
        parse(&JsonBody::from(json.to_owned()))
    }

    #[test]
    fn a_name_is_enough_and_payments_are_off() {
        for json in [
            r#"{"name": " Sucursal "}"#,
            r#"{"name": "Sucursal", "email": " ", "document": "", "payments_enabled": null}"#,
        ] {
            let request = parsed(json).unwrap();
            assert_eq!(request.name.as_str(), "Sucursal");
            assert!(request.email.is_none() && request.document.is_none());
            assert!(!request.payments_enabled);
        }
    }

    #[test]
    fn every_wrong_field_is_told() {
        let wrong =
            r#"{"name": "a\u202eb", "email": "nobody", "document": "X1", "payments_enabled": 1}"#;
        let Err(Refusal::Validation(details)) = parsed(wrong) else { panic!("accepted") };
        let fields: Vec<&str> = details.iter().map(|detail| detail.field.as_str()).collect();
        assert_eq!(fields, ["name", "email", "document", "payments_enabled"]);
    }
}
