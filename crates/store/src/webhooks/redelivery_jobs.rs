//! Jobs that have an owner's failed deliveries begin again, slice by slice: how far each has come is
//! written with what it did, so that a node that goes on with it does nothing twice. At first it is
//! counted, in slices too, how many deliveries there are to look at.

use std::time::Duration;

use domain::ids::{OwnerId, RedeliveryId};
use domain::time::Timestamp;

use crate::due::{self, Kind};
use crate::fault::Fault;
use crate::list::first_id;
use crate::redeliveries::{Slice, begin_slice, count_slice};
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};
use crate::value::Row;

statements! {
    INSERT = Sql::new(
        "insert into webhook_redeliveries (owner_id, id, state, since, until, receiver, place, \
         looked, redelivered, created_at, counted_to, counted) \
         values ($1, $2, 0, $3, $4, $5, $6, 0, 0, $7, $6, 0) on conflict do nothing returning id",
    );

    RUNNING = Sql::new("select id from webhook_redeliveries where owner_id = $1 and state = 0");

    FIND = Sql::new(
        "select id, state, since, until, receiver, place, looked, redelivered, created_at, \
         ended_at, counted_to, counted from webhook_redeliveries where owner_id = $1 and id = $2",
    );

    ADVANCE = Sql::new(
        "update webhook_redeliveries set place = $3, looked = looked + $4, \
         redelivered = redelivered + $5 where owner_id = $1 and id = $2",
    );

    // Null where all is counted.
    COUNTED = Sql::new(
        "update webhook_redeliveries set counted_to = $3, counted = counted + $4 \
         where owner_id = $1 and id = $2",
    );

    FORGET = Sql::new(
        "delete from webhook_redeliveries where owner_id = $1 and state = 1 and created_at < $2",
    );

    END = Sql::new(
        "update webhook_redeliveries set state = 1, ended_at = $3, counted = looked \
         where owner_id = $1 and id = $2",
    );
}

/// How many deliveries a slice looks at.
pub const SLICE_LEN: i64 = 200;

/// How many deliveries are counted at once. Nothing but their ids is read for it.
pub const COUNT_LEN: i64 = 1_000;

/// The last instant that there is.
const LAST: Timestamp = Timestamp::from_micros(i64::MAX);

/// For how long a job is kept at least.
const KEPT: Duration = Duration::from_secs(90 * 24 * 60 * 60);

/// Which deliveries are to begin again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Those whose events are of this instant or later,
    pub since: Timestamp,
    /// and earlier than this one.
    pub until: Timestamp,
    /// To this host and port alone.
    pub receiver: Option<String>,
}

/// A job as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// Its id.
    pub id: RedeliveryId,
    /// What it is about.
    pub wanted: Wanted,
    /// How many deliveries there are to look at; nothing as long as that is counted.
    pub total: Option<i64>,
    /// How many of them it has looked at.
    pub looked: i64,
    /// How many of them begin again.
    pub redelivered: i64,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it ended; nothing while it runs.
    pub ended_at: Option<Timestamp>,
    place: [u8; 16],
    /// The last delivery that was counted; nothing where all are.
    counted_to: Option<[u8; 16]>,
}

/// Makes a job that any node that looks begins at `now`, and forgets the owner's old ones; or answers the
/// one that runs already.
///
/// # Errors
/// A fault of the store.
pub fn begin(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: RedeliveryId,
    wanted: &Wanted,
    now: Timestamp,
) -> Result<Result<(), RedeliveryId>, Fault> {
    let params = [
        owner.into(),
        id.into(),
        wanted.since.into(),
        wanted.until.into(),
        wanted.receiver.as_deref().unwrap_or_default().into(),
        before(first_id(wanted.since)).into(),
        now.into(),
    ];
    tx.defer(&FORGET, [owner.into(), now.minus(KEPT).into()], Expect::Any)?;
    // The one in the way may end before it is looked at.
    for _ in 0..2 {
        if tx.query_opt(&INSERT, &params)?.is_some() {
            due::insert(tx, owner, Kind::Redelivery, id.to_bytes(), now)?;
            // Few are counted at once, so that the caller learns how many they are.
            let place = (before(first_id(wanted.since)), first_id(wanted.until));
            count(tx, owner, id, place)?;
            return Ok(Ok(()));
        }
        if let Some(running) = tx.query_opt(&RUNNING, &[owner.into()])? {
            return Ok(Err(running.get("id")?));
        }
    }
    Err(Fault::broken("a redelivery job conflicts with one that is missing"))
}

/// A job.
///
/// # Errors
/// A fault of the store.
pub fn find(tx: &mut Tx<'_>, owner: OwnerId, id: RedeliveryId) -> Result<Option<Job>, Fault> {
    tx.query_opt(&FIND, &[owner.into(), id.into()])?.map(|row| read(&row)).transpose()
}

/// Counts or does a slice of a job, and notes how far that is; answers whether more
/// is left. Of several nodes one at a time does.
///
/// # Errors
/// A fault of the store.
pub fn advance(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: RedeliveryId,
    now: Timestamp,
) -> Result<bool, Fault> {
    // Nothing is done outside of this transaction, so that the lease need not outlive it; and a job waits for no hour,
    // so that one which a scan has found is due, by whatever clock it was written.
    let subject = id.to_bytes();
    if due::claim(tx, owner, Kind::Redelivery, subject, LAST, now)?.is_none() {
        return Ok(false);
    }
    let job = find(tx, owner, id)?
        .ok_or_else(|| Fault::broken("a due row without its redelivery job"))?;
    let Wanted { until, receiver, .. } = &job.wanted;
    if let Some(counted_to) = job.counted_to {
        count(tx, owner, id, (counted_to, first_id(*until)))?;
        return Ok(true);
    }
    let (place, to) = ((job.place, first_id(*until)), receiver.as_deref().unwrap_or_default());
    let Slice { last, looked, begun } = begin_slice(tx, owner, place, to, SLICE_LEN, now)?;
    if let Some(last) = last {
        let params = [owner.into(), id.into(), last.to_bytes().into(), looked.into(), begun.into()];
        tx.defer(&ADVANCE, params, Expect::Rows(1))?;
    }
    let is_over = looked < SLICE_LEN;
    if is_over {
        tx.defer(&END, [owner.into(), id.into(), now.into()], Expect::Rows(1))?;
        due::remove(tx, owner, Kind::Redelivery, subject)?;
    }
    Ok(!is_over)
}

/// Counts those of a job that come next, and notes how far that is.
fn count(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: RedeliveryId,
    place: ([u8; 16], [u8; 16]),
) -> Result<(), Fault> {
    let (counted, last) = count_slice(tx, owner, place, COUNT_LEN)?;
    let counted_to = last.filter(|_| counted == COUNT_LEN).map(|last| last.to_bytes().to_vec());
    let params = [owner.into(), id.into(), counted_to.into(), counted.into()];
    tx.defer(&COUNTED, params, Expect::Rows(1))
}

/// The id before that one.
fn before(id: [u8; 16]) -> [u8; 16] {
    u128::from_be_bytes(id).saturating_sub(1).to_be_bytes()
}

fn read(row: &Row) -> Result<Job, Fault> {
    let receiver: String = row.get("receiver")?;
    let receiver = Some(receiver).filter(|receiver| !receiver.is_empty());
    let counted_to: Option<[u8; 16]> = row.get("counted_to")?;
    let counted: Option<i64> = row.get("counted")?;
    let looked: i64 = row.get("looked")?;
    Ok(Job {
        id: row.get("id")?,
        wanted: Wanted { since: row.get("since")?, until: row.get("until")?, receiver },
        place: row.get("place")?,
        // What was under way to the store while it was counted is looked at all the same.
        total: counted.filter(|_| counted_to.is_none()).map(|counted| counted.max(looked)),
        counted_to,
        looked,
        redelivered: row.get("redelivered")?,
        created_at: row.get("created_at")?,
        ended_at: row.get("ended_at")?,
    })
}
