//! Proof of what was delivered: digests that chain an event's attempts, and a tree over those of a day.
//!
//! A digest is SHA-256 over fields, of which the first says what it is of and in which version. Each
//! field stands behind its length in four bytes, the highest first; one that is not there is the
//! length `ffffffff` alone. Numbers are decimal text, instants microseconds since 1970, ids the text
//! that everybody sees. So no two different things have the same fields, and anybody with a few lines
//! of any language can compute it. `docs/guide/proof-of-delivery.md` says the same to others: what is
//! written of a version never changes.
//!
//! Digests are over digests where contents may be deleted later: a chain can be verified without them.

mod tree;

use std::fmt;

use sha2::{Digest as _, Sha256};

pub use self::tree::{Side, Step, Tree};
use crate::ids::{EventId, OwnerId};
use crate::time::{CaracasDate, Timestamp};

/// Bytes that stand for a field that is not there.
const ABSENT: [u8; 4] = [0xff; 4];

/// A SHA-256.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest of these bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The digest that a store keeps as these bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The bytes that a store keeps.
    #[must_use]
    pub const fn to_bytes(self) -> [u8; 32] {
        self.0
    }
}

/// As everybody writes it: hexadecimal, in lower case.
impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// An event, as far as its digest goes: the beginning of its chain.
#[derive(Clone, Copy, Debug)]
pub struct EventFacts<'a> {
    /// Whose it is.
    pub owner: OwnerId,
    /// Its id.
    pub id: EventId,
    /// The word of its kind.
    pub kind: &'a str,
    /// What it is about.
    pub subject: [u8; 16],
    /// Since when it is true.
    pub created_at: Timestamp,
    /// The digest of the address.
    pub url: Digest,
    /// The digest of the body.
    pub body: Digest,
}

impl EventFacts<'_> {
    /// The digest.
    #[must_use]
    pub fn digest(&self) -> Digest {
        let mut fields = Fields::of("cotejo event 1");
        fields.text(&self.owner);
        fields.text(&self.id);
        fields.text(&self.kind);
        fields.bytes(&self.subject);
        fields.text(&self.created_at.as_micros());
        fields.digest(Some(self.url));
        fields.digest(Some(self.body));
        fields.end()
    }
}

/// An attempt, as far as its digest goes: as it is kept, whatever later programs read into it.
#[derive(Clone, Copy, Debug)]
pub struct AttemptFacts<'a> {
    /// Its number, from 1.
    pub number: i64,
    /// When it began.
    pub began_at: Timestamp,
    /// How long it took, in microseconds.
    pub duration_micros: i64,
    /// The HTTP status, where anything was answered.
    pub status: Option<i64>,
    /// The code of what went wrong, if anything did.
    pub trouble: Option<&'a str>,
    /// The address that was dialled, where any was.
    pub address: Option<&'a str>,
    /// Whether the connection was there already.
    pub is_reused: Option<bool>,
    /// How long each part of it took, as stores keep it.
    pub phases: Option<&'a [u8]>,
    /// The digest of the head of the request, where any was sent.
    pub sent: Option<Digest>,
    /// [`answer_digest`] of what was answered.
    pub answer: Digest,
}

impl AttemptFacts<'_> {
    /// The digest, behind that of the attempt before it, or of the event.
    #[must_use]
    pub fn digest(&self, before: Digest) -> Digest {
        let mut fields = Fields::of("cotejo attempt 1");
        fields.digest(Some(before));
        fields.text(&self.number);
        fields.text(&self.began_at.as_micros());
        fields.text(&self.duration_micros);
        fields.maybe(self.status.map(|status| status.to_string()).as_deref());
        fields.maybe(self.trouble);
        fields.maybe(self.address);
        fields.maybe(self.is_reused.map(|is_reused| if is_reused { "1" } else { "0" }));
        fields.field(self.phases);
        fields.digest(self.sent);
        fields.digest(Some(self.answer));
        fields.end()
    }
}

/// The digest of an answer, as much of it as is kept: its head, then its body.
#[must_use]
pub fn answer_digest(head: &[u8], body: &[u8]) -> Digest {
    let mut fields = Fields::of("cotejo answer 1");
    fields.bytes(head);
    fields.bytes(body);
    fields.end()
}

/// A day of an owner that is over, as far as its digest goes.
#[derive(Clone, Copy, Debug)]
pub struct DayFacts {
    /// Whose it is.
    pub owner: OwnerId,
    /// The day.
    pub day: CaracasDate,
    /// How many attempts ended in it.
    pub attempts: i64,
    /// The root of the tree over their digests.
    pub root: Digest,
    /// The digest of the day with attempts before it, if there is one.
    pub before: Option<Digest>,
}

impl DayFacts {
    /// The digest: a person who has it can be shown everything up to that day.
    #[must_use]
    pub fn digest(&self) -> Digest {
        let mut fields = Fields::of("cotejo day 1");
        fields.text(&self.owner);
        fields.text(&self.day);
        fields.text(&self.attempts);
        fields.digest(Some(self.root));
        fields.digest(self.before);
        fields.end()
    }
}

/// Fields on their way into a digest.
struct Fields(Sha256);

impl Fields {
    fn of(what: &str) -> Self {
        let mut fields = Self(Sha256::new());
        fields.bytes(what.as_bytes());
        fields
    }

    fn field(&mut self, bytes: Option<&[u8]>) {
        // What no store keeps, so that it cannot be taken for what is not there.
        let Some((length, bytes)) =
            bytes.and_then(|bytes| Some((u32::try_from(bytes.len()).ok()?, bytes)))
        else {
            self.0.update(ABSENT);
            return;
        };
        self.0.update(length.to_be_bytes());
        self.0.update(bytes);
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.field(Some(bytes));
    }

    fn text(&mut self, value: &impl fmt::Display) {
        self.bytes(value.to_string().as_bytes());
    }

    fn maybe(&mut self, text: Option<&str>) {
        self.field(text.map(str::as_bytes));
    }

    fn digest(&mut self, digest: Option<Digest>) {
        self.field(digest.as_ref().map(|digest| digest.0.as_slice()));
    }

    fn end(self) -> Digest {
        Digest(self.0.finalize().into())
    }
}

#[cfg(test)]
mod tests;
