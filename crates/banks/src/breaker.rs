//! Sparing a bank that cannot be reached, and sparing its customers the wait.
//!
//! After several failures of the line in a row, questions about an account fail at once for a while.
//! Then one question is let through to try; the others still fail until it is over. A bank that says
//! that it is asked too often is left alone at once. What else a bank answers, be it a refusal or
//! nonsense, is no failure of the line. None of this is shown to those who watch whether the service
//! is ready: a bank that is down must not take the service with it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use domain::ids::IdentityId;
use domain::time::Timestamp;
use domain::verification::Failure;

/// How many failures in a row open a breaker.
pub(crate) const FAILURES_MAX: u32 = 5;

/// For how long questions fail at once.
pub(crate) const OPEN_FOR: Duration = Duration::from_secs(30);

/// How many accounts in trouble are remembered; past it, further ones are asked as if they were
/// well.
const BREAKERS_MAX: usize = 10_000;

/// How many breakers have opened.
static OPENED: AtomicU64 = AtomicU64::new(0);

/// How many breakers of accounts have opened in this process, each as often as it did.
#[must_use]
pub fn breakers_opened() -> u64 {
    OPENED.load(Ordering::Relaxed)
}

/// Decision to let a question through or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Admission {
    /// It does.
    Through,
    /// It does, to try; nothing else does until it has ended.
    Probe,
    /// It does not.
    Refused,
}

/// State of one account's line to the bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Breaker {
    /// It works, or has failed this often in a row.
    Closed(u32),
    /// It does not work; nobody tries before this instant.
    Open(Timestamp),
    /// Somebody tries.
    Probing,
}

impl Breaker {
    /// Asks to go through.
    fn admit(self, now: Timestamp) -> (Self, Admission) {
        match self {
            Self::Closed(_) => (self, Admission::Through),
            // Nor is it open for longer than that, though the clock was set back meanwhile.
            Self::Open(until) if now >= until || until.since(now) > OPEN_FOR => {
                (Self::Probing, Admission::Probe)
            }
            Self::Open(_) | Self::Probing => (self, Admission::Refused),
        }
    }

    /// The bank was not reached.
    fn failed(self, now: Timestamp) -> Self {
        match self {
            Self::Closed(failures) if failures + 1 < FAILURES_MAX => Self::Closed(failures + 1),
            Self::Closed(_) | Self::Probing => Self::Open(now.plus(OPEN_FOR)),
            // The end of a question from before; it says nothing new.
            Self::Open(until) => Self::Open(until),
        }
    }

    /// The bank wants to be asked less often: at once, and whatever was before.
    fn sent_away(self, now: Timestamp) -> Self {
        Self::Open(now.plus(OPEN_FOR))
    }

    /// The caller that tried has left without an answer: the next question may try.
    fn left(self, now: Timestamp) -> Self {
        if self == Self::Probing { Self::Open(now) } else { self }
    }
}

/// The breakers of all accounts; one that works and has not failed lately has none.
#[derive(Debug, Default)]
pub(crate) struct Breakers(Mutex<HashMap<IdentityId, Breaker>>);

impl Breakers {
    /// Lets a question about that account through, unless the line is known to be down.
    pub(crate) fn admit(&self, identity: IdentityId, now: Timestamp) -> Option<Pass<'_>> {
        let mut breakers = self.lock();
        let Some(breaker) = breakers.get_mut(&identity) else {
            return Some(Pass { breakers: self, identity, is_probe: false, now });
        };
        let admission;
        (*breaker, admission) = breaker.admit(now);
        let is_probe = admission == Admission::Probe;
        (admission != Admission::Refused).then_some(Pass {
            breakers: self,
            identity,
            is_probe,
            now,
        })
    }

    /// Answers whether questions about that account fail at once, so that nothing else is worth trying.
    pub(crate) fn is_open(&self, identity: IdentityId, now: Timestamp) -> bool {
        match self.lock().get(&identity) {
            Some(Breaker::Open(until)) => now < *until && until.since(now) <= OPEN_FOR,
            Some(Breaker::Probing) => true,
            Some(Breaker::Closed(_)) | None => false,
        }
    }

    /// Takes note of how a look at the bank went.
    pub(crate) fn note<T>(&self, identity: IdentityId, went: &Result<T, Failure>, now: Timestamp) {
        let mut breakers = self.lock();
        let next = match went {
            Err(Failure::Unavailable | Failure::TimedOut) => Breaker::failed,
            Err(Failure::RateLimited) => Breaker::sent_away,
            _ => {
                breakers.remove(&identity);
                return;
            }
        };
        if breakers.len() >= BREAKERS_MAX && !breakers.contains_key(&identity) {
            return;
        }
        let breaker = breakers.entry(identity).or_insert(Breaker::Closed(0));
        let before = *breaker;
        *breaker = next(before, now);
        if !matches!(before, Breaker::Open(_)) && matches!(breaker, Breaker::Open(_)) {
            OPENED.fetch_add(1, Ordering::Relaxed);
            tracing::warn!(%identity, "circuit breaker open: the bank cannot be reached");
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<IdentityId, Breaker>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Leave to ask. A question that was let through to try holds it until it ends, however it does.
#[derive(Debug)]
pub(crate) struct Pass<'a> {
    breakers: &'a Breakers,
    identity: IdentityId,
    is_probe: bool,
    now: Timestamp,
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        if self.is_probe
            && let Some(breaker) = self.breakers.lock().get_mut(&self.identity)
        {
            *breaker = breaker.left(self.now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: IdentityId = IdentityId::from_bytes([1; 16]);
    const OTHER: IdentityId = IdentityId::from_bytes([2; 16]);
    const START: Timestamp = Timestamp::from_micros(0);
    const DOWN: Result<(), Failure> = Err(Failure::Unavailable);

    /// Breakers of which that of `ONE` has just opened.
    fn opened() -> Breakers {
        let breakers = Breakers::default();
        for _ in 0..FAILURES_MAX {
            assert!(breakers.admit(ONE, START).is_some());
            breakers.note(ONE, &DOWN, START);
        }
        breakers
    }

    #[test]
    fn several_failures_in_a_row_make_questions_fail_at_once() {
        let breakers = opened();
        assert!(breakers.admit(ONE, START).is_none());
        assert!(breakers.admit(ONE, START.plus(OPEN_FOR / 2)).is_none());
        assert!(breakers.admit(OTHER, START).is_some(), "another account is another line");
    }

    #[test]
    fn an_answer_between_failures_begins_the_count_anew() {
        let breakers = Breakers::default();
        for round in 0..3 * FAILURES_MAX {
            let went = if round % FAILURES_MAX == 0 { Ok(()) } else { DOWN };
            breakers.note(ONE, &went, START);
            assert!(breakers.admit(ONE, START).is_some(), "{round}");
        }
    }

    #[test]
    fn whatever_the_bank_says_is_no_failure_of_the_line() {
        let breakers = Breakers::default();
        for failure in [
            Failure::Maintenance,
            Failure::RejectedCredentials,
            Failure::InvalidInput,
            Failure::BadResponse,
        ] {
            for _ in 0..=FAILURES_MAX {
                breakers.note::<()>(ONE, &Err(failure), START);
            }
            assert!(breakers.admit(ONE, START).is_some(), "{failure:?}");
        }
    }

    #[test]
    fn afterwards_one_question_at_a_time_tries() {
        let breakers = opened();
        let later = START.plus(OPEN_FOR);
        let probe = breakers.admit(ONE, later);
        assert!(probe.is_some());
        assert!(breakers.admit(ONE, later).is_none(), "while one tries, the others wait");
        breakers.note(ONE, &DOWN, later);
        drop(probe);
        assert!(breakers.admit(ONE, later.plus(OPEN_FOR / 2)).is_none());
        let probe = breakers.admit(ONE, later.plus(OPEN_FOR));
        assert!(probe.is_some());
        breakers.note(ONE, &Ok(()), later.plus(OPEN_FOR));
        assert!(breakers.admit(ONE, later.plus(OPEN_FOR)).is_some(), "it works again");
    }

    #[test]
    fn a_probe_that_is_dropped_makes_room_for_the_next() {
        let breakers = opened();
        let later = START.plus(OPEN_FOR);
        drop(breakers.admit(ONE, later));
        assert!(breakers.admit(ONE, later).is_some());
    }

    #[test]
    fn a_bank_that_is_asked_too_often_is_left_alone_at_once() {
        let breakers = Breakers::default();
        breakers.note::<()>(ONE, &Err(Failure::RateLimited), START);
        assert!(breakers.admit(ONE, START.plus(OPEN_FOR / 2)).is_none());
        assert!(breakers.admit(ONE, START.plus(OPEN_FOR)).is_some());
    }

    #[test]
    fn a_clock_that_is_set_back_keeps_no_line_down() {
        let breakers = opened();
        assert!(breakers.admit(ONE, START.minus(OPEN_FOR)).is_some());
    }

    #[test]
    fn a_late_failure_does_not_keep_a_line_down_for_longer() {
        let breakers = opened();
        breakers.note(ONE, &DOWN, START.plus(OPEN_FOR / 2));
        assert!(breakers.admit(ONE, START.plus(OPEN_FOR)).is_some());
    }

    #[test]
    fn only_so_many_accounts_in_trouble_are_remembered() {
        let breakers = Breakers::default();
        let identity = |number: usize| {
            let mut bytes = [0; 16];
            bytes[..8].copy_from_slice(&number.to_le_bytes());
            IdentityId::from_bytes(bytes)
        };
        for number in 0..BREAKERS_MAX + 10 {
            breakers.note(identity(number), &DOWN, START);
        }
        assert_eq!(breakers.lock().len(), BREAKERS_MAX);
    }
}
