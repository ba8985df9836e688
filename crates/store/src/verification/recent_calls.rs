//! Calls that are known again: for each fingerprint the verification whose payment answers the same call, for a day
//! from its end.
//!
//! The row is written in the transaction that confirms the verification, whether that claimed the payment or found it
//! claimed, and by nothing else. So no row is of an open verification, which is found and joined by the unique index of
//! those; and one that ends without a payment hides none that has one. Where two are confirmed with one
//! fingerprint, the latest has the row: the same call was asked again after a day, or it began while the other one
//! ended.
//!
//! A row can be missing, where a clock that was ahead had it swept too early. The call is a question like any other
//! then: the movement that it finds is claimed, and costs nothing. Which answer reported the payment as new stands
//! with the claim.

use domain::fingerprint::Fingerprint;
use domain::ids::{OwnerId, VerificationId};
use domain::time::Timestamp;

use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};
use crate::value::Value;

statements! {
    FIND = Sql::new(
        "select v.payment_id from recent_calls r \
         join verifications v on v.owner_id = $1 and v.id = r.verification_id \
         where r.owner_id = $1 and r.fingerprint = $2 and r.ended_at > $3",
    );

    INSERT = Sql::new(
        "insert into recent_calls (owner_id, fingerprint, verification_id, ended_at) \
         values ($1, $2, $3, $4) on conflict (owner_id, fingerprint) do update \
         set verification_id = excluded.verification_id, ended_at = excluded.ended_at",
    );

    FIND_OLD = Sql::across_owners(
        "select owner_id, fingerprint from recent_calls where ended_at <= $1 \
         order by ended_at asc limit $2",
        "the janitor looks for calls that are known no longer",
    );

    // Unless the same call was confirmed again since it was found.
    DELETE_OLD = Sql::new(
        "delete from recent_calls where owner_id = $1 and fingerprint = $2 and ended_at <= $3",
    );
}

/// The statement that finds the payment of the call with this fingerprint, if its verification ended after `since`,
/// and its parameters.
pub(crate) fn finding(
    owner: OwnerId,
    fingerprint: Fingerprint,
    since: Timestamp,
) -> (&'static Sql, [Value; 3]) {
    (&FIND, [owner.into(), (&fingerprint.to_bytes()).into(), since.into()])
}

/// Keeps that the call with this fingerprint is answered by the verification, which is confirmed at `ended_at`.
pub(crate) fn insert(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    fingerprint: Fingerprint,
    verification: VerificationId,
    ended_at: Timestamp,
) -> Result<(), Fault> {
    let fingerprint = (&fingerprint.to_bytes()).into();
    let params = [owner.into(), fingerprint, verification.into(), ended_at.into()];
    tx.defer(&INSERT, params, Expect::Rows(1))
}

/// Calls whose verification ended up to `until`, the oldest first, at most `limit` of them.
///
/// # Errors
/// A fault of the store.
pub fn find_old(
    tx: &mut Tx<'_>,
    until: Timestamp,
    limit: i64,
) -> Result<Vec<(OwnerId, Fingerprint)>, Fault> {
    let rows = tx.query(&FIND_OLD, &[until.into(), limit.into()])?;
    rows.iter()
        .map(|row| Ok((row.get("owner_id")?, Fingerprint::from_bytes(row.get("fingerprint")?))))
        .collect()
}

/// Deletes those of an owner's calls whose verification ended up to `until`.
///
/// # Errors
/// A fault of the store.
pub fn delete_old(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    calls: &[Fingerprint],
    until: Timestamp,
) -> Result<(), Fault> {
    for call in calls {
        let params = [owner.into(), (&call.to_bytes()).into(), until.into()];
        tx.defer(&DELETE_OLD, params, Expect::Any)?;
    }
    Ok(())
}
