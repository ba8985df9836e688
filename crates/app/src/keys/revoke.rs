//! The operation: `DELETE /v1/api-keys/{api_key_id}`.

use domain::access::RevokeKey;
use domain::ids::{KeyId, OwnerId};
use domain::refusal::Refusal;
use store::employees::Employee;
use store::keys::{self, Locked};
use store::tx::Tx;

use super::{KeyRecord, NOT_FOUND};
use crate::lineage::{Ending, WithIssued, end_key, release};
use crate::outcome::Outcome;
use crate::{Act, App, Error};

/// Revokes a key for good: nobody accepts it from then on, and what it did stays. What lives of what it has issued ends
/// with it, or stays, as was chosen. One that is revoked already is answered alike, since the answer to the first request
/// may have been lost.
///
/// # Errors
/// Not found, also where the key is out of the caller's sight; the default key, what lives where nothing was chosen, or a
/// failure of the store.
pub async fn revoke(
    app: &App,
    act: &Act<RevokeKey>,
    id: KeyId,
    with: WithIssued,
) -> Result<KeyRecord, Error> {
    let owner = act.owner();
    let ending = Ending::of(app, act, id.to_string(), with);
    let write = move |tx: &mut Tx<'_>| write(tx, owner, id, &ending);
    // Its text goes on leading here, so that its use is reported to the owner.
    let (locked, removed) = act.write(app, write).await?;
    release(app, act, &removed).await;
    Ok(KeyRecord::of(app, act, locked.key))
}

/// Answers the key, and the people who were removed with it.
fn write(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: KeyId,
    ending: &Ending,
) -> Outcome<(Locked, Vec<Employee>)> {
    let caller = &ending.caller;
    let seen = keys::lock(tx, owner, id)?.filter(|it| caller.sees_key(id, it.key.client));
    let seen = seen.ok_or(NOT_FOUND)?;
    if seen.key.is_default {
        return Err(Refusal::DefaultKeyFixed.into());
    }
    let issued = ending.chosen(tx, owner, id.into())?;
    let ended = end_key(tx, owner, seen, &ending.entry, ending.now)?;
    let removed = ending.end(tx, owner, issued)?;
    Ok((ended.ok_or(Refusal::DefaultKeyFixed)?, removed))
}
