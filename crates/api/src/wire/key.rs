//! An API key's record.

use std::net::IpAddr;

use app::keys::KeyRecord;
use axum::response::Response;
use domain::ids::{BankId, ClientId, KeyId, OwnerId};
use domain::keys::masked;
use domain::money::Credits;
use domain::permissions::{Permission, Permissions};
use domain::refusal::{Problem, Refusal};
use domain::time::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use web::{Failure, answer};

use super::WireIssuer;
use crate::operation::{Shown, TextKind, one_of};

/// How many accounts a selection may name; more than an owner may link.
pub(crate) const SELECTION_MAX: usize = 1_000;

/// How many permissions may be named; more than there are.
pub(crate) const PERMISSIONS_MAX: usize = 100;

/// Los datos de una llave de API. / An API key's record.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ApiKey")]
pub(crate) struct WireKey<'a> {
    id: Shown<KeyId>,
    name: &'a str,
    /// El texto de la llave: entero en las respuestas de crearla y rotarla, oculto en todas las demás. / The key's
    /// text: whole in the answers to creation and rotation, masked everywhere else.
    api_key: String,
    user_id: Shown<OwnerId>,
    /// Si es la llave predeterminada del titular, que siempre hay. / Whether it is the owner's default key, which there
    /// always is.
    default: bool,
    is_active: bool,
    /// El cliente al que está atada; `null` en las del titular. / The client that it is bound to; `null` for the
    /// owner's.
    client_owner_id: Option<Shown<ClientId>>,
    /// Las cuentas a las que se limita; vacía donde alcanza todo su ámbito. / The accounts that it is limited to; empty
    /// where it reaches all of its scope.
    user_banks: Vec<Shown<BankId>>,
    /// Lo que puede hacer, como `payment_links`. / What it may do, such as `payment_links`.
    permissions: Vec<&'static str>,
    monthly_credit_limit: Option<i64>,
    /// Quien recibió su texto de ahora, al crearla o rotarla. / Whoever got its present text, by making or rotating it.
    issued_by: WireIssuer,
    /// Cuándo lo recibió. / When it was got.
    issued_at: Shown<Timestamp>,
    created_at: Shown<Timestamp>,
    updated_at: Shown<Timestamp>,
    expires_at: Option<Shown<Timestamp>>,
    /// Cuándo se usó por última vez. Se escribe una vez por minuto: lo que otros nodos dejaron pasar se ve con ese
    /// retraso. / When it was last used. Written once a minute: what other nodes let in is shown as much later.
    last_used_at: Option<Shown<Timestamp>>,
    /// La dirección desde donde se usó por última vez; null si no hay o no se sabe. / The address that it was last used from; null
    /// where there is none, or it is not known.
    last_used_from: Option<IpAddr>,
}

/// The name of a permission. A name of another version is refused with the right one.
pub(crate) struct PermissionName;

impl TextKind for PermissionName {
    type Value = String;

    fn parse(text: &str) -> Result<String, Problem> {
        Ok(text.to_owned())
    }

    fn schema() -> Value {
        one_of(&Permission::ALL.map(Permission::as_str))
    }
}

impl<'a> WireKey<'a> {
    /// One with made-up data.
    pub(crate) fn example() -> Value {
        json!({
            "id": "key_00000000000000000000000001",
            "name": "caja",
            "api_key": "ck_live_…00",
            "user_id": "own_00000000000000000000000001",
            "default": false,
            "is_active": true,
            "client_owner_id": null,
            "user_banks": [],
            "permissions": ["payment_verifications"],
            "monthly_credit_limit": null,
            "last_used_at": "2026-11-20T12:00:00.000Z",
            "last_used_from": "192.0.2.1",
            "issued_by": WireIssuer::example(),
            "issued_at": "2026-11-20T12:00:00.000Z",
            "created_at": "2026-11-20T12:00:00.000Z",
            "updated_at": "2026-11-20T12:00:00.000Z",
            "expires_at": null,
        })
    }

    /// The record with the key's text masked.
    pub(crate) fn masked(record: &'a KeyRecord) -> Self {
        Self::with_text(record, masked(&record.key.hint))
    }

    /// The record with the key's text, for the answers that show it.
    pub(crate) fn with_text(record: &'a KeyRecord, text: String) -> Self {
        let key = &record.key;
        Self {
            id: Shown(key.id),
            name: &key.name,
            api_key: text,
            user_id: Shown(record.owner),
            default: key.is_default,
            is_active: key.is_active,
            client_owner_id: key.client.map(Shown),
            user_banks: key.selection.iter().copied().map(Shown).collect(),
            permissions: key.permissions.iter().map(Permission::as_str).collect(),
            monthly_credit_limit: record.limit_in_force().map(Credits::get),
            issued_by: WireIssuer::of(&record.issuer),
            issued_at: Shown(key.issued_at),
            created_at: Shown(key.created_at),
            updated_at: Shown(key.updated_at),
            expires_at: key.expires_at.map(Shown),
            last_used_at: key.last_use.map(|last| Shown(last.at)),
            last_used_from: key.last_use.and_then(|last| last.from),
        }
    }
}

/// Los datos de una llave, con su texto oculto. / A key's record, its text masked.
#[derive(Serialize, JsonSchema)]
pub(crate) struct KeyAnswer<'a> {
    message: &'static str,
    api_key: WireKey<'a>,
}

/// The answer that shows a key's record.
pub(crate) fn said_of_key(message: &'static str, record: &KeyRecord) -> Result<Response, Failure> {
    answer::json(&KeyAnswer { message, api_key: WireKey::masked(record) })
}

/// The id of a key in a path. One of another form is an id of nothing.
pub(crate) fn key_id(text: &str) -> Result<KeyId, Refusal> {
    text.parse().map_err(|_| Refusal::NotFound("api_key"))
}

/// The client that is named. An id of another form is an id of nothing.
pub(crate) fn client_id(text: Option<String>) -> Result<Option<ClientId>, Refusal> {
    let client = text.map(|id| id.parse()).transpose();
    client.map_err(|_| Refusal::NotFound("client"))
}

/// The accounts of those names, each once. One of another form is none of the owner's.
pub(crate) fn selection(banks: &[String]) -> Result<Vec<BankId>, Refusal> {
    let selection = banks.iter().map(|id| id.parse()).collect::<Result<Vec<_>, _>>();
    let mut selection = selection.map_err(|_| Refusal::AccountNotInClient)?;
    selection.sort_unstable();
    selection.dedup();
    Ok(selection)
}

/// The permissions of those names.
pub(crate) fn permissions(names: &[String]) -> Result<Permissions, Refusal> {
    let permissions = names.iter().map(|name| Permission::parse(name));
    Ok(permissions.collect::<Result<_, _>>()?)
}
