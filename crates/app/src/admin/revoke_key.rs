//! Revoking a key of an owner, as where somebody else has it and the owner cannot be reached.

use domain::ids::KeyId;
use store::keys::{self, Key, Locked};
use store::locators::{self, Kind};
use store::{Lane, Meter, audit};

use super::{AdminError, Operator, OwnerName, audit_entry, locate};

/// How it ends inside the transaction.
enum End {
    Done(Box<Locked>),
    NoSuchKey,
    IsDefault,
}

/// Revokes a key for good: once this has returned no node accepts it, and what it did stays. Doing it again is safe.
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
        let Some(locked) = keys::lock(tx, owner, id)? else { return Ok(End::NoSuchKey) };
        if locked.key.is_default {
            return Ok(End::IsDefault);
        }
        if locked.revoked_at.is_none() {
            keys::revoke(tx, owner, id, now)?;
            audit::insert(tx, owner, &entry, now)?;
        }
        Ok(End::Done(Box::new(locked)))
    });
    let Locked { key, hash, .. } = match write.await? {
        End::Done(locked) => *locked,
        End::NoSuchKey => return Err(AdminError::NoSuchKey(id)),
        End::IsDefault => return Err(AdminError::DefaultKey),
    };
    // One that stays behind admits nobody.
    let remove = operator
        .store
        .write_shared(&meter, move |tx| locators::remove(tx, Kind::ApiKey, &hash.to_bytes()));
    if let Err(error) = remove.await {
        tracing::warn!(?error, "a revoked key's locator could not be deleted");
    }
    Ok(key)
}
