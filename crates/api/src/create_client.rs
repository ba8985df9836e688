//! `POST /v1/clients`

use app::clients::{ClientName, ClientRecord, ClientRequest};
use axum::extract::State;
use axum::response::Response;
use domain::access::CreateClient;
use domain::ids::BankId;
use domain::language::Language;
use domain::money::Credits;
use domain::refusal::{Code, Refusal};
use domain::text::EmailAddress;
use http::Method;
use serde_json::json;
use web::{Admitted, AppState, Failure, IdempotencyKey, JsonBody, answer};

use crate::operation::{
    Endpoint, Group, List, Loose, Optional, Request, Required, TextOf, request,
};
use crate::wire::{ClientAnswer, Dni, SELECTION_MAX, WireClient, say, selection};

request! {
    struct NewClient {
        name: Required<ClientName>,
        email: Loose<EmailAddress>,
        document: Dni,
        /// Si sus llaves pueden verificar pagos y crear enlaces; sin él, no pueden. Solo el titular lo
        /// habilita. / Whether its keys may verify payments and make links; without it, they may not. Only the owner
        /// enables it.
        payments_enabled: Optional<bool>,
        /// El cupo mensual que comparten sus llaves; sin él, ninguno. Solo el titular lo da. / The monthly quota that its
        /// keys share; without it, none. Only the owner gives it.
        monthly_credit_limit: Optional<Credits>,
        /// Las cuentas bancarias del titular que pasan a ser del cliente; las de otro cliente se mueven con
        /// `PUT /v1/usersbank/{bank_id}/client`. Solo el titular las da. / The owner's bank accounts that become the
        /// client's; those of another client are moved by `PUT /v1/usersbank/{bank_id}/client`. Only the owner gives them.
        user_banks: Optional<List<TextOf<BankId>, SELECTION_MAX>>,
    }
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::strict::<CreateClient, _, _>(Method::POST, "/v1/clients", handle)
        .does(Group::Clients, "Crea un cliente del titular.", "Makes a client of the owner.")
        .takes::<NewClient>(json!({ "name": "Sucursal Este", "payments_enabled": true }))
        .set_elsewhere(&[("is_active", &["PATCH /v1/clients/{client_id}"])])
        .idempotent()
        .answers::<ClientAnswer<'_>>(ClientAnswer::example("cliente creado"))
        .refuses(&[Code::AccountNotInClient, Code::Conflict])
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
    let new = NewClient::read(body)?;
    Ok(ClientRequest {
        name: new.name,
        email: new.email,
        document: new.document,
        payments_enabled: new.payments_enabled.unwrap_or(false),
        monthly_credit_limit: new.monthly_credit_limit,
        accounts: selection(&new.user_banks.unwrap_or_default())?,
    })
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
