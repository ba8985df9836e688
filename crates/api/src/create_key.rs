//! `POST /auth/api-key`

use app::keys::{KeyName, KeyRequest};
use axum::extract::State;
use axum::response::Response;
use domain::access::CreateKey;
use domain::ids::{BankId, ClientId, OwnerId};
use domain::money::Credits;
use domain::refusal::{Code, Refusal};
use domain::time::Timestamp;
use http::Method;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use web::{Admitted, AppState, Failure, IdempotencyKey, JsonBody, answer};

use crate::operation::{Endpoint, Group, List, Optional, Request, Required, TextOf, request};
use crate::wire::{
    PERMISSIONS_MAX, PermissionName, SELECTION_MAX, WireKey, client_id, permissions, say, selection,
};

request! {
    struct NewKey {
        name: Required<KeyName>,
        /// El titular mismo, para quien lo nombra al llamar. / The owner itself, for callers that name it.
        user_id: Optional<TextOf<OwnerId>>,
        /// El cliente al que está atada la llave. / The client that the key is bound to.
        client_owner_id: Optional<TextOf<ClientId>>,
        /// Las cuentas bancarias a las que se limita la llave; sin ninguna alcanza todo su ámbito. / The bank accounts
        /// that the key is limited to; without any it reaches all of its scope.
        user_banks: Optional<List<TextOf<BankId>, SELECTION_MAX>>,
        permissions: Optional<List<PermissionName, PERMISSIONS_MAX>>,
        /// Cuándo termina la llave por sí sola. / When the key ends by itself.
        expires_at: Optional<Timestamp>,
        /// Cuántos créditos se le cobran a lo sumo en un mes de Caracas; sin él, los que haya. La llave de un cliente
        /// tiene el cupo de su cliente. / How many credits it is charged at most in a month of Caracas; without it,
        /// as many as there are. A client's key has the quota of its client.
        monthly_credit_limit: Optional<Credits>,
    }
}

#[derive(Serialize, JsonSchema)]
struct KeyCreated<'a> {
    message: &'static str,
    api_key: WireKey<'a>,
}

pub(crate) fn endpoint() -> Endpoint {
    let mut key = WireKey::example();
    key["api_key"] = json!("ck_live_0123456789abcdefghijklmnopqrstuvwxyz00");
    Endpoint::tolerant::<CreateKey, _, _>(Method::POST, "/auth/api-key", handle)
        .does(
            Group::Keys,
            "Emite una llave. Su texto se muestra esta única vez.",
            "Issues a key. Its text is shown this once.",
        )
        .takes::<NewKey>(json!({ "name": "caja", "permissions": ["payment_verifications"] }))
        .idempotent()
        .answers::<KeyCreated<'_>>(json!({ "message": "llave creada: guárdela ahora, no se vuelve a mostrar", "api_key": key }))
        .refuses(&[
            Code::OwnerSessionRequired,
            Code::NotFound,
            Code::UnknownPermission,
            Code::AccountNotInClient,
            Code::ClientPermissionsFixed,
            Code::CreditLimitInherited,
            Code::Conflict,
        ])
}

async fn handle(
    admitted: Admitted<CreateKey>,
    State(state): State<AppState>,
    idempotency_key: IdempotencyKey,
    body: JsonBody,
) -> Result<Response, Failure> {
    let request = parse(&body)?;
    let slot = idempotency_key.slot(&admitted.0, body.bytes());
    let issued = app::keys::create(&state.app, &admitted.0, request, slot).await?;
    let text = issued.text.expose().to_owned();
    answer::json(&KeyCreated {
        message: say(
            admitted.language(),
            "llave creada: guárdela ahora, no se vuelve a mostrar",
            "key created: keep it now, it is not shown again",
        ),
        api_key: WireKey::with_text(&issued.record, text),
    })
}

fn parse(body: &JsonBody) -> Result<KeyRequest, Refusal> {
    let new = NewKey::read(body)?;
    Ok(KeyRequest {
        name: new.name,
        user_id: new.user_id,
        permissions: permissions(&new.permissions.unwrap_or_default())?,
        client: client_id(new.client_owner_id)?,
        selection: selection(&new.user_banks.unwrap_or_default())?,
        expires_at: new.expires_at,
        monthly_credit_limit: new.monthly_credit_limit,
    })
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
