//! Deliveries and attempts as they are kept, whatever this program would make of them.

use std::time::Duration;

use domain::ids::{EventId, OwnerId};
use domain::time::Timestamp;
use domain::webhooks::DeliveryState;
use domain::webhooks::evidence::{AttemptFacts, Digest, EventFacts};

use super::digests::digest;
use crate::delivery_types::AttemptDigests;
use crate::fault::Fault;
use crate::value::Row;

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
    /// The host and port of where it goes.
    pub receiver: String,
    /// How far its schedule has come.
    pub step: i64,
    /// The code of what went wrong at the latest attempt.
    pub trouble: Option<String>,
    /// Its round in the feed, and how many rounds there are.
    pub feed_round: (i64, i64),
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
    pub answer_head: Vec<u8>,
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
            answer: self.digests.answer?,
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

pub(super) fn delivery(row: &Row) -> Result<KeptDelivery, Fault> {
    Ok(KeptDelivery {
        id: row.get("id")?,
        kind: row.get("event")?,
        subject: row.get("subject_id")?,
        url: row.get("url")?,
        body: row.get("body")?,
        created_at: row.get("created_at")?,
        state: DeliveryState::from_number(row.get("state")?),
        counted: row.get("attempts")?,
        ended_at: row.get("ended_at")?,
        body_digest: digest(row, "digest")?,
        url_digest: digest(row, "url_digest")?,
        chain: digest(row, "chain")?,
        pruned_at: row.get("pruned_at")?,
        due_at: row.get("due_at")?,
        receiver: row.get("receiver")?,
        step: row.get("step")?,
        trouble: row.get("trouble")?,
        feed_round: (row.get("feed_round")?, row.get::<Option<_>>("rounds")?.unwrap_or_default()),
        attempts: Vec::new(),
    })
}

pub(super) fn attempt(row: &Row) -> Result<KeptAttempt, Fault> {
    Ok(KeptAttempt {
        number: row.get("number")?,
        began_at: row.get("began_at")?,
        duration_micros: row.get("duration")?,
        status: row.get("status")?,
        trouble: row.get("trouble")?,
        address: row.get("address")?,
        is_reused: row.get("is_reused")?,
        phases: row.get("phases")?,
        sent: row.get("sent")?,
        answer_head: row.get::<Option<_>>("answer_head")?.unwrap_or_default(),
        answer: row.get("answer")?,
        digests: AttemptDigests {
            sent: digest(row, "sent_digest")?,
            answer: digest(row, "answer_digest")?,
            digest: digest(row, "digest")?,
            day: row.get("day")?,
        },
    })
}
