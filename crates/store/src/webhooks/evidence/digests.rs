//! The digests that are written with deliveries and attempts, and read back.

use std::time::Duration;

use domain::ids::OwnerId;
use domain::time::{CaracasDate, Timestamp};
use domain::webhooks::Trouble;
use domain::webhooks::evidence::{AttemptFacts, Digest, EventFacts, answer_digest};

use crate::delivery_types::{ANSWER_KEPT_MAX, Attempt, AttemptDigests, Event, EventDigests};
use crate::fault::Fault;
use crate::value::Row;

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

/// Computes the digests that prove an attempt of a delivery whose chain ends in `chain`. They depend only on what is
/// kept, so that keeping it again keeps the same.
#[must_use]
pub fn of_attempt(chain: Option<Digest>, attempt: &Attempt) -> AttemptDigests {
    let Some(chain) = chain else { return AttemptDigests::default() };
    let kept = attempt.answer.get(..ANSWER_KEPT_MAX).unwrap_or(&attempt.answer);
    let sent = attempt.sent.as_ref().map(|sent| Digest::of(sent.as_bytes()));
    let answer = answer_digest(&attempt.answer_head, kept);
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
        answer,
    };
    let ended_at = attempt.ended_at();
    AttemptDigests {
        sent,
        answer: Some(answer),
        digest: Some(facts.digest(chain)),
        day: Some(CaracasDate::of(ended_at).days()),
    }
}

/// A duration as stores keep it.
pub(crate) fn micros(duration: Duration) -> i64 {
    i64::try_from(duration.as_micros()).unwrap_or(i64::MAX)
}

/// A digest as it is kept: bytes that are none were put there by somebody else, and fit nothing.
pub(crate) fn digest(row: &Row, column: &str) -> Result<Option<Digest>, Fault> {
    let bytes: Option<Vec<u8>> = row.get(column)?;
    Ok(bytes.map(|bytes| match bytes.as_slice().try_into() {
        Ok(bytes) => Digest::from_bytes(bytes),
        Err(_) => Digest::from_bytes([0; 32]),
    }))
}
