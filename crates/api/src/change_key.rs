//! `PATCH /v1/api-keys/{api_key_id}`

use app::keys::{KeyChange, KeyName};
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::ChangeKey;
use domain::refusal::Refusal;
use domain::time::Timestamp;
use serde::Deserialize;
use web::fields::even_null;
use web::{Admitted, AppState, Failure, Field, Fields, JsonBody};

use crate::wire::{key_id, permission_names, permissions, said_of_key, say};

#[derive(Deserialize)]
struct Body<'a> {
    #[serde(borrow)]
    name: Field<'a>,
    #[serde(borrow)]
    is_active: Field<'a>,
    #[serde(borrow)]
    permissions: Field<'a>,
    // Null takes the end away.
    #[serde(default, borrow, deserialize_with = "even_null")]
    expires_at: Field<'a>,
}

pub(crate) async fn handle(
    admitted: Admitted<ChangeKey>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    body: JsonBody,
) -> Result<Response, Failure> {
    let (id, change) = (key_id(&id)?, parse(&body)?);
    let record = app::keys::change(&state.app, &admitted.0, id, change).await?;
    said_of_key(say(admitted.language(), "llave cambiada", "key changed"), &record)
}

fn parse(body: &JsonBody) -> Result<KeyChange, Refusal> {
    let wire: Body<'_> = body.object()?;
    let mut fields = Fields::default();
    let name = fields.text("name", wire.name, KeyName::parse);
    let is_active = fields.boolean("is_active", wire.is_active);
    let named = permission_names(&mut fields, wire.permissions);
    let expires_at = fields.change("expires_at", wire.expires_at, Timestamp::parse);
    if !fields.are_right() {
        return Err(fields.refusal());
    }
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
    fn every_wrong_field_is_told() {
        let wrong =
            r#"{"name": "", "is_active": "no", "permissions": "all", "expires_at": "mañana"}"#;
        let Err(Refusal::Validation(details)) = parsed(wrong) else { panic!("accepted") };
        assert_eq!(details.len(), 4);
        let unknown = Permission::parse("verify_payments").unwrap_err();
        let refusal = parsed(r#"{"permissions": ["verify_payments"]}"#).unwrap_err();
        assert_eq!(refusal, unknown.into());
    }
}
