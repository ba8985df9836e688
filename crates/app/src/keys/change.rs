//! The operation: `PATCH /v1/api-keys/{api_key_id}`.

use domain::access::ChangeKey;
use domain::ids::{KeyId, OwnerId};
use domain::permissions::Permissions;
use domain::refusal::Refusal;
use domain::time::Timestamp;
use store::keys::{Key, Locked};
use store::tx::Tx;
use store::{audit, keys};

use super::{KeyName, KeyRecord, NOT_FOUND, check_end, lock_live};
use crate::audit_entry::audited;
use crate::outcome::Outcome;
use crate::{Act, App, Error, Precondition, changes};

/// Change of a key. Fields that it does not name stay.
#[derive(Clone, Debug, Default)]
pub struct KeyChange {
    /// Its label.
    pub name: Option<KeyName>,
    /// Whether it is switched on.
    pub is_active: Option<bool>,
    /// What it may do.
    pub permissions: Option<Permissions>,
    /// When it ends by itself; the inner nothing: never.
    pub expires_at: Option<Option<Timestamp>>,
}

/// Changes a key. What was answered after that is decided by what it is now. What lets the key do more asks for a proof.
/// What changes nothing leaves no line in the
/// audit trail either.
///
/// # Errors
/// Not found, a change that the default key or a client's does not take, an end that is over, a proof that is missing, what somebody else has
/// changed meanwhile; or a failure of the store.
pub async fn change(
    app: &App,
    act: &Act<ChangeKey>,
    id: KeyId,
    change: KeyChange,
    precondition: Precondition<Key>,
) -> Result<KeyRecord, Error> {
    let (owner, now) = (act.owner(), act.now);
    check_end(change.expires_at.flatten(), now)?;
    let (entry, proved) = (audited(app, act, id.to_string()), act.proved(app));
    let asked = (change, precondition, proved);
    let write = move |tx: &mut Tx<'_>| write(tx, owner, &entry, id, &asked, now);
    let key = act.write(app, write).await?;
    Ok(KeyRecord::of(app, act, key))
}

fn write(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    entry: &audit::Entry,
    id: KeyId,
    (change, precondition, proved): &(KeyChange, Precondition<Key>, Result<(), Refusal>),
    now: Timestamp,
) -> Outcome<Key> {
    let Locked { key, .. } = lock_live(tx, owner, id)?.ok_or(NOT_FOUND)?;
    precondition.check(&key)?;
    let former = key.clone();
    let key = changed(key, change)?;
    if key == former {
        return Ok(key);
    }
    if is_widened(&former, &key) {
        proved.clone()?;
    }
    let key = Key { updated_at: now, ..key };
    keys::change(tx, owner, &key)?;
    audit::insert_change(tx, owner, entry, &changes::changed(&former, &key), now)?;
    Ok(key)
}

/// Tells whether the key opens more than before, or for longer.
fn is_widened(former: &Key, key: &Key) -> bool {
    let is_longer = match (former.expires_at, key.expires_at) {
        (None, _) => false,
        (Some(_), None) => true,
        (Some(former), Some(end)) => end > former,
    };
    let gains = !key.permissions.is_subset_of(former.permissions);
    is_longer || gains || (key.is_active && !former.is_active)
}

/// The key with the change. The default key may always do everything and never ends; what a client's key may do is
/// fixed.
fn changed(mut key: Key, change: &KeyChange) -> Result<Key, Refusal> {
    let ends = change.expires_at.flatten().is_some();
    let is_another = change.permissions.is_some_and(|given| given != key.permissions);
    if key.is_default && (ends || is_another) {
        return Err(Refusal::DefaultKeyFixed);
    }
    if key.client.is_some() && change.permissions.is_some_and(|given| !given.is_empty()) {
        return Err(Refusal::ClientPermissionsFixed);
    }
    if let Some(name) = &change.name {
        name.as_str().clone_into(&mut key.name);
    }
    key.is_active = change.is_active.unwrap_or(key.is_active);
    key.permissions = change.permissions.unwrap_or(key.permissions);
    key.expires_at = change.expires_at.unwrap_or(key.expires_at);
    Ok(key)
}
