//! Wrong passwords of one account, from anywhere: how long the next sign-in waits, and from where it is not held up.
//!
//! Strangers wait for what strangers did. A network that somebody has signed in to the account from waits for what was
//! wrong there alone, so that nobody elsewhere keeps its people out.

use std::net::{IpAddr, Ipv6Addr};
use std::time::Duration;

use crate::backoff::Backoff;
use crate::time::Timestamp;

/// How many wrong passwords are people's slips.
pub const SLIPS_MAX: i64 = 10;

/// How long the sign-in waits that follows the first which is none. Each one more doubles it.
const FIRST_WAIT: Duration = Duration::from_secs(30);

/// How long one from a stranger waits at most: so strangers guess 24 times a day.
const STRANGER_WAIT_MAX: Duration = Duration::from_secs(60 * 60);

/// How long one waits at most that comes from where somebody has signed in.
const KNOWN_WAIT_MAX: Duration = Duration::from_secs(60);

/// For how long without another one wrong passwords count.
pub const FAILURES_KEPT: Duration = Duration::from_secs(24 * 60 * 60);

/// For how long after the last sign-in from there a network is known.
pub const NETWORK_KEPT: Duration = Duration::from_secs(90 * 24 * 60 * 60);

/// Place that a sign-in comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Nobody has signed in to the account from there lately.
    Stranger,
    /// Somebody has.
    Known,
}

/// Wrong passwords: how many, and when the last one was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failures {
    /// How many.
    pub count: i64,
    /// When the last one was.
    pub last_at: Timestamp,
}

impl Failures {
    /// None.
    pub const NONE: Self = Self { count: 0, last_at: Timestamp::from_micros(0) };

    /// These and `more`, which were counted elsewhere.
    #[must_use]
    pub fn and(self, more: Self, now: Timestamp) -> Self {
        let (one, other) = (self.lately(now), more.lately(now));
        Self {
            count: one.count.saturating_add(other.count),
            last_at: one.last_at.max(other.last_at),
        }
    }

    /// Returns the failures that still count. A failure that lies ahead was counted while a clock was ahead. Up to the
    /// longest wait it is taken for wrong just now, so that nodes whose clocks differ take no more together than one
    /// does. A failure further ahead counts, too, and is not waited for: nobody knows for how long.
    #[must_use]
    pub fn lately(self, now: Timestamp) -> Self {
        if now.since(self.last_at) >= FAILURES_KEPT {
            Self::NONE
        } else if self.last_at.is_beyond(now, STRANGER_WAIT_MAX) {
            Self { last_at: now.minus(STRANGER_WAIT_MAX), ..self }
        } else {
            Self { last_at: self.last_at.min(now), ..self }
        }
    }

    /// Checks that one more password may be tried.
    ///
    /// # Errors
    /// After how long it may.
    pub fn check(self, origin: Origin, now: Timestamp) -> Result<(), Duration> {
        let Self { count, last_at } = self.lately(now);
        let most = match origin {
            Origin::Stranger => STRANGER_WAIT_MAX,
            Origin::Known => KNOWN_WAIT_MAX,
        };
        let backoff = Backoff { slips: SLIPS_MAX, first: FIRST_WAIT, most };
        let left = last_at.plus(backoff.wait(count)).since(now);
        if left.is_zero() { Ok(()) } else { Err(left) }
    }
}

/// The network that an address is of, as it is kept: an IPv4 address by itself, and of an IPv6 address the 64 bits
/// that a customer gets whole.
#[must_use]
pub fn network(address: IpAddr) -> String {
    match address.to_canonical() {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => {
            let network = Ipv6Addr::from_bits(address.to_bits() >> 64 << 64);
            format!("{network}/64")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_micros(1_763_640_000_000_000);

    fn wait(count: i64, origin: Origin) -> u64 {
        let failures = Failures { count, last_at: NOW };
        failures.check(origin, NOW).err().map_or(0, |wait| wait.as_secs())
    }

    #[test]
    fn ten_slips_wait_for_nothing_and_from_then_on_each_waits_twice_as_long() {
        let strangers: Vec<u64> = (8..20).map(|count| wait(count, Origin::Stranger)).collect();
        assert_eq!(strangers, [0, 0, 30, 60, 120, 240, 480, 960, 1_920, 3_600, 3_600, 3_600]);
        let known: Vec<u64> = (8..14).map(|count| wait(count, Origin::Known)).collect();
        assert_eq!(known, [0, 0, 30, 60, 60, 60]);
        assert_eq!(wait(i64::MAX, Origin::Stranger), 3_600);
    }

    #[test]
    fn who_has_waited_may_try_again_and_a_day_without_a_failure_forgives_all() {
        let failures = Failures { count: 12, last_at: NOW };
        let after =
            |seconds| failures.check(Origin::Stranger, NOW.plus(Duration::from_secs(seconds)));
        assert_eq!(after(119), Err(Duration::from_secs(1)));
        assert_eq!(after(120), Ok(()));
        let next_day = NOW.plus(FAILURES_KEPT);
        assert_eq!(failures.lately(next_day), Failures::NONE);
        let one = Failures { count: 1, last_at: next_day };
        assert_eq!(failures.and(one, next_day), one);
        assert_eq!(one.and(one, next_day).count, 2);
    }

    #[test]
    fn what_a_clock_ahead_has_counted_counts_and_is_not_waited_for_without_end() {
        let ahead = |by| Failures { count: 10, last_at: NOW.plus(by) };
        let half_a_minute = Err(Duration::from_secs(30));
        for apart in [1, 5, 60, 60 * 60].map(Duration::from_secs) {
            assert_eq!(ahead(apart).check(Origin::Stranger, NOW), half_a_minute, "{apart:?}");
        }
        assert_eq!(ahead(FAILURES_KEPT).check(Origin::Stranger, NOW), Ok(()));
        let one = Failures { count: 1, last_at: NOW };
        for by in [Duration::from_secs(60), FAILURES_KEPT] {
            assert_eq!(ahead(by).and(one, NOW), Failures { count: 11, last_at: NOW });
        }
    }

    #[test]
    fn an_ipv6_customer_is_one_network() {
        let of = |text: &str| network(text.parse().unwrap());
        assert_eq!(of("203.0.113.7"), "203.0.113.7");
        assert_eq!(of("::ffff:203.0.113.7"), "203.0.113.7");
        assert_eq!(of("2001:db8:0:1::2"), "2001:db8:0:1::/64");
        assert_eq!(of("2001:db8:0:1:ffff::"), of("2001:db8:0:1::2"));
        assert_ne!(of("2001:db8:0:2::2"), of("2001:db8:0:1::2"));
    }
}
