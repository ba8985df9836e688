//! What is known of receivers: how many attempts go to each, and how quickly it has answered lately.
//! Receivers that are not known to be quick leave slots to those that are.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use super::types::{Limits, Receiver};
use crate::limits::{QUICK_AGAIN, QUICK_MAX};

/// How quickly a receiver answers, as far as is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Pace {
    Quick,
    #[default]
    Unknown,
    Slow,
}

impl Pace {
    /// In how many of the shares of slots an attempt counts: in that of all, in that of those that
    /// are not known to be quick, and in that of the slow.
    fn shares(self) -> usize {
        match self {
            Self::Quick => 1,
            Self::Unknown => 2,
            Self::Slow => 3,
        }
    }
}

/// How many attempts are under way, of each quota.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct UnderWay([usize; 3]);

impl UnderWay {
    pub(super) fn in_all(self) -> usize {
        let Self([in_all, ..]) = self;
        in_all
    }

    pub(super) fn begin(&mut self, pace: Pace) {
        self.0.iter_mut().take(pace.shares()).for_each(|count| *count += 1);
    }

    pub(super) fn end(&mut self, pace: Pace) {
        self.0.iter_mut().take(pace.shares()).for_each(|count| *count -= 1);
    }

    /// Tells whether an owner that has its `own` of these may begin another at a receiver of this pace.
    pub(super) fn admits(self, limits: &Limits, own: Self, pace: Pace) -> bool {
        let counts = self.0.into_iter().zip(own.0).take(pace.shares());
        limits.slots.iter().zip(counts).all(|(quota, (taken, own))| quota.admits(taken, own))
    }
}

/// Receivers to which attempts go, and some to which any went.
#[derive(Default)]
pub(super) struct Receivers {
    seen: HashMap<Receiver, Seen>,
    /// How many attempts to any of them have been answered, or will not be.
    ended: u64,
}

#[derive(Clone, Copy, Default)]
pub(super) struct Seen {
    /// How many attempts go to it.
    pub(super) taken: usize,
    pub(super) pace: Pace,
    quick_in_a_row: u8,
    /// The number of its last one among these; zero where it has none.
    last_ended: u64,
}

impl Receivers {
    pub(super) fn look(&self, receiver: &Receiver) -> Seen {
        self.seen.get(receiver).copied().unwrap_or_default()
    }

    /// An attempt begins; answers the pace by which it has its slot.
    pub(super) fn begin(&mut self, receiver: &Receiver) -> Pace {
        let seen = self.seen.entry(Arc::clone(receiver)).or_default();
        seen.taken += 1;
        seen.pace
    }

    /// An attempt has ended, after so long, if it was made. Beyond `max` receivers, the one whose
    /// last attempt was longest ago is forgotten.
    pub(super) fn end(&mut self, receiver: &Receiver, took: Option<Duration>, max: usize) {
        let Some(seen) = self.seen.get_mut(receiver) else { return };
        seen.taken -= 1;
        if let Some(took) = took {
            self.ended += 1;
            seen.last_ended = self.ended;
            seen.note(took);
        }
        if seen.taken == 0 && seen.last_ended == 0 {
            self.seen.remove(receiver);
        } else if self.seen.len() > max {
            let idle = self.seen.iter().filter(|(_, seen)| seen.taken == 0);
            let oldest = idle.min_by_key(|(_, seen)| seen.last_ended);
            if let Some(oldest) = oldest.map(|(receiver, _)| Arc::clone(receiver)) {
                self.seen.remove(&oldest);
            }
        }
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.seen.len()
    }

    /// Tells whether attempts go to no receiver.
    #[cfg(test)]
    pub(super) fn are_idle(&self) -> bool {
        self.seen.values().all(|seen| seen.taken == 0)
    }
}

impl Seen {
    fn note(&mut self, took: Duration) {
        if took > QUICK_MAX {
            (self.pace, self.quick_in_a_row) = (Pace::Slow, 0);
            return;
        }
        self.quick_in_a_row = self.quick_in_a_row.saturating_add(1);
        if self.pace != Pace::Slow || self.quick_in_a_row >= QUICK_AGAIN {
            self.pace = Pace::Quick;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLOW: Duration = Duration::from_secs(10);
    const QUICK: Duration = QUICK_MAX;

    fn attempt(receivers: &mut Receivers, to: &str, took: Duration) -> Pace {
        let to = to.into();
        receivers.begin(&to);
        receivers.end(&to, Some(took), 3);
        receivers.look(&to).pace
    }

    #[test]
    fn who_was_slow_is_quick_again_after_some_quick_answers_in_a_row() {
        let mut receivers = Receivers::default();
        assert_eq!(receivers.look(&"a".into()).pace, Pace::Unknown);
        assert_eq!(attempt(&mut receivers, "a", QUICK), Pace::Quick);
        for _ in 0..2 {
            assert_eq!(attempt(&mut receivers, "a", SLOW), Pace::Slow);
            for _ in 1..QUICK_AGAIN {
                assert_eq!(attempt(&mut receivers, "a", QUICK), Pace::Slow);
            }
        }
        assert_eq!(attempt(&mut receivers, "a", SLOW), Pace::Slow);
        for _ in 0..QUICK_AGAIN {
            attempt(&mut receivers, "a", QUICK);
        }
        assert_eq!(receivers.look(&"a".into()).pace, Pace::Quick);
    }

    #[test]
    fn who_answered_longest_ago_is_forgotten_unless_something_goes_to_it() {
        let mut receivers = Receivers::default();
        for to in ["a", "b", "c"] {
            attempt(&mut receivers, to, SLOW);
        }
        receivers.begin(&"a".into());
        attempt(&mut receivers, "d", SLOW);
        assert_eq!(receivers.len(), 3);
        let paces = ["a", "b", "c", "d"].map(|to| receivers.look(&to.into()).pace);
        assert_eq!(paces, [Pace::Slow, Pace::Unknown, Pace::Slow, Pace::Slow]);
        // An attempt that was given up before there was an answer says nothing.
        receivers.begin(&"e".into());
        receivers.end(&"e".into(), None, 3);
        assert_eq!(receivers.len(), 3);
    }
}
