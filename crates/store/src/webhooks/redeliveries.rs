//! Deliveries that begin again: the same bytes under the same id, by a schedule from its beginning.
//!
//! One that has ended is known to `due` again, with a fence beyond those of its former life; one
//! that waits for its next attempt waits no longer. Either way it is due once, and an attempt that is
//! under way this very moment is left alone.

use domain::ids::{EventId, OwnerId};
use domain::time::Timestamp;
use domain::webhooks::DeliveryState;

use crate::due::{self, Kind, Lease};
use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};
use crate::value::Value;

statements! {
    // What has nothing left to send stays as it is.
    REVIVE = Sql::new(
        "update webhook_deliveries set state = 0, step = 0, ended_at = null \
         where owner_id = $1 and id = $2 and (state = 2 or state = $3) and length(body) > 0 \
         and attempts < $4 \
         returning attempts",
    );

    RESTART = Sql::new(
        "update webhook_deliveries set step = 0 where owner_id = $1 and id = $2 and state = 0 \
         and attempts < $3",
    );

    LOOK = Sql::new(
        "select id, state, event, receiver, trouble from webhook_deliveries where owner_id = $1 \
         and id > $2 and id < $3 order by id asc limit $4",
    );

    COUNT = Sql::new(
        "select id from webhook_deliveries where owner_id = $1 and id > $2 and id < $3 \
         order by id asc limit $4",
    );
}

/// The answer to a request to have a delivery begin again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedeliveryStart {
    /// It is due.
    Due,
    /// An attempt is under way: its end is to be waited for.
    UnderWay,
    /// It has nothing left to send, or was sent too often.
    Never,
    /// There is none of this id.
    Unknown,
}

/// How many attempts a delivery may have had to begin again: to show or prove it is to read them all.
pub const BEGINS_AGAIN_BELOW: i64 = 300;

/// How often is looked again where somebody else changes the delivery in between.
const LOOKS_MAX: u32 = 3;

/// Begins a delivery again at `now`. Ring the bell of the deliveries once it has committed.
///
/// # Errors
/// A fault of the store.
pub fn begin(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: EventId,
    now: Timestamp,
) -> Result<RedeliveryStart, Fault> {
    let mut begun = RedeliveryStart::Unknown;
    // Between two statements an attempt may end, or another request may be fulfilled.
    for _ in 0..LOOKS_MAX {
        if due::hasten(tx, owner, Kind::Delivery, id.to_bytes(), now)? {
            let params = [owner.into(), id.into(), BEGINS_AGAIN_BELOW.into()];
            tx.defer(&RESTART, params, Expect::Any)?;
            return Ok(RedeliveryStart::Due);
        }
        if revive(tx, owner, &[id], DeliveryState::Delivered, now)? > 0 {
            return Ok(RedeliveryStart::Due);
        }
        begun = match crate::deliveries::find(tx, owner, id)? {
            None => return Ok(RedeliveryStart::Unknown),
            Some(delivery) if delivery.state == DeliveryState::Pending => RedeliveryStart::UnderWay,
            Some(_) => RedeliveryStart::Never,
        };
    }
    Ok(begun)
}

/// Result of a slice of many deliveries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// The last that was looked at; nothing where there was no more.
    pub last: Option<EventId>,
    /// How many were looked at.
    pub looked: i64,
    /// How many begin again.
    pub begun: i64,
}

/// Begins again, at `now`, those of the next `limit` deliveries behind `after` and before `end` that have failed: the
/// ones given up, and the ones that have failed and wait for their next attempt. If `receiver` is not empty, only
/// deliveries to it count. A delivery that is under way or has not been tried yet has not failed. Tests are not sent
/// again.
///
/// # Errors
/// A fault of the store.
pub fn begin_slice(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    (after, end): ([u8; 16], [u8; 16]),
    receiver: &str,
    limit: i64,
    now: Timestamp,
) -> Result<Slice, Fault> {
    let rows = tx.query(&LOOK, &[owner.into(), after.into(), end.into(), limit.into()])?;
    let (mut given_up, mut waiting) = (Vec::new(), Vec::new());
    for row in &rows {
        let (state, event): (i64, String) = (row.get("state")?, row.get("event")?);
        let to: String = row.get("receiver")?;
        let has_failed = row.get::<Option<String>>("trouble")?.is_some();
        let is_meant = receiver.is_empty() || receiver == to;
        let is_repeated = domain::webhooks::EventKind::parse(&event)
            .is_some_and(domain::webhooks::EventKind::is_sent_again);
        if !is_meant || !is_repeated {
            continue;
        }
        match DeliveryState::from_number(state) {
            Some(DeliveryState::Exhausted) => given_up.push(row.get("id")?),
            Some(DeliveryState::Pending) if has_failed => waiting.push(row.get("id")?),
            _ => {}
        }
    }
    let begun = revive(tx, owner, &given_up, DeliveryState::Exhausted, now)?
        + restart(tx, owner, &waiting, now)?;
    let last = rows.last().map(|row| row.get("id")).transpose()?;
    Ok(Slice { last, looked: i64::try_from(rows.len()).unwrap_or(i64::MAX), begun })
}

/// How many deliveries there are behind `after` and before `end`, `limit` at most, and the last of
/// them.
///
/// # Errors
/// A fault of the store.
pub fn count_slice(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    (after, end): ([u8; 16], [u8; 16]),
    limit: i64,
) -> Result<(i64, Option<EventId>), Fault> {
    let rows = tx.query(&COUNT, &[owner.into(), after.into(), end.into(), limit.into()])?;
    let last = rows.last().map(|row| row.get("id")).transpose()?;
    Ok((i64::try_from(rows.len()).unwrap_or(i64::MAX), last))
}

/// Ends the wait of those of these deliveries that wait, by a schedule from its beginning; answers how many.
fn restart(tx: &mut Tx<'_>, owner: OwnerId, ids: &[EventId], now: Timestamp) -> Result<i64, Fault> {
    let subjects: Vec<_> = ids.iter().map(|id| id.to_bytes()).collect();
    let hastened = due::hasten_all(tx, owner, Kind::Delivery, &subjects, now)?;
    let mut begun = 0;
    for (id, _) in ids.iter().zip(hastened).filter(|(_, is_hastened)| *is_hastened) {
        let params = [owner.into(), (*id).into(), BEGINS_AGAIN_BELOW.into()];
        tx.defer(&RESTART, params, Expect::Any)?;
        begun += 1;
    }
    Ok(begun)
}

/// Begins again those of these deliveries that were given up, or have the state `or`; answers how many.
fn revive(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    ids: &[EventId],
    or: DeliveryState,
    now: Timestamp,
) -> Result<i64, Fault> {
    if ids.is_empty() {
        return Ok(0);
    }
    let params = |id: &EventId| -> [Value; 4] {
        [owner.into(), (*id).into(), or.number().into(), BEGINS_AGAIN_BELOW.into()]
    };
    let params: Vec<_> = ids.iter().map(params).collect();
    let all: Vec<(&'static Sql, &[Value])> =
        params.iter().map(|params| (&REVIVE, params.as_slice())).collect();
    let mut begun = 0;
    for (id, rows) in ids.iter().zip(tx.query_all(&all)?) {
        let Some(row) = rows.first() else { continue };
        let attempts = u32::try_from(row.get::<i64>("attempts")?)
            .map_err(|_| Fault::broken("a delivery with a broken count"))?;
        let lease = Lease::waiting_after(attempts);
        due::insert_after(tx, owner, Kind::Delivery, id.to_bytes(), now, lease)?;
        begun += 1;
    }
    Ok(begun)
}
