//! The operation: `DELETE /v1/api-keys/{api_key_id}`.

use domain::access::RevokeKey;
use domain::ids::{KeyId, OwnerId};
use domain::refusal::Refusal;
use domain::time::Timestamp;
use store::fault::Fault;
use store::keys::Locked;
use store::tx::Tx;
use store::{audit, keys};

use super::{KeyRecord, NOT_FOUND};
use crate::audit_entry::audited;
use crate::{Act, App, Error, changes};

/// Revokes a key for good: nobody accepts it from then on, and what it did stays. One that is revoked already is
/// answered alike, since the answer to the first request may have been lost.
///
/// # Errors
/// Not found, also where the key is out of the caller's sight; the default key, or a failure of the store.
pub async fn revoke(app: &App, act: &Act<RevokeKey>, id: KeyId) -> Result<KeyRecord, Error> {
    let (owner, caller, now) = (act.owner(), act.caller().clone(), act.now);
    let entry = audited(app, act, id.to_string());
    let write = act.write(app, move |tx| {
        let seen = keys::lock(tx, owner, id)?.filter(|it| caller.sees_key(id, it.key.client));
        let ended = end(tx, owner, seen.ok_or(NOT_FOUND)?, &entry, now)?;
        Ok(ended.ok_or(Refusal::DefaultKeyFixed)?)
    });
    // Its text goes on leading here, so that its use is reported to the owner.
    let locked = write.await?;
    Ok(KeyRecord::of(app, owner, locked.key))
}

/// Ends a key that is locked. Nothing where it is the default one, which does not end. Doing it again changes nothing.
///
/// # Errors
/// A fault of the store.
pub(crate) fn end(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    mut locked: Locked,
    entry: &audit::Entry,
    now: Timestamp,
) -> Result<Option<Locked>, Fault> {
    if locked.key.is_default {
        return Ok(None);
    }
    if locked.revoked_at.is_none() {
        keys::revoke(tx, owner, locked.key.id, now)?;
        audit::insert_change(tx, owner, entry, &changes::gone(&locked.key), now)?;
        locked.key.updated_at = now;
    }
    locked.key.is_active = false;
    Ok(Some(locked))
}
