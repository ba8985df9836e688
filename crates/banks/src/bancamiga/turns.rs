//! Turns: an account's list of a day is asked for once in so long, whatever day it is of.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use domain::ids::IdentityId;
use domain::time::Timestamp;

/// How many accounts are remembered before those are forgotten that may ask again.
const TURNS_MAX: usize = 10_000;

/// The latest list that an account asked for.
#[derive(Debug)]
struct Turn {
    began_at: Timestamp,
    is_under_way: bool,
}

/// The turns of all accounts.
#[derive(Debug)]
pub(super) struct Turns {
    interval: Duration,
    latest: Mutex<HashMap<IdentityId, Turn>>,
}

impl Turns {
    pub(super) fn new(interval: Duration) -> Self {
        Self { interval, latest: Mutex::default() }
    }

    /// Answers whether a list can be had now: the account may ask, or one is under way that can be waited for.
    pub(super) fn is_open(&self, identity: IdentityId, now: Timestamp) -> bool {
        let latest = self.lock();
        latest.get(&identity).is_none_or(|turn| turn.is_under_way || self.is_over(turn, now))
    }

    /// Takes the account's turn, if it is there.
    pub(super) fn take(&self, identity: IdentityId, now: Timestamp) -> Option<Taken<'_>> {
        let mut latest = self.lock();
        if latest.get(&identity).is_some_and(|turn| turn.is_under_way || !self.is_over(turn, now)) {
            return None;
        }
        if latest.len() >= TURNS_MAX {
            latest.retain(|_, turn| turn.is_under_way || !self.is_over(turn, now));
        }
        latest.insert(identity, Turn { began_at: now, is_under_way: true });
        Some(Taken { turns: self, identity, is_given_back: false })
    }

    /// Answers whether the bank may be asked again. A clock that was set back keeps nobody waiting.
    fn is_over(&self, turn: &Turn, now: Timestamp) -> bool {
        now < turn.began_at || now >= turn.began_at.plus(self.interval)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<IdentityId, Turn>> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A turn that is used. One that is dropped before the bank has answered counts, since the bank may have listed.
#[derive(Debug)]
pub(super) struct Taken<'a> {
    turns: &'a Turns,
    identity: IdentityId,
    is_given_back: bool,
}

impl Taken<'_> {
    /// Gives the turn back: the bank has listed nothing.
    pub(super) fn give_back(mut self) {
        self.is_given_back = true;
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        let mut latest = self.turns.lock();
        if self.is_given_back {
            latest.remove(&self.identity);
        } else if let Some(turn) = latest.get_mut(&self.identity) {
            turn.is_under_way = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: IdentityId = IdentityId::from_bytes([1; 16]);
    const OTHER: IdentityId = IdentityId::from_bytes([2; 16]);
    const TEN_MINUTES: Duration = Duration::from_secs(600);

    #[test]
    fn an_account_has_a_turn_in_ten_minutes_and_others_have_theirs() {
        let turns = Turns::new(TEN_MINUTES);
        let begin = Timestamp::from_micros(1_000_000_000_000_000);
        let taken = turns.take(ONE, begin).unwrap();
        assert!(turns.is_open(ONE, begin), "one is under way");
        assert!(turns.take(ONE, begin).is_none());
        drop(taken);
        let soon = begin.plus(TEN_MINUTES).minus(Duration::from_micros(1));
        assert!(!turns.is_open(ONE, soon) && turns.take(ONE, soon).is_none());
        assert!(turns.is_open(OTHER, soon) && turns.take(OTHER, soon).is_some());
        assert!(turns.is_open(ONE, begin.plus(TEN_MINUTES)));
        assert!(turns.take(ONE, begin.plus(TEN_MINUTES)).is_some());
    }

    #[test]
    fn a_turn_that_brought_nothing_is_given_back() {
        let turns = Turns::new(TEN_MINUTES);
        let now = Timestamp::from_micros(1_000_000_000_000_000);
        turns.take(ONE, now).unwrap().give_back();
        assert!(turns.take(ONE, now).is_some());
        assert!(turns.take(ONE, now).is_none());
        assert!(turns.take(ONE, now.minus(TEN_MINUTES)).is_some(), "the clock was set back");
    }
}
