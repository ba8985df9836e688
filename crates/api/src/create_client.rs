//! `POST /v1/clients`

use app::clients::{ClientName, ClientRecord, ClientRequest};
use axum::extract::State;
use axum::response::Response;
use domain::access::CreateClient;
use domain::language::Language;
use domain::refusal::Refusal;
use domain::text::EmailAddress;
use http::Method;
use serde_json::json;
use web::{Admitted, AppState, Failure, IdempotencyKey, JsonBody, answer};

use crate::operation::{Endpoint, Group, Loose, Optional, Request, Required, request};
use crate::wire::{ClientAnswer, Dni, WireClient, say};

request! {
    struct NewClient {
        name: Required<ClientName>,
        email: Loose<EmailAddress>,
        document: Dni,
        /// Si sus llaves pueden verificar pagos y crear enlaces; sin él, no pueden. Solo el titular lo
        /// habilita. / Whether its keys may verify payments and make links; without it, they may not. Only the owner
        /// enables it.
        payments_enabled: Optional<bool>,
    }
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::new::<CreateClient, _, _>(Method::POST, "/v1/clients", handle)
        .does(Group::Clients, "Crea un cliente del titular.", "Makes a client of the owner.")
        .takes::<NewClient>(json!({ "name": "Sucursal", "payments_enabled": true }))
        .idempotent()
        .answers::<ClientAnswer<'_>>(ClientAnswer::example("cliente creado"))
}

async fn handle(
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
    let NewClient { name, email, document, payments_enabled } = NewClient::read(body)?;
    let payments_enabled = payments_enabled.unwrap_or(false);
    Ok(ClientRequest { name, email, document, payments_enabled })
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
    fn every_wrong_field_is_reported() {
        let wrong =
            r#"{"name": "a\u0007b", "email": "nobody", "document": "X1", "payments_enabled": 1}"#;
        let Err(Refusal::Validation(details)) = parsed(wrong) else { panic!("accepted") };
        let fields: Vec<&str> = details.iter().map(|detail| detail.field.as_str()).collect();
        assert_eq!(fields, ["name", "email", "document", "payments_enabled"]);
    }
}
