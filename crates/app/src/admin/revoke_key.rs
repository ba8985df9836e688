//! Revoking a key of an owner, as where somebody else has it and the owner cannot be reached.

use domain::ids::KeyId;
use store::keys::Key;
use store::{Lane, Meter};

use super::{AdminError, Operator, OwnerName, audit_entry, locate};
use crate::lineage::end_key;

/// Revokes a key for good: once this has returned no node accepts it, and what it did and issued stays. Doing it again is
/// safe.
///
/// # Errors
/// [`AdminError`] says what stands against it.
pub async fn revoke_key(
    operator: &Operator<'_>,
    name: &OwnerName,
    id: KeyId,
) -> Result<Key, AdminError> {
    let (owner, now) = (locate(operator, name).await?, operator.now);
    let entry = audit_entry(operator, "RevokeKey", &id);
    let meter = Meter::default();
    let write = operator.store.write(&meter, Lane::Admission, owner, move |tx| {
        let Some(locked) = store::keys::lock(tx, owner, id)? else { return Ok(None) };
        end_key(tx, owner, locked, &entry, now).map(Some)
    });
    let Some(ended) = write.await? else { return Err(AdminError::NoSuchKey(id)) };
    Ok(ended.ok_or(AdminError::DefaultKey)?.key)
}
