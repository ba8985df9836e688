//! Who carries an open verification, and until when.
//!
//! The lease stands in the verification's own row, since nearly every one ends before anybody else would have
//! looked for it. Its number is that of the bank call that its holder makes: whoever takes an open verification
//! over begins the next call, and the holder before can renew nothing.

use domain::fingerprint::Fingerprint;
use domain::ids::{OwnerId, VerificationId};
use domain::time::Timestamp;

use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::Tx;
use crate::value::Row;
use crate::verifications::Verification;

const SCAN_REASON: &str = "nodes look for whatever nobody carries, whosesoever it is";

statements! {
    RENEW = Sql::new(
        "update verifications set lease_until = $4 \
         where owner_id = $1 and id = $2 and state = 0 and calls = $3",
    );

    TAKE = Sql::new(
        "update verifications set calls = calls + 1, lease_until = $5, deadline = $6 \
         where owner_id = $1 and id = $2 and state = 0 and calls = $3 and lease_until <= $4",
    );

    // In the order of the one index that has the open ones alone.
    SCAN_FROM_THE_START = Sql::across_owners(
        "select owner_id, fingerprint, id from verifications where state = 0 and lease_until <= $1 \
         order by owner_id asc, fingerprint asc limit $2",
        SCAN_REASON,
    );

    SCAN_AFTER = Sql::across_owners(
        "select owner_id, fingerprint, id from verifications where state = 0 and lease_until <= $1 \
         and (owner_id, fingerprint) > ($2, $3) \
         order by owner_id asc, fingerprint asc limit $4",
        SCAN_REASON,
    );
}

/// The rows that one scan answers at most.
pub const SCAN_MAX: i64 = 500;

/// An open verification whose lease is over, and the place from which the next scan goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unattended {
    /// Whose it is.
    pub owner: OwnerId,
    /// What makes another call the same call.
    pub fingerprint: Fingerprint,
    /// Its id.
    pub id: VerificationId,
}

/// The open verifications whose lease is over at `now`, beyond `after` if given; [`SCAN_MAX`] at most. It
/// locks nothing, so another node may find the same.
///
/// # Errors
/// A fault of the store.
pub fn scan(
    tx: &mut Tx<'_>,
    now: Timestamp,
    after: Option<Unattended>,
) -> Result<Vec<Unattended>, Fault> {
    let rows = match after {
        None => tx.query(&SCAN_FROM_THE_START, &[now.into(), SCAN_MAX.into()])?,
        Some(Unattended { owner, fingerprint, .. }) => {
            let fingerprint = (&fingerprint.to_bytes()).into();
            let params = [now.into(), owner.into(), fingerprint, SCAN_MAX.into()];
            tx.query(&SCAN_AFTER, &params)?
        }
    };
    rows.iter().map(read).collect()
}

/// Moves the end of a lease to `until`, as long as nobody has begun another bank call since the one of number
/// `call`, and the verification is open. Answers whether it did.
///
/// # Errors
/// A fault of the store.
pub fn renew(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: VerificationId,
    call: i64,
    until: Timestamp,
) -> Result<bool, Fault> {
    let params = [owner.into(), id.into(), call.into(), until.into()];
    Ok(!tx.query(&RENEW, &params)?.is_empty())
}

/// Takes a verification over that was read as `row` and whose lease is over at `now`: its next bank call is
/// begun, its lease is until `until`, and its reservation lapses at `deadline`. Answers whether it did: it does not
/// where another node was faster, where the holder has renewed the lease, or where the row has its end.
///
/// # Errors
/// A fault of the store.
pub fn take(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    row: &Verification,
    now: Timestamp,
    (until, deadline): (Timestamp, Timestamp),
) -> Result<bool, Fault> {
    let (call, now) = (row.calls.into(), now.into());
    let params = [owner.into(), row.id.into(), call, now, until.into(), deadline.into()];
    Ok(!tx.query(&TAKE, &params)?.is_empty())
}

fn read(row: &Row) -> Result<Unattended, Fault> {
    let fingerprint = Fingerprint::from_bytes(row.get(1)?);
    Ok(Unattended { owner: row.get(0)?, fingerprint, id: row.get(2)? })
}
