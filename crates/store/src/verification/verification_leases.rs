//! Who carries an open verification, and until when.
//!
//! The lease stands in the verification's own row, since nearly every one ends before anybody else would have
//! looked for it. Its number is that of the bank call that its holder makes: a node that takes an open
//! verification over begins the next call, and the holder before can renew nothing.

use domain::fingerprint::Fingerprint;
use domain::ids::{OwnerId, VerificationId};
use domain::time::Timestamp;

use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::Tx;
use crate::value::Row;

const SCAN_REASON: &str = "nodes look for whatever nobody carries, whosesoever it is";

/// The columns that [`read`] takes.
macro_rules! selected {
    () => {
        "select owner_id, fingerprint, id, lease_until, calls from verifications where state = 0 "
    };
}

statements! {
    RENEW = Sql::new(
        "update verifications set lease_until = $4 \
         where owner_id = $1 and id = $2 and state = 0 and calls = $3",
    );

    // While the lease is the one that was found over: its holder may have renewed it since.
    TAKE = Sql::new(
        "update verifications set calls = calls + 1, lease_until = $5, deadline = $6 \
         where owner_id = $1 and id = $2 and state = 0 and calls = $3 \
         and lease_until = $4",
    );

    // In the order of the one index that has the open ones alone.
    SCAN_FROM_THE_START = Sql::across_owners(
        concat!(selected!(), "order by owner_id asc, fingerprint asc limit $1"),
        SCAN_REASON,
    );

    SCAN_AFTER = Sql::across_owners(
        concat!(
            selected!(),
            "and (owner_id, fingerprint) > ($1, $2) order by owner_id asc, fingerprint asc limit $3"
        ),
        SCAN_REASON,
    );
}

/// The bank call of the node that opens a verification.
pub const FIRST_CALL: i64 = 1;

/// The rows that one scan reads at most.
const SCAN_MAX: i64 = 500;

/// An open verification, and the place from which the next scan goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Open {
    /// Whose it is.
    pub owner: OwnerId,
    /// What makes another call the same call.
    pub fingerprint: Fingerprint,
    /// Its id.
    pub id: VerificationId,
    /// When its lease ends.
    pub until: Timestamp,
    /// The number of its latest bank call.
    pub call: i64,
}

/// The open verifications beyond `after`, if given, whether somebody has them or not; `SCAN_MAX` at most, so that a
/// scan is short however many are open. It locks nothing, so another node may find the same.
///
/// # Errors
/// A fault of the store.
pub fn scan(tx: &mut Tx<'_>, after: Option<Open>) -> Result<Vec<Open>, Fault> {
    let rows = match after {
        None => tx.query(&SCAN_FROM_THE_START, &[SCAN_MAX.into()])?,
        Some(Open { owner, fingerprint, .. }) => {
            let fingerprint = (&fingerprint.to_bytes()).into();
            tx.query(&SCAN_AFTER, &[owner.into(), fingerprint, SCAN_MAX.into()])?
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
    Ok(tx.execute(&RENEW, &params)? > 0)
}

/// Takes a verification over whose lease was found to be over: the next bank call is begun, the lease is until
/// `until`, and the reservation lapses at `deadline`. Answers whether it did: it does not where another node was
/// faster, where the holder has renewed the lease, or where the verification has ended.
///
/// # Errors
/// A fault of the store.
pub fn take(
    tx: &mut Tx<'_>,
    found: Open,
    until: Timestamp,
    deadline: Timestamp,
) -> Result<bool, Fault> {
    let Open { owner, id, call, until: ended, .. } = found;
    let params =
        [owner.into(), id.into(), call.into(), ended.into(), until.into(), deadline.into()];
    Ok(tx.execute(&TAKE, &params)? > 0)
}

pub(crate) fn read(row: &Row) -> Result<Open, Fault> {
    Ok(Open {
        owner: row.get("owner_id")?,
        fingerprint: Fingerprint::from_bytes(row.get("fingerprint")?),
        id: row.get("id")?,
        until: row.get("lease_until")?,
        call: row.get("calls")?,
    })
}
