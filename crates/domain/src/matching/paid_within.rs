//! When a payment must have been made to be the one that is meant.

use std::time::Duration;

use super::Movement;
use crate::time::Timestamp;

/// How far the bank's clock may be from ours. Banks say the minute, and book a little later than they are asked to.
pub const CLOCKS_APART_MAX: Duration = Duration::from_secs(5 * 60);

/// The times within which what was asked for was owed, in order; none touches the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaidWithin(Vec<(Timestamp, Timestamp)>);

impl PaidWithin {
    /// Within any of these times, each from its beginning to its end; none where there is none.
    #[must_use]
    pub fn any_of(times: impl IntoIterator<Item = (Timestamp, Timestamp)>) -> Option<Self> {
        let mut times: Vec<_> = times.into_iter().filter(|(from, until)| from < until).collect();
        times.sort_unstable();
        let mut joined: Vec<(Timestamp, Timestamp)> = Vec::new();
        for (from, until) in times {
            match joined.last_mut() {
                Some(last) if from <= last.1 => last.1 = last.1.max(until),
                _ => joined.push((from, until)),
            }
        }
        (!joined.is_empty()).then_some(Self(joined))
    }

    /// The times.
    #[must_use]
    pub fn times(&self) -> &[(Timestamp, Timestamp)] {
        &self.0
    }

    /// Tells whether the bank may have had the movement within one of the times. Where the bank says the day alone, any
    /// time of that day may be it.
    #[must_use]
    pub fn contains(&self, movement: &Movement) -> bool {
        let day = movement.paid_on;
        let (first, last) = match movement.paid_at {
            Some(at) => (at, at),
            None => (day.start(), day.plus_days(1).start().minus(Duration::from_micros(1))),
        };
        let (first, last) = (first.minus(CLOCKS_APART_MAX), last.plus(CLOCKS_APART_MAX));
        self.0.iter().any(|(from, until)| first < *until && last >= *from)
    }
}
