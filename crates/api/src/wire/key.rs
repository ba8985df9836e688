//! An API key's record.

use app::keys::KeyRecord;
use domain::ids::{BankId, ClientId, KeyId, OwnerId};
use domain::keys::masked;
use domain::money::Credits;
use domain::permissions::Permission;
use domain::time::Timestamp;
use serde::Serialize;

use super::Shown;

/// An API key's record.
#[derive(Serialize)]
pub(crate) struct WireKey<'a> {
    id: Shown<KeyId>,
    name: &'a str,
    /// Whole in the answers to creation and rotation, masked everywhere else.
    api_key: String,
    user_id: Shown<OwnerId>,
    default: bool,
    is_active: bool,
    client_owner_id: Option<Shown<ClientId>>,
    user_banks: Vec<Shown<BankId>>,
    permissions: Vec<&'static str>,
    monthly_credit_limit: Option<i64>,
    created_at: Shown<Timestamp>,
    updated_at: Shown<Timestamp>,
}

impl<'a> WireKey<'a> {
    /// The record with the key's text masked.
    pub(crate) fn masked(record: &'a KeyRecord) -> Self {
        Self::with_text(record, masked(&record.key.hint))
    }

    /// The record with the key's text, for the answers that tell it.
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
            created_at: Shown(key.created_at),
            updated_at: Shown(key.updated_at),
        }
    }
}
