//! Rows of keys, and the columns that keep several things in one value.

use domain::ids::BankId;
use domain::permissions::Permissions;

use super::Key;
use crate::fault::Fault;
use crate::issuers::Issuer;
use crate::key_uses::Use;
use crate::value::Row;

pub(super) fn read(row: &Row) -> Result<Key, Fault> {
    Ok(Key {
        id: row.get("id")?,
        name: row.get("name")?,
        hint: row.get("hint")?,
        is_default: row.get("is_default")?,
        is_active: row.get("is_active")?,
        client: row.get("client_id")?,
        selection: read_selection(&row.get::<Vec<u8>>("user_banks")?)?,
        permissions: read_permissions(row.get("permissions")?)?,
        monthly_credit_limit: row.get("monthly_credit_limit")?,
        created_at: row.get("created_at")?,
        updated_at: row.get("updated_at")?,
        expires_at: row.get("expires_at")?,
        last_use: Use::read(row.get("last_used_at")?, row.get("last_used_from")?)?,
        issuer: Issuer::read(row)?,
        issued_at: row.get("issued_at")?,
    })
}

pub(super) fn read_permissions(bits: i64) -> Result<Permissions, Fault> {
    Permissions::from_bits(bits).ok_or_else(|| Fault::broken("a key with unknown permissions"))
}

pub(super) fn read_selection(bytes: &[u8]) -> Result<Vec<BankId>, Fault> {
    let (ids, rest) = bytes.as_chunks::<16>();
    if rest.is_empty() {
        Ok(ids.iter().copied().map(BankId::from_bytes).collect())
    } else {
        Err(Fault::broken("a key's selection is not a list of ids"))
    }
}

pub(super) fn write_selection(selection: &[BankId]) -> Vec<u8> {
    selection.iter().flat_map(|id| id.to_bytes()).collect()
}
