//! `POST /auth/api-key`

use std::convert::Infallible;

use app::keys::{KeyName, KeyRequest};
use axum::extract::State;
use axum::response::Response;
use domain::access::CreateKey;
use domain::refusal::Refusal;
use domain::time::Timestamp;
use serde::{Deserialize, Serialize};
use web::{Admitted, AppState, Failure, Field, Fields, IdempotencyKey, JsonBody, answer};

use crate::wire::{
    WireKey, client_id, permission_names, permissions, say, selection, selection_texts,
};

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
    #[serde(borrow)]
    expires_at: Field<'a>,
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
    let banks = selection_texts(&mut fields, wire.user_banks);
    let named = permission_names(&mut fields, wire.permissions);
    let expires_at = fields.text("expires_at", wire.expires_at, Timestamp::parse);
    let Some(name) = name.filter(|_| fields.are_right()) else { return Err(fields.refusal()) };

    let permissions = permissions(&named.unwrap_or_default())?;
    let (client, selection) = (client_id(client)?, selection(&banks)?);
    Ok(KeyRequest { name, user_id, client, selection, permissions, expires_at })
}

#[cfg(test)]
mod tests {
    use domain::ids::{BankId, ClientId};
    use domain::permissions::Permission;

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
