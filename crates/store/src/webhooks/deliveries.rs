//! Deliveries of webhooks: written in the transaction that makes an event true, attempted by
//! whichever node has the lease, and kept with every attempt.

use std::time::Duration;

use domain::ids::{EventId, OwnerId};
use domain::time::Timestamp;
use domain::webhooks::{DeliveryState, EventKind, Phases, Trouble, receiver};

use crate::delivery_types::EventDigests;
use crate::due::{self, Due, Kind, Lease, SCAN_MAX};
use crate::evidence;
use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};
use crate::value::{Row, Value};
use crate::webhook_secrets::{self, Sealed};

pub use crate::delivery_types::{
    ANSWER_KEPT_MAX, Attempt, Conclusion, Delivery, Event, NewDelivery, Next,
};

statements! {
    INSERT = Sql::new(
        "insert into webhook_deliveries (owner_id, id, event, subject_id, client_id, url, receiver, \
         body, created_at, state, attempts, digest, url_digest, chain) \
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
    );

    FIND = Sql::new(
        "select id, event, subject_id, client_id, url, body, created_at, state, attempts, step, \
         trouble, ended_at, chain, pruned_at from webhook_deliveries \
         where owner_id = $1 and id = $2",
    );

    ATTEMPTS = Sql::new(
        "select number, began_at, duration, status, answer, trouble, sent, address, is_reused, \
         phases, answer_head from webhook_attempts where owner_id = $1 and delivery_id = $2 \
         order by number desc limit $3",
    );

    SCAN = Sql::across_owners(
        "select d.owner_id, d.subject_id, d.due_at, w.receiver \
         from due d join webhook_deliveries w on w.owner_id = d.owner_id and w.id = d.subject_id \
         where d.kind = $1 and d.due_at <= $2 and (d.due_at, d.owner_id, d.subject_id) > ($3, $4, $5) \
         order by d.due_at asc, d.owner_id asc, d.subject_id asc limit $6",
        "nodes look for whatever is to be delivered, whosesoever it is",
    );
}

/// How many attempts an event has when it is written.
const NO_ATTEMPTS: i64 = 0;

/// How many attempts of one delivery are read: more than ten schedules have.
const ATTEMPTS_READ_MAX: i64 = 100;

/// A delivery that a scan found due.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its place among what is due; the subject is the event's id.
    pub due: Due,
    /// Whom it goes to.
    pub receiver: String,
}

/// Writes an event that is true from now on, due at once: part of the transaction that makes it
/// true, whatever else that does. Published as a [`NewDelivery`] when that commits.
///
/// # Errors
/// A fault of the store; an event that was written before fails the transaction.
pub fn enqueue(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    event: &Event,
    now: Timestamp,
) -> Result<(), Fault> {
    let EventDigests { body, url, chain } = evidence::of_event(owner, event, now);
    let params = [
        owner.into(),
        event.id.into(),
        event.kind.as_str().into(),
        event.subject.into(),
        event.client.into(),
        event.url.as_str().into(),
        receiver(&event.url).into(),
        event.body.as_slice().into(),
        now.into(),
        DeliveryState::Pending.number().into(),
        NO_ATTEMPTS.into(),
        body.into(),
        url.into(),
        chain.into(),
    ];
    tx.defer(&INSERT, params, Expect::Any)?;
    let delivery = Delivery {
        event: event.clone(),
        created_at: now,
        state: DeliveryState::Pending,
        attempts: 0,
        step: 0,
        trouble: None,
        ended_at: None,
        chain: Some(chain),
        pruned_at: None,
    };
    tx.after_commit(NewDelivery { owner, delivery });
    due::insert(tx, owner, Kind::Delivery, event.id.to_bytes(), now)
}

/// Deliveries that are due at `now`, the longest overdue first, beyond `after` if given; at most
/// [`SCAN_MAX`] of them. It locks nothing, so another node may find the same.
///
/// # Errors
/// A fault of the store.
pub fn scan(tx: &mut Tx<'_>, now: Timestamp, after: Option<Due>) -> Result<Vec<Found>, Fault> {
    let first = Due {
        owner: OwnerId::from_bytes([0; 16]),
        subject: [0; 16],
        due_at: Timestamp::from_micros(i64::MIN),
    };
    let Due { owner, subject, due_at } = after.unwrap_or(first);
    let params = [
        Kind::Delivery.number().into(),
        now.into(),
        due_at.into(),
        owner.into(),
        subject.into(),
        SCAN_MAX.into(),
    ];
    tx.query(&SCAN, &params)?.iter().map(found).collect()
}

/// Reads a delivery that a scan found.
pub(crate) fn found(row: &Row) -> Result<Found, Fault> {
    Ok(Found { due: due::read(row)?, receiver: row.get("receiver")? })
}

/// Claims a delivery that is due at `now`, until `until`. Nothing where another node was faster, or
/// where it has ended.
///
/// # Errors
/// A fault of the store.
pub fn claim(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: EventId,
    now: Timestamp,
    until: Timestamp,
) -> Result<Option<(Delivery, Lease)>, Fault> {
    let (mut claimed, _) = claim_all(tx, owner, &[(id, false)], now, until)?;
    let claimed = claimed.pop().flatten();
    Ok(claimed.and_then(|(lease, delivery)| Some((delivery?, lease))))
}

/// Rule that a batch keeps to, so that two nodes never wait for each other.
pub(crate) const LOCK_ORDER: &str = "rows are locked in the order of their ids";

/// A lease, and the delivery that it is of where the claimant does not know it.
pub type Claimed = (Lease, Option<Delivery>);

/// Claims these deliveries as [`claim`] does, with few waits for all of them; answers for each, and what
/// signs them, if there is anything yet: it is read behind the claim and held until the commit, so that
/// nothing signs them that was rotated away while they waited. Of each is said whether the claimant has it as it was
/// written: that is all there is to know, if nobody claimed it before. They come in the order of their ids, in which
/// they are locked.
///
/// # Errors
/// A fault of the store.
pub fn claim_all(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    wanted: &[(EventId, bool)],
    now: Timestamp,
    until: Timestamp,
) -> Result<(Vec<Option<Claimed>>, Option<Sealed>), Fault> {
    debug_assert!(wanted.is_sorted_by_key(|(id, _)| *id), "{LOCK_ORDER}");
    let subjects: Vec<_> = wanted.iter().map(|(id, _)| id.to_bytes()).collect();
    let beside = webhook_secrets::asked_to_sign(owner);
    let (leases, secrets) =
        due::claim_all(tx, owner, Kind::Delivery, &subjects, now, until, &beside)?;
    let is_known = |lease: Lease, is_written| is_written && lease.fence == Lease::FIRST.fence + 1;
    let unknown = wanted.iter().zip(&leases).filter_map(|(&(id, is_written), lease)| {
        let lease = lease.as_ref()?;
        (!is_known(*lease, is_written)).then_some([owner.into(), id.into()])
    });
    let unknown: Vec<[Value; 2]> = unknown.collect();
    let finds: Vec<_> = unknown.iter().map(|params| (&FIND, params.as_slice())).collect();
    let found = if finds.is_empty() { Vec::new() } else { tx.query_all(&finds)? };
    let mut found = found.into_iter();
    let mut claimed = Vec::with_capacity(wanted.len());
    for (&(id, is_written), lease) in wanted.iter().zip(leases) {
        claimed.push(match lease {
            None => None,
            Some(lease) if is_known(lease, is_written) => Some((lease, None)),
            Some(lease) => match found.next().unwrap_or_default().first().map(read) {
                Some(Ok(delivery)) if delivery.state == DeliveryState::Pending => {
                    Some((lease, Some(delivery)))
                }
                // A newer program may know it. Those beside it are not held up.
                Some(Err(fault)) => {
                    tracing::error!(event = %id, %fault, "a delivery's row cannot be read");
                    None
                }
                _ => {
                    due::end(tx, owner, Kind::Delivery, id.to_bytes(), lease)?;
                    None
                }
            },
        });
    }
    Ok((claimed, secrets))
}

/// Releases a delivery of which nothing was sent: it is due at `now`, as if nobody had claimed it.
/// Answers whether the lease still held.
///
/// # Errors
/// A fault of the store.
pub fn release(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: EventId,
    lease: Lease,
    now: Timestamp,
) -> Result<bool, Fault> {
    due::release(tx, owner, Kind::Delivery, id.to_bytes(), lease, now)
}

/// A delivery.
///
/// # Errors
/// A fault of the store.
pub fn find(tx: &mut Tx<'_>, owner: OwnerId, id: EventId) -> Result<Option<Delivery>, Fault> {
    tx.query_opt(&FIND, &[owner.into(), id.into()])?.as_ref().map(read).transpose()
}

fn read(row: &Row) -> Result<Delivery, Fault> {
    let broken = || Fault::broken("a delivery with a broken state or count");
    Ok(Delivery {
        event: Event {
            id: row.get("id")?,
            kind: EventKind::parse(&row.get::<String>("event")?).ok_or_else(broken)?,
            subject: row.get("subject_id")?,
            client: row.get("client_id")?,
            url: row.get("url")?,
            body: row.get("body")?,
        },
        created_at: row.get("created_at")?,
        state: DeliveryState::from_number(row.get("state")?).ok_or_else(broken)?,
        attempts: u32::try_from(row.get::<i64>("attempts")?).map_err(|_| broken())?,
        step: u32::try_from(row.get::<i64>("step")?).map_err(|_| broken())?,
        trouble: trouble(row)?,
        ended_at: row.get("ended_at")?,
        chain: row.get("chain")?,
        pruned_at: row.get("pruned_at")?,
    })
}

/// The attempts of a delivery, the first first: the latest hundred, where there are more.
///
/// # Errors
/// A fault of the store.
pub fn attempts(tx: &mut Tx<'_>, owner: OwnerId, id: EventId) -> Result<Vec<Attempt>, Fault> {
    let broken = || Fault::broken("an attempt with a broken number");
    let read = |row: &Row| {
        let status = row.get::<Option<i64>>("status")?.map(u16::try_from).transpose();
        let phases: Option<Vec<u8>> = row.get("phases")?;
        let micros = u64::try_from(row.get::<i64>("duration")?).map_err(|_| broken())?;
        Ok(Attempt {
            number: u32::try_from(row.get::<i64>("number")?).map_err(|_| broken())?,
            began_at: row.get("began_at")?,
            duration: Duration::from_micros(micros),
            status: status.map_err(|_| broken())?,
            answer: row.get("answer")?,
            trouble: trouble(row)?,
            sent: row.get("sent")?,
            address: row.get::<Option<String>>("address")?.and_then(|address| address.parse().ok()),
            is_reused: row.get::<Option<bool>>("is_reused")?.unwrap_or_default(),
            phases: phases.and_then(|kept| Phases::from_bytes(&kept)).unwrap_or_default(),
            answer_head: row.get::<Option<Vec<u8>>>("answer_head")?.unwrap_or_default(),
        })
    };
    let params = [owner.into(), id.into(), ATTEMPTS_READ_MAX.into()];
    tx.query(&ATTEMPTS, &params)?.iter().rev().map(read).collect()
}

/// A code that this program does not know is of a newer one, and no reason to fail.
pub(crate) fn trouble(row: &Row) -> Result<Option<Trouble>, Fault> {
    let code: Option<String> = row.get("trouble")?;
    Ok(code.map(|code| Trouble::parse(&code).unwrap_or(Trouble::Refused)))
}
