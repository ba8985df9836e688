//! Background work owner by owner, while what asks about all owners fails.
//!
//! On a distributed server a statement over all owners fails as long as one server is lost. Then each kind of work asks
//! those that are known one by one, every ten seconds, and leaves alone for a while who does not answer. All goes on by
//! itself when the server is back.

use std::future::Future;

use db::{Meter, Store};
use domain::ids::OwnerId;
use domain::time::Timestamp;

use crate::deliveries::{self, Found};
use crate::due::{self, Due, Kind, SCAN_MAX};
use crate::fault::{Fault, FaultKind};
use crate::sql::Sql;
use crate::statements;
use crate::tx::Tx;
use crate::verification_leases::{self, Open};
use crate::{installation, owners};

statements! {
    // Not along the index by which all owners are looked through.
    DUE = Sql::new(
        "select owner_id, subject_id, due_at from due where owner_id = $1 and kind = $2 and +due_at <= $3 \
         order by +due_at asc, subject_id asc limit $4",
    );

    DELIVERIES = Sql::new(
        "select d.owner_id, d.subject_id, d.due_at, w.receiver \
         from due d join webhook_deliveries w on w.owner_id = $1 and w.id = d.subject_id \
         where d.owner_id = $1 and d.kind = $2 and +d.due_at <= $3 \
         order by +d.due_at asc, d.subject_id asc limit $4",
    );

    OPEN_VERIFICATIONS = Sql::new(
        "select owner_id, fingerprint, id, lease_until, calls from verifications \
         where owner_id = $1 and state = 0 and fingerprint > $2 order by fingerprint asc limit $3",
    );
}

/// Owners that are learnt with one statement.
const PAGE_LEN: usize = 1_000;

/// Id before those of all owners.
const NOBODY: OwnerId = OwnerId::from_bytes([0; 16]);

/// How a piece of work reaches owners.
#[derive(Debug)]
pub enum Reach<T> {
    /// All at once, with this result.
    All(T),
    /// Each of these by itself, since a statement over all of them fails.
    OneByOne(Vec<OwnerId>),
}

/// Does `all`, which asks about all owners, or says whom to ask one by one where it fails or has just failed.
///
/// # Errors
/// The fault of `all`, if asking one by one were of no use: it is of another kind, no owner is known, the database does
/// not answer at all, or every owner can be reached.
pub async fn reach<T>(
    store: &Store,
    work: &'static str,
    now: Timestamp,
    all: impl Future<Output = Result<T, Fault>>,
) -> Result<Reach<T>, Fault> {
    let known = store.known_owners();
    if let Some(owners) = known.apart(work, now) {
        return Ok(Reach::OneByOne(owners));
    }
    let fault = match all.await {
        Ok(done) => return Ok(Reach::All(done)),
        Err(fault) => fault,
    };
    let may_be_lost = matches!(fault.kind(), FaultKind::LostServer | FaultKind::Unavailable);
    if !may_be_lost || !known.is_any_known() || !is_any_out_of_reach(store).await {
        return Err(fault);
    }
    tracing::warn!(work, error = %fault, "not every owner can be reached: work goes on owner by owner");
    known.note_failure(now);
    Ok(Reach::OneByOne(known.apart(work, now).unwrap_or_default()))
}

/// Tells whether the database answers, and does not reach all owners. What failed by a time limit, or with a connection
/// that is back, is simply tried again: asking many owners one by one would be work for nothing.
async fn is_any_out_of_reach(store: &Store) -> bool {
    let meter = Meter::default();
    store.look_up(&meter, installation::look).await.is_ok()
        && store.look_up(&meter, |tx| page(tx, NOBODY)).await.is_err()
}

/// Takes note that an owner could not be asked by itself either.
pub fn note_silence(store: &Store, owner: OwnerId, fault: &Fault, now: Timestamp) {
    tracing::debug!(%owner, error = %fault, "an owner cannot be reached");
    store.known_owners().note_silence(owner, now);
}

/// Learns which owners there are, where the database is a server.
///
/// # Errors
/// A fault of the store. What was known before is known still.
pub async fn learn(store: &Store) -> Result<(), Fault> {
    if !store.is_served() {
        return Ok(());
    }
    let (meter, mut after) = (Meter::default(), NOBODY);
    loop {
        let page = store.look_up(&meter, move |tx| page(tx, after)).await?;
        let is_last = page.len() < PAGE_LEN;
        after = page.last().copied().unwrap_or(after);
        store.known_owners().learn(page);
        if is_last {
            return Ok(());
        }
    }
}

/// The next owners after that one. A distributed server asks all of its servers for them.
fn page(tx: &mut Tx<'_>, after: OwnerId) -> Result<Vec<OwnerId>, Fault> {
    owners::page(tx, after, PAGE_LEN as i64)
}

/// An owner's work of a kind that is due at `now`, as [`due::scan`] reads that of all; the longest overdue.
///
/// # Errors
/// A fault of the store.
pub fn due(tx: &mut Tx<'_>, owner: OwnerId, kind: Kind, now: Timestamp) -> Result<Vec<Due>, Fault> {
    let params = [owner.into(), kind.number().into(), now.into(), SCAN_MAX.into()];
    tx.query(&DUE, &params)?.iter().map(due::read).collect()
}

/// An owner's deliveries that are due at `now`, as [`deliveries::scan`] reads those of all; the longest overdue.
///
/// # Errors
/// A fault of the store.
pub fn deliveries(tx: &mut Tx<'_>, owner: OwnerId, now: Timestamp) -> Result<Vec<Found>, Fault> {
    let kind = Kind::Delivery.number();
    let params = [owner.into(), kind.into(), now.into(), SCAN_MAX.into()];
    tx.query(&DELIVERIES, &params)?.iter().map(deliveries::found).collect()
}

/// An owner's open verifications beyond `after`, as [`verification_leases::scan`] reads those of all.
///
/// # Errors
/// A fault of the store.
pub fn open_verifications(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    after: Option<Open>,
) -> Result<Vec<Open>, Fault> {
    let after = after.map_or_else(Vec::new, |open| open.fingerprint.to_bytes().to_vec());
    let params = [owner.into(), after.into(), SCAN_MAX.into()];
    tx.query(&OPEN_VERIFICATIONS, &params)?.iter().map(verification_leases::read).collect()
}
