//! `PATCH /v1/api-keys/{api_key_id}`

use app::Precondition;
use app::keys::{KeyChange, KeyName};
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::ChangeKey;
use domain::refusal::{Code, Refusal};
use domain::time::Timestamp;
use http::Method;
use serde_json::json;
use web::{Admitted, AppState, Failure, JsonBody};

use crate::operation::{Change, Endpoint, Group, List, Optional, Request, beside, request, shown};
use crate::show_key;
use crate::wire::{
    KeyAnswer, PERMISSIONS_MAX, PermissionName, WireKey, key_id, permissions, said_of_key, say,
};

request! {
    struct KeyChanges {
        name: Optional<KeyName>,
        is_active: Optional<bool>,
        permissions: Optional<List<PermissionName, PERMISSIONS_MAX>>,
        /// Cuándo termina la llave por sí sola; `null` le quita el fin. / When the key ends by itself; `null` takes the
        /// end away.
        expires_at: Change<Timestamp>,
    }
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::strict::<ChangeKey, _, _>(Method::PATCH, "/v1/api-keys/{api_key_id}", handle)
        .does(
            Group::Keys,
            "Cambia el nombre de una llave, sus permisos, su fin y si está activa.",
            "Changes a key's name, its permissions, its end, and whether it is switched on.",
        )
        .takes::<KeyChanges>(json!({ "name": "caja 2", "expires_at": null }))
        .set_elsewhere(&[
            ("client_owner_id", &["PUT /v1/api-keys/{api_key_id}/scope"]),
            ("user_banks", &["PUT /v1/api-keys/{api_key_id}/scope"]),
            ("monthly_credit_limit", &["PUT /v1/api-keys/{api_key_id}/credit-limit"]),
            ("api_key", &["POST /v1/api-keys/{api_key_id}/rotate"]),
        ])
        .moving(&["last_used_at", "last_used_from"])
        .answers::<KeyAnswer<'_>>(
            json!({ "message": "llave cambiada", "api_key": WireKey::example() }),
        )
        .refuses(&[Code::UnknownPermission, Code::ClientPermissionsFixed, Code::DefaultKeyFixed])
}

async fn handle(
    admitted: Admitted<ChangeKey>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    body: JsonBody,
) -> Result<Response, Failure> {
    let show = async {
        let shows = Admitted(admitted.also()?);
        shown(show_key::handle(shows, State(state.clone()), Path(id.clone())), "/api_key").await
    };
    let body = beside::<KeyChanges>(body, show).await?;
    let (id, change) = (key_id(&id)?, parse(&body)?);
    let record =
        app::keys::change(&state.app, &admitted.0, id, change, Precondition::none()).await?;
    said_of_key(say(admitted.language(), "llave cambiada", "key changed"), &record)
}

fn parse(body: &JsonBody) -> Result<KeyChange, Refusal> {
    let KeyChanges { name, is_active, permissions: named, expires_at } = KeyChanges::read(body)?;
    let permissions = named.map(|named| permissions(&named)).transpose()?;
    Ok(KeyChange { name, is_active, permissions, expires_at })
}

#[cfg(test)]
mod tests {
    use domain::permissions::Permission;

    use super::*;

    fn parsed(json: &str) -> Result<KeyChange, Refusal> {
        parse(&JsonBody::from(json.to_owned()))
    }

    #[test]
    fn what_is_not_named_stays() {
        let change = parsed(r#"{"name": null, "permissions": null}"#).unwrap();
        assert!(change.name.is_none() && change.is_active.is_none());
        assert!(change.permissions.is_none() && change.expires_at.is_none());
        let change = parsed(
            r#"{"name": " caja 2 ", "is_active": false, "permissions": ["payment_links"],
                "expires_at": "2026-12-31T04:00:00Z"}"#,
        );
        let change = change.unwrap();
        assert_eq!(change.name.unwrap().as_str(), "caja 2");
        assert_eq!(change.is_active, Some(false));
        assert!(change.permissions.unwrap().contains(Permission::PaymentLinks));
        assert_eq!(change.expires_at.unwrap().unwrap().to_string(), "2026-12-31T04:00:00.000Z");
        assert_eq!(parsed(r#"{"expires_at": null}"#).unwrap().expires_at, Some(None));
    }

    #[test]
    fn every_wrong_field_is_reported() {
        let wrong =
            r#"{"name": "", "is_active": "no", "permissions": "all", "expires_at": "mañana"}"#;
        let Err(Refusal::Validation(details)) = parsed(wrong) else { panic!("accepted") };
        assert_eq!(details.len(), 4);
        let unknown = Permission::parse("verify_payments").unwrap_err();
        let refusal = parsed(r#"{"permissions": ["verify_payments"]}"#).unwrap_err();
        assert_eq!(refusal, unknown.into());
    }
}
