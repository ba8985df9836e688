//! Deliveries of webhooks: written in the transaction that makes an event true, attempted by
//! whichever node has the lease, and kept with every attempt.

use std::net::IpAddr;
use std::time::Duration;

use domain::ids::{EventId, LinkId, NoticeId, OwnerId};
use domain::notices::Notice;
use domain::time::Timestamp;
use domain::webhooks::evidence::Digest;
use domain::webhooks::{DeliveryState, EventKind, Phases, Trouble, receiver};

use crate::due::{self, Due, Kind, Lease, SCAN_MAX};
use crate::evidence::{self, AttemptDigests, EventDigests};
use crate::fault::Fault;
use crate::notices;
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};
use crate::value::Row;

statements! {
    INSERT = Sql::new(
        "insert into webhook_deliveries (owner_id, id, event, subject_id, url, receiver, body, \
         created_at, state, attempts, digest, url_digest, chain) \
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 0, $10, $11, $12)",
    );

    FIND = Sql::new(
        "select id, event, subject_id, url, body, created_at, state, attempts, step, trouble, \
         ended_at, chain, pruned_at from webhook_deliveries where owner_id = $1 and id = $2",
    );

    ADVANCE = Sql::new(
        "update webhook_deliveries set state = $3, attempts = $4, step = $5, trouble = $6, \
         ended_at = $7, chain = $8 where owner_id = $1 and id = $2",
    );

    INSERT_ATTEMPT = Sql::new(
        "insert into webhook_attempts (owner_id, delivery_id, number, began_at, duration, status, \
         answer, trouble, sent, address, is_reused, phases, heard, sent_digest, heard_digest, digest, \
         day) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17) \
         on conflict do nothing returning number",
    );

    ATTEMPTS = Sql::new(
        "select number, began_at, duration, status, answer, trouble, sent, address, is_reused, \
         phases, heard from webhook_attempts where owner_id = $1 and delivery_id = $2 order by number asc limit $3",
    );

    SCAN = Sql::across_owners(
        "select d.owner_id, d.subject_id, d.due_at, w.receiver \
         from due d join webhook_deliveries w on w.owner_id = d.owner_id and w.id = d.subject_id \
         where d.kind = $1 and d.due_at <= $2 and (d.due_at, d.owner_id, d.subject_id) > ($3, $4, $5) \
         order by d.due_at asc, d.owner_id asc, d.subject_id asc limit $6",
        "nodes look for whatever is to be delivered, whosesoever it is",
    );
}

/// How many bytes of a receiver's answer are kept.
pub const ANSWER_KEPT_MAX: usize = 1_024;

/// How many attempts of one delivery are read: more than the schedule has.
const ATTEMPTS_READ_MAX: i64 = 100;

/// Something that an owner's systems are to be told.
#[derive(Clone)]
pub struct Event {
    /// Its id.
    pub id: EventId,
    /// What it tells of.
    pub kind: EventKind,
    /// The id of what it is about, of the type that its kind says.
    pub subject: [u8; 16],
    /// Where it goes.
    pub url: String,
    /// What is sent, byte for byte.
    pub body: Vec<u8>,
}

impl Event {
    /// The payment link that it is about, if it is about one.
    #[must_use]
    pub fn link(&self) -> Option<LinkId> {
        self.kind.is_of_a_link().then(|| LinkId::from_bytes(self.subject))
    }
}

/// Shows nothing of the body, which is about a payment, nor of the address, which may hold a key.
impl std::fmt::Debug for Event {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Event").field("id", &self.id).finish_non_exhaustive()
    }
}

/// An event on its way.
#[derive(Clone, Debug)]
pub struct Delivery {
    /// What is told.
    pub event: Event,
    /// Since when.
    pub created_at: Timestamp,
    /// How it stands.
    pub state: DeliveryState,
    /// How many attempts were made.
    pub attempts: u32,
    /// How many of them were steps of the schedule, since it began or began anew.
    pub step: u32,
    /// What the latest came to, unless it succeeded.
    pub trouble: Option<Trouble>,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// The end of its chain of digests. Nothing where it is from before there were chains.
    pub chain: Option<Digest>,
    /// When its contents were deleted, after which nothing can be sent again.
    pub pruned_at: Option<Timestamp>,
}

/// One attempt.
#[derive(Clone, PartialEq, Eq)]
pub struct Attempt {
    /// Its number, from 1.
    pub number: u32,
    /// When it began.
    pub began_at: Timestamp,
    /// How long it took.
    pub duration: Duration,
    /// The HTTP status, where anything was answered.
    pub status: Option<u16>,
    /// The head of the answer, or the beginning of it.
    pub heard: Vec<u8>,
    /// The beginning of the answer's body.
    pub answer: Vec<u8>,
    /// What went wrong, if anything did.
    pub trouble: Option<Trouble>,
    /// The head of the request as it was sent. Nothing where none was, or where it was not kept.
    pub sent: Option<String>,
    /// The address that was dialled, where any was.
    pub address: Option<IpAddr>,
    /// Whether the connection was there already.
    pub is_reused: bool,
    /// How long each part of it took.
    pub phases: Phases,
}

/// Shows nothing of the answer: whoever wrote it may be hostile.
impl std::fmt::Debug for Attempt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Attempt")
            .field("number", &self.number)
            .field("duration", &self.duration)
            .field("status", &self.status)
            .field("trouble", &self.trouble)
            .finish_non_exhaustive()
    }
}

/// What follows an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Another one, then.
    At(Timestamp),
    /// Nothing: a receiver has heard it.
    Delivered,
    /// Nothing: it is given up.
    Exhausted,
}

impl Next {
    /// How the delivery stands then.
    const fn state(self) -> DeliveryState {
        match self {
            Self::At(_) => DeliveryState::Pending,
            Self::Delivered => DeliveryState::Delivered,
            Self::Exhausted => DeliveryState::Exhausted,
        }
    }
}

/// What came of an attempt, all of which is kept at once.
#[derive(Clone, Debug)]
pub struct Conclusion {
    /// The attempt.
    pub attempt: Attempt,
    /// How far the schedule has come with it.
    pub step: u32,
    /// What follows.
    pub next: Next,
    /// What the owner is told of it, if anything.
    pub notice: Option<(NoticeId, Notice)>,
    /// What proves it: [`evidence::of_attempt`], behind [`Delivery::chain`] as it was taken.
    pub digests: AttemptDigests,
}

/// A delivery that a scan found due.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its place among what is due; the subject is the event's id.
    pub due: Due,
    /// Whom it goes to.
    pub receiver: String,
}

/// Writes an event that is true from now on, due at once: part of the transaction that makes it
/// true, whatever else that does. Ring the bell of the deliveries once it has committed.
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
        event.url.as_str().into(),
        receiver(&event.url).into(),
        event.body.as_slice().into(),
        now.into(),
        DeliveryState::Pending.number().into(),
        body.into(),
        url.into(),
        chain.into(),
    ];
    tx.defer(&INSERT, params, Expect::Rows(1))?;
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
    let found = |row: &Row| {
        let due = Due { owner: row.get(0)?, subject: row.get(1)?, due_at: row.get(2)? };
        Ok(Found { due, receiver: row.get(3)? })
    };
    tx.query(&SCAN, &params)?.iter().map(found).collect()
}

/// Takes a delivery that is due at `now`, until `until`. Nothing where another node was faster, or
/// where it has its end.
///
/// # Errors
/// A fault of the store.
pub fn take(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: EventId,
    now: Timestamp,
    until: Timestamp,
) -> Result<Option<(Delivery, Lease)>, Fault> {
    let Some(lease) = due::take(tx, owner, Kind::Delivery, id.to_bytes(), now, until)? else {
        return Ok(None);
    };
    match find(tx, owner, id)? {
        Some(delivery) if delivery.state == DeliveryState::Pending => Ok(Some((delivery, lease))),
        _ => due::end(tx, owner, Kind::Delivery, id.to_bytes(), lease).map(|_| None),
    }
}

/// Keeps what came of an attempt, and tells the owner where it is to know, if `lease` still
/// holds; answers whether it did. Doing it again, where the answer of the commit was lost, changes
/// nothing.
///
/// # Errors
/// A fault of the store.
pub fn record(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: EventId,
    lease: Lease,
    conclusion: &Conclusion,
) -> Result<bool, Fault> {
    let Conclusion { attempt, step, next, notice, digests } = conclusion;
    let subject = id.to_bytes();
    let holds = match next {
        Next::At(at) => due::postpone(tx, owner, Kind::Delivery, subject, lease, *at)?,
        Next::Delivered | Next::Exhausted => due::end(tx, owner, Kind::Delivery, subject, lease)?,
    };
    if !holds {
        return Ok(false);
    }
    let state = next.state();
    let ended_at = attempt.began_at.plus(attempt.duration);
    let trouble = attempt.trouble.map(Trouble::as_str);
    let number = i64::from(attempt.number);
    let kept = attempt.answer.get(..ANSWER_KEPT_MAX).unwrap_or(&attempt.answer);
    let AttemptDigests { sent, heard, digest, day } = *digests;
    let advance = [
        owner.into(),
        id.into(),
        state.number().into(),
        number.into(),
        i64::from(*step).into(),
        trouble.into(),
        (state != DeliveryState::Pending).then_some(ended_at).into(),
        digest.into(),
    ];
    tx.defer(&ADVANCE, advance, Expect::Rows(1))?;
    let duration = evidence::micros(attempt.duration);
    let row = [
        owner.into(),
        id.into(),
        number.into(),
        attempt.began_at.into(),
        duration.into(),
        attempt.status.map(i64::from).into(),
        kept.into(),
        trouble.into(),
        attempt.sent.as_deref().into(),
        attempt.address.map(|address| address.to_string()).into(),
        attempt.is_reused.into(),
        attempt.phases.to_bytes().as_slice().into(),
        attempt.heard.as_slice().into(),
        sent.into(),
        heard.into(),
        digest.into(),
        day.into(),
    ];
    match notice {
        None => tx.defer(&INSERT_ATTEMPT, row, Expect::Any)?,
        // An attempt that was kept before has been told of.
        Some((id, notice)) if !tx.query(&INSERT_ATTEMPT, &row)?.is_empty() => {
            notices::tell(tx, owner, *id, notice, ended_at)?;
        }
        Some(_) => {}
    }
    Ok(true)
}

/// A delivery.
///
/// # Errors
/// A fault of the store.
pub fn find(tx: &mut Tx<'_>, owner: OwnerId, id: EventId) -> Result<Option<Delivery>, Fault> {
    let row = tx.query_opt(&FIND, &[owner.into(), id.into()])?;
    row.map(|row| {
        let broken = || Fault::broken("a delivery with a broken state or count");
        Ok(Delivery {
            event: Event {
                id: row.get(0)?,
                kind: EventKind::parse(&row.get::<String>(1)?).ok_or_else(broken)?,
                subject: row.get(2)?,
                url: row.get(3)?,
                body: row.get(4)?,
            },
            created_at: row.get(5)?,
            state: DeliveryState::from_number(row.get(6)?).ok_or_else(broken)?,
            attempts: u32::try_from(row.get::<i64>(7)?).map_err(|_| broken())?,
            step: u32::try_from(row.get::<i64>(8)?).map_err(|_| broken())?,
            trouble: trouble(&row, 9)?,
            ended_at: row.get(10)?,
            chain: row.get(11)?,
            pruned_at: row.get(12)?,
        })
    })
    .transpose()
}

/// The attempts of a delivery, the first first.
///
/// # Errors
/// A fault of the store.
pub fn attempts(tx: &mut Tx<'_>, owner: OwnerId, id: EventId) -> Result<Vec<Attempt>, Fault> {
    let broken = || Fault::broken("an attempt with a broken number");
    let read = |row: &Row| {
        let status = row.get::<Option<i64>>(3)?.map(u16::try_from).transpose();
        let phases: Option<Vec<u8>> = row.get(9)?;
        let micros = u64::try_from(row.get::<i64>(2)?).map_err(|_| broken())?;
        Ok(Attempt {
            number: u32::try_from(row.get::<i64>(0)?).map_err(|_| broken())?,
            began_at: row.get(1)?,
            duration: Duration::from_micros(micros),
            status: status.map_err(|_| broken())?,
            answer: row.get(4)?,
            trouble: trouble(row, 5)?,
            sent: row.get(6)?,
            address: row.get::<Option<String>>(7)?.and_then(|address| address.parse().ok()),
            is_reused: row.get::<Option<bool>>(8)?.unwrap_or_default(),
            phases: phases.and_then(|kept| Phases::from_bytes(&kept)).unwrap_or_default(),
            heard: row.get::<Option<Vec<u8>>>(10)?.unwrap_or_default(),
        })
    };
    let params = [owner.into(), id.into(), ATTEMPTS_READ_MAX.into()];
    tx.query(&ATTEMPTS, &params)?.iter().map(read).collect()
}

/// A code that this program does not know is of a newer one, and no reason to fail.
fn trouble(row: &Row, column: usize) -> Result<Option<Trouble>, Fault> {
    let code: Option<String> = row.get(column)?;
    Ok(code.map(|code| Trouble::parse(&code).unwrap_or(Trouble::Refused)))
}
