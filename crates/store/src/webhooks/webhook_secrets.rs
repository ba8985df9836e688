//! What owners' webhooks are signed with, sealed: one secret for each owner, and for a while after a
//! rotation the one of before.

use domain::ids::OwnerId;
use domain::time::Timestamp;

use crate::ended::{self, EndedThing};
use crate::fault::Fault;
use crate::owners;
use crate::point_query::{PointQuery, at_most_one};
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};
use crate::value::Row;

statements! {
    FIND = Sql::new(
        "select secret, previous, previous_until from webhook_secrets where owner_id = $1",
    );

    // A rotation waits until the transactions that have read it so have committed.
    FIND_TO_SIGN = Sql::new(
        "select secret, previous, previous_until from webhook_secrets where owner_id = $1 \
         for key share",
    );

    LOCK = Sql::new(
        "select secret, previous, previous_until from webhook_secrets where owner_id = $1 \
         for update",
    );

    INSERT = Sql::new(
        "insert into webhook_secrets (owner_id, secret, created_at) values ($1, $2, $3) \
         on conflict do nothing",
    );

    ROTATE = Sql::new(
        "update webhook_secrets set secret = $2, created_at = $3, previous = $4, \
         previous_until = $5 where owner_id = $1",
    );

    RESEAL = Sql::new(
        "update webhook_secrets set secret = $2, previous = $3 where owner_id = $1",
    );

    OVER_OWNERS = Sql::across_owners(
        "select owner_id, previous_until from webhook_secrets where previous_until <= $1 \
         order by previous_until asc limit $2",
        "the janitor looks for owners whose former secrets have had their day",
    );

    FORGET_OVER = Sql::new(
        "update webhook_secrets set previous = null, previous_until = null \
         where owner_id = $1 and previous_until <= $2",
    );
}

/// Secrets of an owner or a client as they are kept. Nothing of them is readable without the master key, and still nobody
/// is shown any.
#[derive(Clone, PartialEq, Eq)]
pub struct Sealed {
    /// The one that signs.
    pub current: Vec<u8>,
    /// The one of before, until when it is good.
    pub previous: Option<(Vec<u8>, Timestamp)>,
}

impl std::fmt::Debug for Sealed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sealed").finish_non_exhaustive()
    }
}

/// The sealed secrets of an owner, if one was made.
///
/// # Errors
/// A fault of the store.
pub fn find(tx: &mut Tx<'_>, owner: OwnerId) -> Result<Option<Sealed>, Fault> {
    tx.query_opt(&FIND, &[owner.into()])?.as_ref().map(read).transpose()
}

/// The query for what signs deliveries that the same transaction takes: no rotation is answered
/// between the answer and the commit.
pub(crate) fn asked_to_sign(owner: OwnerId) -> PointQuery<Option<Sealed>> {
    PointQuery::new(&FIND_TO_SIGN, [owner.into()], |rows| at_most_one(rows)?.map(read).transpose())
}

/// Finds the secrets as [`find`] does, and holds them: nobody else changes them until the transaction ends.
///
/// # Errors
/// A fault of the store.
pub fn lock(tx: &mut Tx<'_>, owner: OwnerId) -> Result<Option<Sealed>, Fault> {
    tx.query_opt(&LOCK, &[owner.into()])?.as_ref().map(read).transpose()
}

/// Keeps the sealed secret of an owner, unless it has one; answers, locked, what is kept.
///
/// # Errors
/// A fault of the store.
pub fn make(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    sealed: &[u8],
    now: Timestamp,
) -> Result<Sealed, Fault> {
    tx.defer(&INSERT, [owner.into(), sealed.into(), now.into()], Expect::Any)?;
    lock(tx, owner)?.ok_or_else(|| Fault::broken("the webhook secret is missing after its insert"))
}

/// Puts others in the place of what is kept, all of it.
///
/// # Errors
/// A fault of the store; an owner that has none fails the transaction.
pub fn rotate(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    sealed: &Sealed,
    now: Timestamp,
) -> Result<(), Fault> {
    let (previous, until) = match &sealed.previous {
        Some((previous, until)) => (Some(previous.as_slice()), Some(*until)),
        None => (None, None),
    };
    let current = sealed.current.as_slice();
    let params = [owner.into(), current.into(), now.into(), previous.into(), until.into()];
    ended::note(tx, owner, EndedThing::WebhookSecret, now);
    tx.defer(&ROTATE, params, Expect::Rows(1))
}

/// Puts the same secrets, sealed again, in the place of what is kept.
///
/// # Errors
/// A fault of the store; an owner that has none fails the transaction.
pub fn reseal(tx: &mut Tx<'_>, owner: OwnerId, sealed: &Sealed) -> Result<(), Fault> {
    let previous = sealed.previous.as_ref().map(|(previous, _)| previous.as_slice());
    let params = [owner.into(), sealed.current.as_slice().into(), previous.into()];
    tx.defer(&RESEAL, params, Expect::Rows(1))
}

/// Owners with a former secret that was good until `until` at the latest, at most `limit` of them.
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

/// Forgets the owner's former secret, if it was good until `until` at the latest. There is one at
/// most, however many may be forgotten.
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

/// Reads the columns of a secret and of the one of before.
pub(crate) fn read(row: &Row) -> Result<Sealed, Fault> {
    let previous: Option<Vec<u8>> = row.get("previous")?;
    let until: Option<Timestamp> = row.get("previous_until")?;
    Ok(Sealed { current: row.get("secret")?, previous: previous.zip(until) })
}
