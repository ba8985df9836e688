//! What webhooks are signed with for the receivers of a client, sealed: one secret at most for each client, and for a
//! while after a rotation the one of before.

use std::collections::BTreeSet;

use domain::ids::{ClientId, OwnerId};
use domain::time::Timestamp;

use crate::ended::{self, EndedThing};
use crate::fault::Fault;
use crate::owners;
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};
use crate::value::{Row, Value};
use crate::webhook_secrets::{self, Sealed, read};

statements! {
    FIND = Sql::new(
        "select secret, previous, previous_until from client_webhook_secrets \
         where owner_id = $1 and client_id = $2",
    );

    STANDING = Sql::new(
        "select created_at, previous_until from client_webhook_secrets \
         where owner_id = $1 and client_id = $2",
    );

    // A rotation waits until the transactions that have read it so have committed.
    FIND_TO_SIGN = Sql::new(
        "select secret, previous, previous_until from client_webhook_secrets \
         where owner_id = $1 and client_id = $2 for key share",
    );

    LOCK = Sql::new(
        "select secret, previous, previous_until from client_webhook_secrets \
         where owner_id = $1 and client_id = $2 for update",
    );

    OF_OWNER = Sql::new(
        "select client_id, secret, previous, previous_until from client_webhook_secrets \
         where owner_id = $1 order by client_id asc",
    );

    PUT = Sql::new(
        "insert into client_webhook_secrets (owner_id, client_id, secret, created_at, previous, \
         previous_until) values ($1, $2, $3, $4, $5, $6) \
         on conflict (owner_id, client_id) do update set secret = excluded.secret, \
         created_at = excluded.created_at, previous = excluded.previous, \
         previous_until = excluded.previous_until",
    );

    RESEAL = Sql::new(
        "update client_webhook_secrets set secret = $3, previous = $4 \
         where owner_id = $1 and client_id = $2",
    );

    REMOVE = Sql::new("delete from client_webhook_secrets where owner_id = $1 and client_id = $2");

    OVER_OWNERS = Sql::across_owners(
        "select owner_id, previous_until from client_webhook_secrets where previous_until <= $1 \
         order by previous_until asc limit $2",
        "the janitor looks for owners of clients whose former secrets have had their day",
    );

    FORGET_OVER = Sql::new(
        "update client_webhook_secrets set previous = null, previous_until = null \
         where owner_id = $1 and previous_until <= $2",
    );
}

/// Facts about a client's secret that are none themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// When the present one was made.
    pub created_at: Timestamp,
    /// Until when the one of before is good, if there is one.
    pub previous_until: Option<Timestamp>,
}

/// The sealed secrets of a client, if one was made.
///
/// # Errors
/// A fault of the store.
pub fn find(tx: &mut Tx<'_>, owner: OwnerId, client: ClientId) -> Result<Option<Sealed>, Fault> {
    tx.query_opt(&FIND, &[owner.into(), client.into()])?.as_ref().map(read).transpose()
}

/// Facts about the secret of a client, if it has one.
///
/// # Errors
/// A fault of the store.
pub fn standing(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    client: ClientId,
) -> Result<Option<Standing>, Fault> {
    let row = tx.query_opt(&STANDING, &[owner.into(), client.into()])?;
    let standing = |row: &Row| {
        let previous_until = row.get("previous_until")?;
        Ok(Standing { created_at: row.get("created_at")?, previous_until })
    };
    row.as_ref().map(standing).transpose()
}

/// Secrets that sign, for these clients, deliveries which the same transaction has claimed; of a client without one there
/// is nothing. No rotation is answered between the answer and the commit. Without clients, the store is not asked.
///
/// # Errors
/// A fault of the store.
pub fn to_sign(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    clients: &BTreeSet<ClientId>,
) -> Result<Vec<(ClientId, Sealed)>, Fault> {
    if clients.is_empty() {
        return Ok(Vec::new());
    }
    let params: Vec<[Value; 2]> =
        clients.iter().map(|client| [owner.into(), (*client).into()]).collect();
    let finds: Vec<(&'static Sql, &[Value])> =
        params.iter().map(|params| (&FIND_TO_SIGN, params.as_slice())).collect();
    let mut found = Vec::new();
    for (client, rows) in clients.iter().zip(tx.query_all(&finds)?) {
        if let Some(row) = rows.first() {
            found.push((*client, read(row)?));
        }
    }
    Ok(found)
}

/// Finds the secrets as [`find`] does, and holds them: nobody else changes them until the transaction ends. The owner's
/// are held before, as where deliveries are claimed: so nobody who has read those waits for these, whichever secrets one
/// batch changes.
///
/// # Errors
/// A fault of the store.
pub fn lock(tx: &mut Tx<'_>, owner: OwnerId, client: ClientId) -> Result<Option<Sealed>, Fault> {
    webhook_secrets::lock(tx, owner)?;
    tx.query_opt(&LOCK, &[owner.into(), client.into()])?.as_ref().map(read).transpose()
}

/// The sealed secrets of all the owner's clients that have one.
///
/// # Errors
/// A fault of the store.
pub fn of_owner(tx: &mut Tx<'_>, owner: OwnerId) -> Result<Vec<(ClientId, Sealed)>, Fault> {
    let rows = tx.query(&OF_OWNER, &[owner.into()])?;
    rows.iter().map(|row| Ok((row.get("client_id")?, read(row)?))).collect()
}

/// Keeps these in the place of whatever the client has.
///
/// # Errors
/// A fault of the store; a client that is not there fails the transaction.
pub fn put(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    client: ClientId,
    sealed: &Sealed,
    now: Timestamp,
) -> Result<(), Fault> {
    let (previous, until) = match &sealed.previous {
        Some((previous, until)) => (Some(previous.as_slice()), Some(*until)),
        None => (None, None),
    };
    let current = sealed.current.as_slice();
    let params =
        [owner.into(), client.into(), current.into(), now.into(), previous.into(), until.into()];
    ended::note(tx, owner, EndedThing::ClientWebhookSecret(client), now);
    tx.defer(&PUT, params, Expect::Rows(1))
}

/// Puts the same secrets, sealed again, in the place of what is kept.
///
/// # Errors
/// A fault of the store; a client that has none fails the transaction.
pub fn reseal(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    client: ClientId,
    sealed: &Sealed,
) -> Result<(), Fault> {
    let previous = sealed.previous.as_ref().map(|(previous, _)| previous.as_slice());
    let current = sealed.current.as_slice();
    let params = [owner.into(), client.into(), current.into(), previous.into()];
    tx.defer(&RESEAL, params, Expect::Rows(1))
}

/// Deletes the client's secrets, in the order of locks of [`lock`]; answers whether it had any.
///
/// # Errors
/// A fault of the store.
pub fn remove(tx: &mut Tx<'_>, owner: OwnerId, client: ClientId) -> Result<bool, Fault> {
    webhook_secrets::lock(tx, owner)?;
    Ok(tx.execute(&REMOVE, &[owner.into(), client.into()])? > 0)
}

/// Owners of clients with a former secret that was good until `until` at the latest, of at most `limit` clients.
///
/// # Errors
/// A fault of the store.
pub fn owners_with_over(
    tx: &mut Tx<'_>,
    until: Timestamp,
    limit: i64,
) -> Result<Vec<OwnerId>, Fault> {
    owners::each(&tx.query(&OVER_OWNERS, &[until.into(), limit.into()])?)
}

/// Forgets the former secrets of the owner's clients that were good until `until` at the latest. There is one at most
/// for each client, however many may be forgotten.
///
/// # Errors
/// A fault of the store.
pub fn forget_over(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    until: Timestamp,
    _limit: i64,
) -> Result<u64, Fault> {
    tx.execute(&FORGET_OVER, &[owner.into(), until.into()])
}
