//! The audit of one owner's deliveries: every chain computed again, every sealed day built again, and
//! each difference named.
//!
//! It relies on nothing but the rows, read as they are kept. A page of deliveries is one snapshot, so
//! it holds beside a server that works. Somebody who can write to the database can write all of it again,
//! and be found out only by digests that are kept elsewhere: those of exports, of days in logs, of an
//! earlier audit.

use std::fmt;
use std::time::Duration;

use domain::ids::{EventId, OwnerId};
use domain::time::CaracasDate;
use domain::webhooks::evidence::{DayFacts, Digest, Tree, answer_digest};
use domain::webhooks::{DeliveryState, receiver};

use crate::evidence::{self, KeptAttempt, KeptDelivery};
use crate::fault::Fault;
use crate::sealed_days::SealedDay;
use crate::tx::Tx;

/// How many deliveries are looked at in one snapshot.
pub const PAGE: i64 = 100;

/// The first id and the last one.
const FIRST: EventId = EventId::from_bytes([0; 16]);
const LAST: EventId = EventId::from_bytes([255; 16]);

/// How long contents are kept at the least, whatever an operator wants.
pub const KEPT_MIN: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// Something that is not as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// What it is about: an event, an attempt of one, or a day.
    pub place: String,
    /// What is wrong with it.
    pub what: &'static str,
}

/// Counts of what was looked at, and the differences that were found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// What is wrong.
    pub differences: Vec<Difference>,
    /// How many deliveries were looked at.
    pub deliveries: u64,
    /// How many attempts were.
    pub attempts: u64,
    /// How many deliveries are from before there were chains, and prove nothing.
    pub not_covered: u64,
    /// Of how many the contents were deleted in time; their digests were looked at.
    pub pruned: u64,
    /// How many sealed days were built again.
    pub days: u64,
}

impl Findings {
    /// Names a difference.
    fn name(&mut self, place: &impl fmt::Display, what: &'static str) {
        self.differences.push(Difference { place: place.to_string(), what });
    }

    /// Names a difference, if there is one.
    fn expect(&mut self, is_right: bool, place: &impl fmt::Display, what: &'static str) {
        if !is_right {
            self.name(place, what);
        }
    }
}

/// Looks at an owner's deliveries from `first` on, or from the beginning, [`PAGE`] of them; answers
/// where to go on, if there may be more.
///
/// # Errors
/// A fault of the store.
pub fn check_page(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    first: Option<EventId>,
) -> Result<(Findings, Option<EventId>), Fault> {
    let first = first.unwrap_or(FIRST);
    let page = evidence::kept(tx, owner, first, LAST, PAGE)?;
    let is_full = i64::try_from(page.len()) == Ok(PAGE);
    let last = page.last().map(|found| found.id).filter(|_| is_full);
    let mut found = Findings::default();
    for (id, number) in evidence::orphans(tx, owner, first, last.unwrap_or(LAST))? {
        found.name(&OfAttempt(id, number), "its delivery is gone");
    }
    for delivery in &page {
        check(&mut found, owner, delivery);
    }
    let next = last.and_then(|last| u128::from_be_bytes(last.to_bytes()).checked_add(1));
    Ok((found, next.map(|next| EventId::from_bytes(next.to_be_bytes()))))
}

/// Looks at one delivery with its attempts.
fn check(found: &mut Findings, owner: OwnerId, delivery: &KeptDelivery) {
    found.deliveries += 1;
    found.attempts += delivery.attempts.len() as u64;
    ending(found, delivery);
    latest(found, delivery);
    contents(found, delivery);
    let Some(end) = delivery.chain else {
        found.not_covered += 1;
        let has_digest = delivery.attempts.iter().any(|attempt| attempt.digests.digest.is_some());
        let has_digests = delivery.body_digest.is_some() || delivery.url_digest.is_some();
        found.expect(!has_digest && !has_digests, &delivery.id, "its chain was taken away");
        return;
    };
    let Some(mut chain) = delivery.digest(owner) else {
        found.name(&delivery.id, "the digest of its body or of its address was taken away");
        return;
    };
    for attempt in &delivery.attempts {
        let place = OfAttempt(delivery.id, attempt.number);
        let Some(kept) = attempt.digests.digest else {
            // A node of the version before made it, while both were at work.
            let is_plain = attempt.digests.answer.is_none() && attempt.digests.day.is_none();
            found.expect(is_plain, &place, "its digest was taken away");
            continue;
        };
        let is_right = attempt.digest(chain) == Some(kept);
        found.expect(is_right, &place, "it, or what comes before it, is not what was written");
        let day = CaracasDate::of(attempt.ended_at()).days();
        let is_right = attempt.digests.day == Some(day);
        found.expect(is_right, &place, "it is counted in another day than it ended in");
        chain = kept;
    }
    let what = "its chain ends elsewhere: the event was altered, or its last attempt is gone";
    found.expect(chain == end, &delivery.id, what);
}

/// Checks what the delivery says of itself against its attempts.
fn ending(found: &mut Findings, delivery: &KeptDelivery) {
    for (number, attempt) in (1..).zip(&delivery.attempts) {
        if attempt.number != number {
            found.name(&OfAttempt(delivery.id, number), "it is missing");
            break;
        }
    }
    let last = delivery.attempts.last();
    let latest = last.map_or(0, |attempt| attempt.number);
    let what = "it counts other attempts than there are";
    found.expect(delivery.counted == latest, &delivery.id, what);
    let has_succeeded = last.map(|attempt| attempt.trouble.is_none());
    let what = match delivery.state {
        Some(DeliveryState::Delivered) if has_succeeded != Some(true) => {
            "it is marked as delivered, and its last attempt did not succeed"
        }
        Some(DeliveryState::Exhausted) if has_succeeded != Some(false) => {
            "it is marked as given up, and its last attempt did not fail"
        }
        Some(DeliveryState::Pending) if delivery.due_at.is_none() => {
            "it is to be sent, and nobody will send it"
        }
        Some(DeliveryState::Pending) if delivery.ended_at.is_some() => {
            "it is to be sent, and has an end"
        }
        Some(DeliveryState::Delivered | DeliveryState::Exhausted) if delivery.due_at.is_some() => {
            "it has ended, and is still to be sent"
        }
        None => "its state means nothing",
        _ => return,
    };
    found.name(&delivery.id, what);
}

/// Checks what the delivery keeps of its latest attempt, and its places in the schedule and in the feed.
fn latest(found: &mut Findings, delivery: &KeptDelivery) {
    let last = delivery.attempts.last();
    let trouble = last.and_then(|attempt| attempt.trouble.as_ref());
    let what = "it has another trouble than its last attempt";
    found.expect(delivery.trouble.as_ref() == trouble, &delivery.id, what);
    if matches!(delivery.state, Some(DeliveryState::Delivered | DeliveryState::Exhausted)) {
        let is_right = delivery.ended_at == last.map(KeptAttempt::ended_at);
        found.expect(is_right, &delivery.id, "it ended at another instant than its last attempt");
    }
    let is_right = (0..=delivery.counted).contains(&delivery.step);
    found.expect(is_right, &delivery.id, "its schedule has more steps than it has attempts");
    let (round, rounds) = delivery.feed_round;
    let is_right = (0..=rounds).contains(&round);
    found.expect(is_right, &delivery.id, "it is in a round that its owner's feed has not come to");
}

/// Contents against their digests; where they were deleted, whether that was in order.
fn contents(found: &mut Findings, delivery: &KeptDelivery) {
    let Some(pruned_at) = delivery.pruned_at else {
        let (body, url) = (Digest::of(&delivery.body), Digest::of(delivery.url.as_bytes()));
        let (id, is) =
            (delivery.id, |kept: Option<Digest>, digest| kept.is_none_or(|k| k == digest));
        found.expect(is(delivery.body_digest, body), &id, "its body is not what was written");
        if is(delivery.url_digest, url) {
            let is_right = delivery.receiver == receiver(&delivery.url);
            found.expect(is_right, &id, "its receiver is not that of its address");
        } else {
            found.name(&id, "its address is not what was written");
        }
        for attempt in &delivery.attempts {
            let place = OfAttempt(delivery.id, attempt.number);
            let (sent, answer) = digests(attempt);
            // Nothing is known of one that has no digests at all.
            if attempt.digests.answer.is_some() {
                let is_right = attempt.digests.sent == sent;
                found.expect(is_right, &place, "the request's head is not what was written");
                let is_right = attempt.digests.answer == Some(answer);
                found.expect(is_right, &place, "the answer is not what was written");
            }
        }
        return;
    };
    found.pruned += 1;
    let is_due = pruned_at >= delivery.created_at.plus(KEPT_MIN);
    found.expect(is_due, &delivery.id, "its contents were deleted before their time");
    let is_bare = |attempt: &KeptAttempt| {
        attempt.sent.is_none() && attempt.answer_head.is_empty() && attempt.answer.is_empty()
    };
    let is_empty = delivery.body.is_empty() && delivery.url.is_empty();
    let is_right = is_empty && delivery.attempts.iter().all(is_bare);
    found.expect(is_right, &delivery.id, "its contents are said to be deleted, and some are there");
}

/// The digests of what is kept of an attempt's contents.
fn digests(attempt: &KeptAttempt) -> (Option<Digest>, Digest) {
    let sent = attempt.sent.as_ref().map(|sent| Digest::of(sent.as_bytes()));
    (sent, answer_digest(&attempt.answer_head, &attempt.answer))
}

/// Checks a sealed day, given the digest of the sealed day before it and the tree that was built of its attempts again.
#[must_use]
pub fn check_day(owner: OwnerId, kept: SealedDay, before: Option<Digest>, tree: Tree) -> Findings {
    let SealedDay { day, attempts, root, digest, .. } = kept;
    let mut found = Findings { days: 1, ..Findings::default() };
    let what = "it was sealed with other attempts than there are";
    found.expect(tree.leaves() == attempts, &OfDay(day), what);
    let is_right = tree.end().is_some_and(|(built, _)| built == root);
    found.expect(is_right, &OfDay(day), "its root is not that of its attempts");
    let facts = DayFacts { owner, day, attempts, root, before };
    let what = "its digest is not what follows from it and the day before";
    found.expect(facts.digest() == digest, &OfDay(day), what);
    found
}

/// Reports a day with attempts that was passed over, since a later one is sealed.
#[must_use]
pub fn passed_over(day: CaracasDate) -> Findings {
    let mut found = Findings::default();
    found.name(&OfDay(day), "it has attempts and is not sealed, and a later day is");
    found
}

/// A day, as it is named.
struct OfDay(CaracasDate);

impl fmt::Display for OfDay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "day {}", self.0)
    }
}

/// An attempt of an event, as it is named.
struct OfAttempt(EventId, i64);

impl fmt::Display for OfAttempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} attempt {}", self.0, self.1)
    }
}
