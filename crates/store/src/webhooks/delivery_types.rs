//! What is kept of an event, of the way it takes and of each attempt.

use std::net::IpAddr;
use std::time::Duration;

use domain::ids::{ClientId, EventId, LinkId, NoticeId, OwnerId};
use domain::notices::Notice;
use domain::time::Timestamp;
use domain::webhooks::evidence::Digest;
use domain::webhooks::{DeliveryState, EventKind, Phases, Trouble};

use crate::CommittedEvent;

/// How many bytes of a receiver's answer are kept.
pub const ANSWER_KEPT_MAX: usize = 1_024;

/// Something that an owner's systems are to be notified of.
#[derive(Clone)]
pub struct Event {
    /// Its id.
    pub id: EventId,
    /// What it reports.
    pub kind: EventKind,
    /// The id of what it is about, of the type that its kind says.
    pub subject: [u8; 16],
    /// The client whose callers made the link that it is about: its secret signs, too.
    pub client: Option<ClientId>,
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
    /// What is reported.
    pub event: Event,
    /// Since when.
    pub created_at: Timestamp,
    /// How it stands.
    pub state: DeliveryState,
    /// How many attempts were made.
    pub attempts: u32,
    /// How many of them were steps of the schedule, since it began or began again.
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

/// Published when the transaction that wrote a delivery has committed.
#[derive(Clone, Debug)]
pub struct NewDelivery {
    /// Whose it is.
    pub owner: OwnerId,
    /// What was written. It is due from the instant on at which it was.
    pub delivery: Delivery,
}

impl CommittedEvent for NewDelivery {}

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
    pub answer_head: Vec<u8>,
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

impl Attempt {
    /// When it was over.
    #[must_use]
    pub fn ended_at(&self) -> Timestamp {
        self.began_at.plus(self.duration)
    }
}

/// Shows nothing of the answer: its author may be hostile.
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

/// Step that follows an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Another one, then.
    At(Timestamp),
    /// Nothing: a receiver has received it.
    Delivered,
    /// Nothing: it is given up.
    Exhausted,
}

impl Next {
    /// How the delivery stands then.
    pub(crate) const fn state(self) -> DeliveryState {
        match self {
            Self::At(_) => DeliveryState::Pending,
            Self::Delivered => DeliveryState::Delivered,
            Self::Exhausted => DeliveryState::Exhausted,
        }
    }
}

/// The result of an attempt, all of which is recorded at once.
#[derive(Clone, Debug)]
pub struct Conclusion {
    /// The attempt.
    pub attempt: Attempt,
    /// How far the schedule has come with it.
    pub step: u32,
    /// What is wrong with the delivery since, if anything is: what went wrong with the attempt, or
    /// with one that this one has repeated.
    pub trouble: Option<Trouble>,
    /// What follows.
    pub next: Next,
    /// The notice that the owner gets of it, if any.
    pub notice: Option<(NoticeId, Notice)>,
    /// What proves it: [`crate::evidence::of_attempt`], behind [`Delivery::chain`] as it was taken.
    pub digests: AttemptDigests,
}

/// The digests of an event that is about to be written.
pub(crate) struct EventDigests {
    pub(crate) body: Digest,
    pub(crate) url: Digest,
    /// The beginning of its chain.
    pub(crate) chain: Digest,
}

/// Digests that prove an attempt. All are `None` where its delivery is from before there were chains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AttemptDigests {
    /// The digest of the request's head, where any was sent.
    pub sent: Option<Digest>,
    /// The digest of the answer, as much of it as is kept.
    pub answer: Option<Digest>,
    /// The digest of all of it, behind the chain so far: the chain's new end.
    pub digest: Option<Digest>,
    /// The day of Caracas in which it ended.
    pub day: Option<i64>,
}
