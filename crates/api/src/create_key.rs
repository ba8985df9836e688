//! `POST /auth/api-key`

use std::convert::Infallible;

use app::keys::{KeyName, KeyRequest};
use axum::extract::State;
use axum::response::Response;
use domain::access::CreateKey;
use domain::permissions::{Permission, Permissions};
use domain::refusal::Refusal;
use serde::{Deserialize, Serialize};
use web::{Admitted, AppState, Failure, Field, Fields, IdempotencyKey, JsonBody, answer};

use crate::wire::{WireKey, say};

/// How many accounts a selection may name; more than an owner may link.
const SELECTION_MAX: usize = 1_000;

/// How many permissions may be named; more than there are.
const PERMISSIONS_MAX: usize = 100;

#[derive(Deserialize)]
struct Body<'a> {
    #[serde(borrow)]
    name: Field<'a>,
    #[serde(borrow)]
    user_id: Field<'a>,
    #[serde(borrow)]
    client_owner_id: Field<'a>,
    #[serde(borrow)]
    user_banks: Field<'a>,
    #[serde(borrow)]
    permissions: Field<'a>,
}

#[derive(Serialize)]
struct Answer<'a> {
    message: &'static str,
    api_key: WireKey<'a>,
}

pub(crate) async fn handle(
    admitted: Admitted<CreateKey>,
    State(state): State<AppState>,
    idempotency_key: IdempotencyKey,
    body: JsonBody,
) -> Result<Response, Failure> {
    let request = parse(&body)?;
    let slot = idempotency_key.slot(&admitted.0, body.bytes());
    let issued = app::keys::create(&state.app, &admitted.0, request, slot).await?;
    let text = issued.text.expose().to_owned();
    answer::json(&Answer {
        message: say(
            admitted.language(),
            "llave creada: guárdela ahora, no se vuelve a mostrar",
            "key created: keep it now, it is not shown again",
        ),
        api_key: WireKey::with_text(&issued.record, text),
    })
}

fn parse(body: &JsonBody) -> Result<KeyRequest, Refusal> {
    let wire: Body<'_> = body.object()?;
    let mut fields = Fields::default();
    let whole = |text: &str| Ok::<_, Infallible>(text.to_owned());
    let name = fields.required_text("name", wire.name, KeyName::parse);
    let user_id = fields.text("user_id", wire.user_id, whole);
    let client = fields.text("client_owner_id", wire.client_owner_id, whole);
    let banks = fields.texts("user_banks", wire.user_banks, SELECTION_MAX, whole);
    let named = fields.texts("permissions", wire.permissions, PERMISSIONS_MAX, whole);
    let Some(name) = name.filter(|_| fields.are_right()) else { return Err(fields.refusal()) };

    let named = named.unwrap_or_default();
    let permissions = named.iter().map(|name| Permission::parse(name));
    let permissions = permissions.collect::<Result<Permissions, _>>()?;
    // An id of another form is an id of nothing: answered as one that is unknown.
    let client = client.map(|id| id.parse()).transpose();
    let client = client.map_err(|_| Refusal::NotFound("client"))?;
    let banks = banks.unwrap_or_default();
    let selection = banks.iter().map(|id| id.parse()).collect::<Result<Vec<_>, _>>();
    let mut selection = selection.map_err(|_| Refusal::AccountNotInClient)?;
    selection.sort_unstable();
    selection.dedup();
    Ok(KeyRequest { name, user_id, client, selection, permissions })
}

#[cfg(test)]
mod tests {
    use domain::ids::{BankId, ClientId};

    use super::*;

    fn parsed(json: &str) -> Result<KeyRequest, Refusal> {
        parse(&JsonBody::from(json.to_owned()))
    }

    #[test]
    fn a_name_is_enough_and_null_is_absent() {
        let request = parsed(
            r#"{"name": " caja ", "user_id": null, "client_owner_id": null, "user_banks": null}"#,
        );
        let request = request.unwrap();
        assert_eq!(request.name.as_str(), "caja");
        assert_eq!((request.user_id, request.client), (None, None));
        assert!(request.selection.is_empty() && request.permissions.is_empty());
    }

    #[test]
    fn ids_and_permissions_are_read() {
        let client = ClientId::from_bytes([1; 16]);
        let bank = BankId::from_bytes([2; 16]);
        let json = format!(
            r#"{{"name": "x", "client_owner_id": "{client}", "user_banks": ["{bank}", "{bank}"],
                "permissions": ["payment_verifications"]}}"#
        );
        let request = parsed(&json).unwrap();
        assert_eq!(request.client, Some(client));
        assert_eq!(request.selection, [bank]);
        assert!(request.permissions.contains(Permission::PaymentVerifications));
    }

    #[test]
    fn each_wrong_field_has_its_own_refusal() {
        for (json, refusal) in [
            (r#"{"name": "x", "client_owner_id": "nobody"}"#, Refusal::NotFound("client")),
            (r#"{"name": "x", "user_banks": ["none"]}"#, Refusal::AccountNotInClient),
            (
                r#"{"name": "x", "permissions": ["verify_payments"]}"#,
                Permission::parse("verify_payments").unwrap_err().into(),
            ),
        ] {
            assert_eq!(parsed(json).unwrap_err(), refusal);
        }
        let Err(Refusal::Validation(details)) = parsed(r#"{"user_banks": "bank_1"}"#) else {
            panic!("accepted")
        };
        assert_eq!(details.len(), 2);
    }
}
