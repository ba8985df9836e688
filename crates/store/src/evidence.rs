//! Deliveries as evidence: the digests that are written with them, and everything that they are over,
//! read back as it is kept. Whoever checks must not see what this program makes of it, but what is
//! there, which another program may have written.

use std::time::Duration;

use domain::ids::{EventId, OwnerId};
use domain::time::{CaracasDate, Timestamp};
use domain::webhooks::evidence::{AttemptFacts, Digest, EventFacts, heard};
use domain::webhooks::{DeliveryState, Trouble};

use crate::deliveries::{ANSWER_KEPT_MAX, Attempt, Event};
use crate::due::Kind;
use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::Tx;
use crate::value::{Row, Value};

statements! {
    // With whether it is still to be sent.
    DELIVERIES = Sql::new(
        "select w.id, w.event, w.subject_id, w.url, w.body, w.created_at, w.state, w.attempts, \
         w.ended_at, w.digest, w.url_digest, w.chain, w.pruned_at, d.due_at \
         from webhook_deliveries w \
         left join due d on d.owner_id = $1 and d.kind = $2 and d.subject_id = w.id \
         where w.owner_id = $1 and w.id >= $3 and w.id <= $4 order by w.id asc limit $5",
    );

    ATTEMPTS = Sql::new(
        "select number, began_at, duration, status, trouble, address, is_reused, phases, sent, \
         heard, answer, sent_digest, heard_digest, digest, day from webhook_attempts \
         where owner_id = $1 and delivery_id = $2 and number > $3 order by number asc limit $4",
    );

    ORPHANS = Sql::new(
        "select a.delivery_id, a.number from webhook_attempts a \
         left join webhook_deliveries w on w.owner_id = $1 and w.id = a.delivery_id \
         where a.owner_id = $1 and a.delivery_id >= $2 and a.delivery_id <= $3 and w.id is null \
         order by a.delivery_id asc, a.number asc limit $4",
    );
}

/// How many attempts of one delivery are read at once: more than nearly any has.
const ATTEMPTS_READ: usize = 100;

/// How many attempts without a delivery are named at once.
const ORPHANS_MAX: i64 = 100;

/// The digests of an event that is about to be written.
pub(crate) struct EventDigests {
    pub(crate) body: Digest,
    pub(crate) url: Digest,
    /// The beginning of its chain.
    pub(crate) chain: Digest,
}

/// The digests of an event.
pub(crate) fn of_event(owner: OwnerId, event: &Event, now: Timestamp) -> EventDigests {
    let (body, url) = (Digest::of(&event.body), Digest::of(event.url.as_bytes()));
    let facts = EventFacts {
        owner,
        id: event.id,
        kind: event.kind.as_str(),
        subject: event.subject,
        created_at: now,
        url,
        body,
    };
    EventDigests { body, url, chain: facts.digest() }
}

/// What proves an attempt. Nothing, where its delivery is from before there were chains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AttemptDigests {
    /// The digest of the request's head, where any was sent.
    pub sent: Option<Digest>,
    /// The digest of the answer, as much of it as is kept.
    pub heard: Option<Digest>,
    /// The digest of all of it, behind the chain so far: the chain's new end.
    pub digest: Option<Digest>,
    /// The day of Caracas in which it ended.
    pub day: Option<i64>,
}

/// What proves an attempt of a delivery whose chain ends in `chain`. A function of what is kept, so
/// that whoever keeps it again keeps the same.
#[must_use]
pub fn of_attempt(chain: Option<Digest>, attempt: &Attempt) -> AttemptDigests {
    let Some(chain) = chain else { return AttemptDigests::default() };
    let kept = attempt.answer.get(..ANSWER_KEPT_MAX).unwrap_or(&attempt.answer);
    let sent = attempt.sent.as_ref().map(|sent| Digest::of(sent.as_bytes()));
    let heard = heard(&attempt.heard, kept);
    let address = attempt.address.map(|address| address.to_string());
    let facts = AttemptFacts {
        number: i64::from(attempt.number),
        began_at: attempt.began_at,
        duration_micros: micros(attempt.duration),
        status: attempt.status.map(i64::from),
        trouble: attempt.trouble.map(Trouble::as_str),
        address: address.as_deref(),
        is_reused: Some(attempt.is_reused),
        phases: Some(&attempt.phases.to_bytes()),
        sent,
        heard,
    };
    let ended_at = attempt.began_at.plus(attempt.duration);
    AttemptDigests {
        sent,
        heard: Some(heard),
        digest: Some(facts.digest(chain)),
        day: Some(CaracasDate::of(ended_at).days()),
    }
}

/// A duration as stores keep it.
pub(crate) fn micros(duration: Duration) -> i64 {
    i64::try_from(duration.as_micros()).unwrap_or(i64::MAX)
}

/// A delivery as it is kept.
#[derive(Clone)]
pub struct KeptDelivery {
    /// The event's id.
    pub id: EventId,
    /// The word of its kind.
    pub kind: String,
    /// What it is about.
    pub subject: [u8; 16],
    /// Where it goes.
    pub url: String,
    /// What is sent.
    pub body: Vec<u8>,
    /// Since when.
    pub created_at: Timestamp,
    /// How it stands; nothing where the number means nothing.
    pub state: Option<DeliveryState>,
    /// How many attempts it counts.
    pub counted: i64,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// The digest of the body.
    pub body_digest: Option<Digest>,
    /// The digest of the address.
    pub url_digest: Option<Digest>,
    /// The end of its chain.
    pub chain: Option<Digest>,
    /// When its contents were deleted.
    pub pruned_at: Option<Timestamp>,
    /// When it is due, if it is to be sent.
    pub due_at: Option<Timestamp>,
    /// Its attempts, the first first.
    pub attempts: Vec<KeptAttempt>,
}

/// Shows nothing of the body, nor of the address, which may hold a key.
impl std::fmt::Debug for KeptDelivery {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KeptDelivery").field("id", &self.id).finish_non_exhaustive()
    }
}

impl KeptDelivery {
    /// The beginning of its chain, by what is kept; nothing where it has no digests.
    #[must_use]
    pub fn digest(&self, owner: OwnerId) -> Option<Digest> {
        let facts = EventFacts {
            owner,
            id: self.id,
            kind: &self.kind,
            subject: self.subject,
            created_at: self.created_at,
            url: self.url_digest?,
            body: self.body_digest?,
        };
        Some(facts.digest())
    }
}

/// An attempt as it is kept.
#[derive(Clone)]
pub struct KeptAttempt {
    /// Its number.
    pub number: i64,
    /// When it began.
    pub began_at: Timestamp,
    /// How long it took.
    pub duration_micros: i64,
    /// The HTTP status, where anything was answered.
    pub status: Option<i64>,
    /// The code of what went wrong, if anything did.
    pub trouble: Option<String>,
    /// The address that was dialled.
    pub address: Option<String>,
    /// Whether the connection was there already.
    pub is_reused: Option<bool>,
    /// How long each part took.
    pub phases: Option<Vec<u8>>,
    /// The head of the request.
    pub sent: Option<String>,
    /// The head of the answer.
    pub heard: Vec<u8>,
    /// The beginning of the answer's body.
    pub answer: Vec<u8>,
    /// What proves it.
    pub digests: AttemptDigests,
}

/// Shows nothing of what was sent, which holds a signature, or answered.
impl std::fmt::Debug for KeptAttempt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KeptAttempt").field("number", &self.number).finish_non_exhaustive()
    }
}

impl KeptAttempt {
    /// Its digest behind `chain`, by what is kept; nothing where it has none of its answer.
    #[must_use]
    pub fn digest(&self, chain: Digest) -> Option<Digest> {
        let facts = AttemptFacts {
            number: self.number,
            began_at: self.began_at,
            duration_micros: self.duration_micros,
            status: self.status,
            trouble: self.trouble.as_deref(),
            address: self.address.as_deref(),
            is_reused: self.is_reused,
            phases: self.phases.as_deref(),
            sent: self.digests.sent,
            heard: self.digests.heard?,
        };
        Some(facts.digest(chain))
    }

    /// When it ended.
    #[must_use]
    pub fn ended_at(&self) -> Timestamp {
        let duration = Duration::from_micros(u64::try_from(self.duration_micros).unwrap_or(0));
        self.began_at.plus(duration)
    }
}

/// An owner's deliveries from `first` to `last`, at most `limit` of them, with all their attempts.
///
/// # Errors
/// A fault of the store.
pub fn kept(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    first: EventId,
    last: EventId,
    limit: i64,
) -> Result<Vec<KeptDelivery>, Fault> {
    let kind = Kind::Delivery.number().into();
    let params = [owner.into(), kind, first.into(), last.into(), limit.into()];
    let rows = tx.query(&DELIVERIES, &params)?;
    let mut deliveries = rows.iter().map(delivery).collect::<Result<Vec<_>, _>>()?;
    let places: Vec<_> = deliveries.iter().map(|found| place(owner, found.id, 0)).collect();
    let first_pages: Vec<(&'static Sql, &[Value])> =
        places.iter().map(|place| (&ATTEMPTS, place.as_slice())).collect();
    let pages = if first_pages.is_empty() { Vec::new() } else { tx.query_all(&first_pages)? };
    for (found, mut page) in deliveries.iter_mut().zip(pages) {
        loop {
            for row in &page {
                found.attempts.push(attempt(row)?);
            }
            let Some(latest) = found.attempts.last() else { break };
            if page.len() < ATTEMPTS_READ {
                break;
            }
            page = tx.query(&ATTEMPTS, &place(owner, found.id, latest.number))?;
        }
    }
    Ok(deliveries)
}

/// Attempts from `first` to `last` whose delivery is not there, some of them.
///
/// # Errors
/// A fault of the store.
pub fn orphans(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    first: EventId,
    last: EventId,
) -> Result<Vec<(EventId, i64)>, Fault> {
    let params = [owner.into(), first.into(), last.into(), ORPHANS_MAX.into()];
    let rows = tx.query(&ORPHANS, &params)?;
    rows.iter().map(|row| Ok((row.get(0)?, row.get(1)?))).collect()
}

/// The attempts behind that number.
fn place(owner: OwnerId, id: EventId, number: i64) -> [Value; 4] {
    [owner.into(), id.into(), number.into(), (ATTEMPTS_READ as i64).into()]
}

fn delivery(row: &Row) -> Result<KeptDelivery, Fault> {
    Ok(KeptDelivery {
        id: row.get(0)?,
        kind: row.get(1)?,
        subject: row.get(2)?,
        url: row.get(3)?,
        body: row.get(4)?,
        created_at: row.get(5)?,
        state: DeliveryState::from_number(row.get(6)?),
        counted: row.get(7)?,
        ended_at: row.get(8)?,
        body_digest: digest(row, 9)?,
        url_digest: digest(row, 10)?,
        chain: digest(row, 11)?,
        pruned_at: row.get(12)?,
        due_at: row.get(13)?,
        attempts: Vec::new(),
    })
}

fn attempt(row: &Row) -> Result<KeptAttempt, Fault> {
    Ok(KeptAttempt {
        number: row.get(0)?,
        began_at: row.get(1)?,
        duration_micros: row.get(2)?,
        status: row.get(3)?,
        trouble: row.get(4)?,
        address: row.get(5)?,
        is_reused: row.get(6)?,
        phases: row.get(7)?,
        sent: row.get(8)?,
        heard: row.get::<Option<_>>(9)?.unwrap_or_default(),
        answer: row.get(10)?,
        digests: AttemptDigests {
            sent: digest(row, 11)?,
            heard: digest(row, 12)?,
            digest: digest(row, 13)?,
            day: row.get(14)?,
        },
    })
}

/// A digest as it is kept: bytes that are none were put there by somebody else, and fit nothing.
pub(crate) fn digest(row: &Row, column: usize) -> Result<Option<Digest>, Fault> {
    let bytes: Option<Vec<u8>> = row.get(column)?;
    Ok(bytes.map(|bytes| match bytes.as_slice().try_into() {
        Ok(bytes) => Digest::from_bytes(bytes),
        Err(_) => Digest::from_bytes([0; 32]),
    }))
}
