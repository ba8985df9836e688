//! The operations: `POST /v1/api-keys/default/rotate` and `POST /v1/api-keys/{api_key_id}/rotate`.
//!
//! The locator of the new text is written first, then the row changes to it, then the locator of the text before the
//! former one is removed; that of the former stays, so that its use is reported. Whatever fails in between, one text
//! opens the key, and two never do: the row has one hash.

use domain::access::{Caller, Entry, Guarded, RotateDefaultKey, RotateKey};
use domain::ids::{KeyId, OwnerId};
use domain::keys::{KeyHash, KeyText};
use domain::refusal::Refusal;
use domain::time::Timestamp;
use store::fault::{Fault, WriteError};
use store::idempotency::Slot;
use store::issuers::Issuer;
use store::keys::{Key, Locked};
use store::lineage::Lineage;
use store::tx::Tx;
use store::{Lane, audit, keys, lineage};

use super::{Issued, KeyRecord, NOT_FOUND, lock_live};
use crate::audit_entry::audited;
use crate::lineage::{EVER, IssuedList, Reader, issuer};
use crate::locator::Locator;
use crate::outcome::{Outcome, as_answer};
use crate::present::still_admitted;
use crate::{Act, App, Error, kept_answers};

/// How often a rotation whose commit was lost is looked at again.
const TRIES_MAX: usize = 3;

/// Data that a rotation writes.
#[derive(Clone)]
struct Rotation {
    caller: Caller,
    /// Who may ask for it.
    access: Entry,
    owner: OwnerId,
    id: KeyId,
    hash: KeyHash,
    hint: String,
    issuer: Issuer,
    slot: Option<Slot>,
    entry: audit::Entry,
    now: Timestamp,
}

/// Result of a rotation.
struct Rotated {
    key: Key,
    /// The text before the former one, of which nothing is kept from now on.
    forgotten: Option<KeyHash>,
    /// What the key has issued, which a rotation does not end.
    issued: Lineage,
}

/// Gives the default key a new text, as [`rotate`] does.
///
/// # Errors
/// Those of [`rotate`].
pub async fn rotate_default(
    app: &App,
    act: &Act<RotateDefaultKey>,
    slot: Option<Slot>,
) -> Result<Issued, Error> {
    let owner = act.owner();
    let found = app.store.look_up(act.meter(), move |tx| keys::find_default(tx, owner)).await?;
    let id = found.ok_or_else(|| Fault::broken("an owner without a default key"))?;
    replace(app, act, id, slot).await
}

/// Gives a key a new text. The former one opens nothing from then on; what the key has issued goes on, and is listed.
/// With an `Idempotency-Key` that was used before, nothing is rotated: the answer holds a secret and is not given
/// again.
///
/// # Errors
/// Not found, also where the key is out of the caller's sight; a refusal, or a failure of the store. The former text
/// may have ended even so; rotating again is safe.
pub async fn rotate(
    app: &App,
    act: &Act<RotateKey>,
    id: KeyId,
    slot: Option<Slot>,
) -> Result<Issued, Error> {
    replace(app, act, id, slot).await
}

async fn replace<O: Guarded>(
    app: &App,
    act: &Act<O>,
    id: KeyId,
    slot: Option<Slot>,
) -> Result<Issued, Error> {
    let owner = act.owner();
    let text = KeyText::generate(&*app.ids);
    let hash = text.hash();
    let rotation = Rotation {
        caller: act.caller().clone(),
        access: O::ENTRY,
        owner,
        id,
        hash,
        hint: text.hint(),
        issuer: issuer(act),
        slot,
        entry: audited(app, act, id.to_string()),
        now: act.now,
    };
    let (write, to) = (write(app, act, &rotation), (owner, id.to_bytes()));
    let rotated = Locator::of_key(hash).around(&app.store, act.meter(), to, write).await?;
    // The former text goes on leading here, so that its use is reported to the owner.
    if let Some(forgotten) = rotated.forgotten {
        Locator::of_key(forgotten).remove(&app.store, act.meter()).await;
    }
    let issued = IssuedList::of(rotated.issued, Reader::of(act));
    Ok(Issued { record: KeyRecord::of(app, act, rotated.key), text, issued })
}

/// Writes the new hash, and looks again where the answer of the commit was lost.
async fn write<O: Guarded>(
    app: &App,
    act: &Act<O>,
    rotation: &Rotation,
) -> Result<Result<Rotated, Refusal>, WriteError> {
    let mut was_lost = false;
    for _ in 0..TRIES_MAX {
        let inner = rotation.clone();
        let job = move |tx: &mut Tx<'_>| as_answer(replace_hash(tx, &inner, was_lost));
        match app.store.write(act.meter(), Lane::Admission, rotation.owner, job).await {
            Err(WriteError::Unknown) => was_lost = true,
            // A later try that failed does not say that the first one was not applied.
            Err(_) if was_lost => break,
            Err(error) => return Err(error),
            Ok(Ok(Some(rotated))) => return Ok(Ok(rotated)),
            Ok(Ok(None)) => break,
            Ok(Err(refusal)) => return Ok(Err(refusal)),
        }
    }
    Err(WriteError::Unknown)
}

/// `was_lost` says that an earlier try may have been applied. Answers nothing where one was, and another rotation after
/// it: this one's text is replaced then, and must not come back.
fn replace_hash(tx: &mut Tx<'_>, rotation: &Rotation, was_lost: bool) -> Outcome<Option<Rotated>> {
    let Rotation { caller, access, owner, id, hash, hint, issuer, slot, entry, now } = rotation;
    let locked = lock_live(tx, *owner, *id)?.ok_or(NOT_FOUND)?;
    let Locked { mut key, hash: former, former_hash, .. } = locked;
    if !caller.sees_key(*id, key.client) {
        return Err(NOT_FOUND.into());
    }
    // Equal hashes: an earlier try of this very rotation was applied.
    let is_new = former != *hash;
    if is_new {
        if was_lost && audit::exists(tx, *owner, entry.id)? {
            return Ok(None);
        }
        still_admitted(tx, caller, *access, *now)?;
        let name = |key| KeyId::from_bytes(key).to_string();
        kept_answers::take(tx, *owner, slot.as_ref(), id.to_bytes(), *now, name)?;
        keys::replace_hash(tx, *owner, *id, (*hash, hint, issuer), *now)?;
        audit::insert(tx, *owner, entry, *now)?;
        key.hint.clone_from(hint);
        key.issuer.clone_from(issuer);
        (key.issued_at, key.updated_at) = (*now, *now);
    }
    let issued = lineage::follow(tx, *owner, (*id).into(), EVER)?;
    Ok(Some(Rotated { key, forgotten: former_hash.filter(|_| is_new), issued }))
}

#[cfg(test)]
mod tests;
