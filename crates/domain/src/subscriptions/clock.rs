//! The clock that a subscription lives by: on a test account it may be set ahead, so that a year is tried out in minutes.

use std::time::Duration;

use crate::time::Timestamp;

/// Clock of one subscription: the real one, or one that was set ahead of it. It goes on from where it was set, as fast as
/// the real one, and is never set back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct TestClock {
    ahead: Duration,
}

impl TestClock {
    /// Furthest that a clock is ahead: three years.
    pub const AHEAD_MAX: Duration = Duration::from_secs(1_096 * 24 * 60 * 60);

    /// Clock of real money, and of a subscription whose clock nobody has set.
    pub const REAL: Self = Self { ahead: Duration::ZERO };

    /// Reads a clock as a store keeps it: how far it is ahead, in microseconds. `None` outside of zero to
    /// [`Self::AHEAD_MAX`].
    #[must_use]
    pub fn from_micros(micros: i64) -> Option<Self> {
        Self::REAL.advanced(Duration::from_micros(u64::try_from(micros).ok()?))
    }

    /// Returns how far it is ahead, in microseconds.
    #[must_use]
    pub fn as_micros(self) -> i64 {
        i64::try_from(self.ahead.as_micros()).unwrap_or(i64::MAX)
    }

    /// Returns how far it is ahead of the real clock.
    #[must_use]
    pub const fn ahead(self) -> Duration {
        self.ahead
    }

    /// Returns the instant that it shows at one of the real clock.
    #[must_use]
    pub fn virtual_now(self, real: Timestamp) -> Timestamp {
        real.plus(self.ahead)
    }

    /// Returns the instant of the real clock at which it shows that one.
    #[must_use]
    pub fn real_of(self, instant: Timestamp) -> Timestamp {
        instant.minus(self.ahead)
    }

    /// Sets it ahead by so much more. `None` beyond [`Self::AHEAD_MAX`].
    #[must_use]
    pub fn advanced(self, by: Duration) -> Option<Self> {
        let ahead = self.ahead.checked_add(by).filter(|ahead| *ahead <= Self::AHEAD_MAX)?;
        Some(Self { ahead })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: Duration = Duration::from_secs(24 * 60 * 60);

    #[test]
    fn a_clock_is_ahead_by_what_it_was_set_and_no_more() {
        let (real, clock) = (Timestamp::from_micros(7), TestClock::REAL.advanced(DAY).unwrap());
        assert_eq!(TestClock::REAL.virtual_now(real), real);
        assert_eq!(clock.virtual_now(real), real.plus(DAY));
        assert_eq!(clock.real_of(clock.virtual_now(real)), real);
        assert_eq!(clock.advanced(DAY).unwrap().ahead(), 2 * DAY);
        assert_eq!(TestClock::from_micros(clock.as_micros()), Some(clock));
    }

    #[test]
    fn a_clock_has_a_furthest_and_is_never_behind() {
        let furthest = TestClock::REAL.advanced(TestClock::AHEAD_MAX).unwrap();
        assert_eq!(furthest.advanced(Duration::from_micros(1)), None);
        assert_eq!(furthest.advanced(Duration::MAX), None);
        assert_eq!(TestClock::from_micros(furthest.as_micros() + 1), None);
        assert_eq!(TestClock::from_micros(-1), None);
    }
}
