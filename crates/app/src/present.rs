//! Who somebody is by what a row of a key or a session says: on entry, and again in the transaction that writes.

#[cfg(test)]
mod tests;

use domain::access::{
    Caller, ClientCaller, EmployeeCaller, Entry, KeyCaller, KeyStanding, OwnerCaller, check_active,
};
use domain::ids::{KeyId, OwnerId, SessionId};
use domain::keys::KeyHash;
use domain::refusal::{BadCredentials, Refusal};
use domain::secret::same;
use domain::time::Timestamp;
use store::keys::Standing;
use store::locators::Located;
use store::tx::Tx;
use store::{keys, sessions};

use crate::outcome::Outcome;

/// Looks in a transaction at whether a caller that was admitted by `entry` would be at `now`, and answers who it is
/// now. What gives a way in for longer than a call asks this, under the lock that a rotation takes.
///
/// # Errors
/// Why not, or a fault of the store.
pub(crate) fn still_admitted(
    tx: &mut Tx<'_>,
    caller: &Caller,
    entry: Entry,
    now: Timestamp,
) -> Outcome<Caller> {
    let present = present(tx, caller, now)?;
    entry.check(&present, now)?;
    Ok(present)
}

/// Looks in a transaction at whether somebody who was admitted by `entry` is still who was admitted: what a call
/// decided by its caller's reach before it wrote holds then. One whose reach has changed is asked to come again at once.
///
/// # Errors
/// Why not, or a fault of the store.
pub(crate) fn unchanged(
    tx: &mut Tx<'_>,
    caller: &Caller,
    entry: Entry,
    now: Timestamp,
) -> Outcome<()> {
    let present = still_admitted(tx, caller, entry, now)?;
    if present.has_reach_of(caller) { Ok(()) } else { Err(Refusal::ReachChanged.into()) }
}

/// Returns a caller who was admitted before, as its rows describe it now.
///
/// # Errors
/// Why nobody any more, or a fault of the store.
pub(crate) fn present(tx: &mut Tx<'_>, caller: &Caller, now: Timestamp) -> Outcome<Caller> {
    match caller {
        Caller::Nobody => Ok(Caller::Nobody),
        Caller::Owner(OwnerCaller { owner, session, .. })
        | Caller::Employee(EmployeeCaller { owner, session, .. })
        | Caller::Client(ClientCaller { owner, session, .. }) => {
            let found = sessions::find(*owner, *session).run(tx)?;
            Ok(session_caller((*owner, *session), found, now)?)
        }
        Caller::Key(key) => {
            let way = Located { owner: key.owner, subject: key.key.to_bytes() };
            let standing = keys::standing(key.owner, key.key).run(tx)?;
            let standing = standing.filter(|standing| goes_by(standing, key.hash));
            let standing = standing.ok_or(Refusal::Unauthorized(BadCredentials::Unknown))?;
            Ok(Caller::Key(key_caller(way, standing, now)?))
        }
    }
}

/// Tells whether a key that was admitted would be admitted alike by its present row, its owner's and its client's. Its
/// limits are decided where they are counted.
pub(crate) fn same_key(was: &KeyCaller, standing: Standing, now: Timestamp) -> bool {
    if !goes_by(&standing, was.hash) {
        return false;
    }
    let way = Located { owner: was.owner, subject: was.key.to_bytes() };
    let is = key_caller(way, standing, now);
    is.is_ok_and(|is| is.has_reach_of(was))
}

/// Decides about a key whose text now is the one that was shown.
pub(crate) fn key_caller(
    way: Located,
    standing: Standing,
    now: Timestamp,
) -> Result<KeyCaller, Refusal> {
    let activity = KeyStanding {
        is_active: standing.is_active,
        revoked_at: standing.revoked_at,
        expires_at: standing.expires_at,
        owner_is_active: standing.owner_is_active,
        client_is_active: standing.client_is_active,
    };
    check_active(&activity, now)?;
    let own_limit = standing.client.is_none() && standing.monthly_credit_limit.is_some();
    Ok(KeyCaller {
        owner: way.owner,
        key: KeyId::from_bytes(way.subject),
        hash: standing.hash,
        client: standing.client,
        payments_enabled: standing.client_payments_enabled,
        selection: standing.selection,
        permissions: standing.permissions,
        is_default: standing.is_default,
        has_monthly_limit: own_limit,
        expires_at: standing.expires_at,
    })
}

/// Decides about a session: whose it is, and whether the owner, the employee and its client are active. One that is
/// unknown or over is answered alike.
pub(crate) fn session_caller(
    (owner, id): (OwnerId, SessionId),
    found: Option<sessions::Standing>,
    now: Timestamp,
) -> Result<Caller, Refusal> {
    let open = found.filter(|found| found.session.is_open(now));
    let found = open.ok_or(Refusal::Unauthorized(BadCredentials::Unknown))?;
    if !found.owner_is_active {
        return Err(Refusal::OwnerNotActive);
    }
    let proof = found.proof;
    let Some(employee) = found.employee else {
        return Ok(Caller::Owner(OwnerCaller { owner, session: id, proof }));
    };
    if !employee.is_active {
        return Err(Refusal::EmployeeNotActive);
    }
    match employee.client {
        None => Ok(Caller::Employee(EmployeeCaller {
            owner,
            session: id,
            employee: employee.id,
            rights: employee.rights,
            proof,
        })),
        Some(client) if !client.is_active => Err(Refusal::ClientNotActive),
        Some(client) => Ok(Caller::Client(ClientCaller {
            owner,
            session: id,
            employee: employee.id,
            client: client.id,
            payments_enabled: client.payments_enabled,
            proof,
        })),
    }
}

/// Tells whether that is the text of the key now. Its location may be stale: the row decides.
pub(crate) fn goes_by(standing: &Standing, hash: KeyHash) -> bool {
    same(&standing.hash.to_bytes(), &hash.to_bytes())
}
