//! Owners that this process knows, and which of them cannot be reached just now.
//!
//! Background work looks for what is due over all owners. On a distributed server such a statement fails as long as one
//! server is lost, and the owners of the others are not to wait for that: they are asked one by one.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use domain::ids::OwnerId;
use domain::time::Timestamp;

/// How long no statement over all owners is tried after one has failed, and how often each kind of work asks one by one.
const APART: Duration = Duration::from_secs(10);

/// How long an owner whose rows could not be read is not asked again.
const SILENCE: Duration = Duration::from_secs(30);

/// Owners that are known.
#[derive(Debug, Default)]
pub struct KnownOwners(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// Each with the instant at which it could not be reached.
    owners: BTreeMap<OwnerId, Option<Timestamp>>,
    /// When a statement over all of them failed.
    failed_at: Option<Timestamp>,
    /// When each kind of work began to ask them one by one.
    walked_at: HashMap<&'static str, Timestamp>,
}

impl KnownOwners {
    /// Takes note that there are these.
    pub fn learn(&self, owners: impl IntoIterator<Item = OwnerId>) {
        let mut state = self.lock();
        for owner in owners {
            state.owners.entry(owner).or_default();
        }
    }

    /// Tells whether any is known.
    #[must_use]
    pub fn is_any_known(&self) -> bool {
        !self.lock().owners.is_empty()
    }

    /// Takes note that a statement over all owners failed.
    pub fn note_failure(&self, now: Timestamp) {
        self.lock().failed_at = Some(now);
    }

    /// Takes note that an owner's rows could not be read.
    pub fn note_silence(&self, owner: OwnerId, now: Timestamp) {
        self.lock().owners.insert(owner, Some(now));
    }

    /// The owners that `work` is to ask one by one, since a statement over all failed a moment ago: all that are not
    /// silent, or none where it has just done so. `None` where a statement over all is worth trying.
    #[must_use]
    pub fn apart(&self, work: &'static str, now: Timestamp) -> Option<Vec<OwnerId>> {
        let mut state = self.lock();
        state.failed_at.filter(|at| lasts(*at, APART, now))?;
        if state.walked_at.get(work).is_some_and(|at| lasts(*at, APART, now)) {
            return Some(Vec::new());
        }
        state.walked_at.insert(work, now);
        let is_silent = |at: Timestamp| lasts(at, SILENCE, now);
        let asked = state.owners.iter().filter(|(_, silent_at)| !silent_at.is_some_and(is_silent));
        Some(asked.map(|(owner, _)| *owner).collect())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tells whether what began at an instant lasts, which a clock that was set back since does not prolong.
fn lasts(began: Timestamp, long: Duration, now: Timestamp) -> bool {
    began <= now && now.since(began) < long
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: OwnerId = OwnerId::from_bytes([1; 16]);
    const OTHER: OwnerId = OwnerId::from_bytes([2; 16]);

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_micros(seconds * 1_000_000)
    }

    #[test]
    fn owners_are_asked_one_by_one_for_a_while_after_a_failure() {
        let known = KnownOwners::default();
        assert!(!known.is_any_known());
        known.learn([ONE, OTHER]);
        assert!(known.is_any_known());
        assert_eq!(known.apart("mail", at(100)), None);
        known.note_failure(at(100));
        assert_eq!(known.apart("mail", at(101)), Some(vec![ONE, OTHER]));
        assert_eq!(known.apart("mail", at(102)), Some(vec![]), "it has just been done");
        assert_eq!(known.apart("links", at(102)), Some(vec![ONE, OTHER]));
        assert_eq!(known.apart("mail", at(110)), None);
        // A clock that was set back.
        assert_eq!(known.apart("mail", at(99)), None);
    }

    #[test]
    fn one_that_does_not_answer_is_left_alone_for_a_while() {
        let known = KnownOwners::default();
        known.learn([ONE, OTHER]);
        known.note_silence(ONE, at(100));
        // That it is there is no answer.
        known.learn([ONE]);
        for (now, asked) in [(101, vec![OTHER]), (129, vec![OTHER]), (131, vec![ONE, OTHER])] {
            known.note_failure(at(now));
            assert_eq!(known.apart("links", at(now)), Some(asked));
            known.0.lock().unwrap().walked_at.clear();
        }
    }
}
