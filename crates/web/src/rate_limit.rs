//! How often somebody may try something: a token bucket for each address, owner or key, in bounded
//! memory.

use std::collections::HashMap;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use domain::time::Timestamp;

/// The window that limits are stated for.
pub const WINDOW: Duration = Duration::from_secs(60);

/// How many times its budget an IPv6 network of 48 bits has, which has 65,536 of those that are counted.
const SITE: NonZeroU32 = NonZeroU32::new(4).unwrap();

/// How many addresses, owners or keys one generation remembers. There are two, so twice as many are kept at most.
const SUBJECTS_MAX: usize = 10_000;

/// Policy of a limit: what a window has, as the headers of an answer say it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// What is counted.
    pub name: &'static str,
    /// How many of them a window has.
    pub limit: NonZeroU32,
    /// The window.
    pub window: Duration,
}

/// Too many attempts: how to behave from here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooMany {
    /// What a window has.
    pub policy: Policy,
    /// After how many seconds one more is allowed.
    pub retry_after_s: u64,
    /// After how many seconds all of them are there again.
    pub full_after_s: u64,
}

/// Rest that is left after an attempt that was allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Left {
    /// What a window has.
    pub policy: Policy,
    /// How many more are allowed at once.
    pub remaining: u32,
    /// After how many seconds all of them are there again.
    pub full_after_s: u64,
}

/// Counts attempts of an address, an owner or a key. It may spend a whole window's attempts at once and gets them back
/// one by one.
#[derive(Debug)]
pub struct Attempts {
    policy: Option<Policy>,
    buckets: Mutex<Generations>,
    /// Of IPv6 networks of 48 bits.
    sites: Mutex<Generations>,
}

/// Buckets in two generations. When the younger one is full, the older one is forgotten: memory
/// stays bounded without a sweep, and an address that keeps trying is carried over.
#[derive(Debug, Default)]
struct Generations {
    young: HashMap<u128, Bucket>,
    old: HashMap<u128, Bucket>,
}

/// When a bucket would be full again, if nothing more is taken from it. That one number is all:
/// the attempts left are what fits between it and the end of a window from now.
#[derive(Clone, Copy, Debug)]
struct Bucket {
    full_at: Timestamp,
}

impl Attempts {
    /// At most `limit` attempts of one address in a minute; `None`: as many as it likes.
    #[must_use]
    pub fn new(limit: Option<NonZeroU32>) -> Self {
        Self::within(limit, WINDOW)
    }

    /// At most `limit` requests of one key in a minute; `None`: as many as it likes.
    pub(crate) fn of_requests(limit: Option<NonZeroU32>) -> Self {
        Self::by(limit.map(|limit| Policy { name: "requests", limit, window: WINDOW }))
    }

    /// At most `limit` attempts in so long; `None`: any number.
    pub(crate) fn within(limit: Option<NonZeroU32>, window: Duration) -> Self {
        Self::by(limit.map(|limit| Policy { name: "attempts", limit, window }))
    }

    fn by(policy: Option<Policy>) -> Self {
        Self { policy, buckets: Mutex::default(), sites: Mutex::default() }
    }

    /// Takes one attempt of `address`. A request without an address is one of a test.
    ///
    /// # Errors
    /// [`TooMany`] where none is left; nothing is taken then.
    pub fn take(&self, address: Option<IpAddr>, now: Timestamp) -> Result<(), TooMany> {
        let (Some(address), Some(policy)) = (address, self.policy) else { return Ok(()) };
        self.take_of(subject(address), now)?;
        let Some(site) = site(address) else { return Ok(()) };
        let policy = Policy { limit: policy.limit.saturating_mul(SITE), ..policy };
        let mut sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = sites.of(site, now).take(policy, now);
        taken.map(drop).inspect_err(|_| self.give_back(subject(address), now))
    }

    /// Takes one attempt of the subject with this number.
    ///
    /// # Errors
    /// [`TooMany`] where none is left; nothing is taken then.
    pub(crate) fn take_of(&self, subject: u128, now: Timestamp) -> Result<(), TooMany> {
        self.spend(subject, now).map(drop)
    }

    /// The same, and says what is left; nothing where there is no limit.
    ///
    /// # Errors
    /// [`TooMany`] where none is left; nothing is taken then.
    pub(crate) fn spend(&self, subject: u128, now: Timestamp) -> Result<Option<Left>, TooMany> {
        let Some(policy) = self.policy else { return Ok(None) };
        // A panic cannot have left a bucket half written: it is one number.
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        buckets.of(subject, now).take(policy, now).map(Some)
    }

    /// Gives back an attempt that was taken.
    pub(crate) fn give_back(&self, subject: u128, now: Timestamp) {
        let Some(policy) = self.policy else { return };
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        let bucket = buckets.of(subject, now);
        bucket.full_at = bucket.full_at.minus(policy.window / policy.limit.get()).max(now);
    }
}

impl Generations {
    fn of(&mut self, subject: u128, now: Timestamp) -> &mut Bucket {
        if self.young.len() >= SUBJECTS_MAX && !self.young.contains_key(&subject) {
            self.old = std::mem::take(&mut self.young);
        }
        let former = self.old.get(&subject).copied();
        self.young.entry(subject).or_insert(former.unwrap_or(Bucket { full_at: now }))
    }
}

impl Bucket {
    fn take(&mut self, policy: Policy, now: Timestamp) -> Result<Left, TooMany> {
        let Policy { limit, window, .. } = policy;
        let refill = window / limit.get();
        // No bucket is further from full than a window, also where the clock was set back.
        self.full_at = self.full_at.clamp(now, now.plus(window));
        let full_at = self.full_at.plus(refill);
        let wait = full_at.since(now.plus(window));
        if wait > Duration::ZERO {
            let full_after_s = whole_seconds(self.full_at.since(now));
            return Err(TooMany { policy, retry_after_s: whole_seconds(wait), full_after_s });
        }
        self.full_at = full_at;
        let missing = full_at.since(now);
        let free = window.saturating_sub(missing).as_micros() / refill.as_micros().max(1);
        let remaining = u32::try_from(free).unwrap_or(u32::MAX).min(limit.get());
        Ok(Left { policy, remaining, full_after_s: whole_seconds(missing) })
    }
}

/// Rounded up: an attempt after that time is allowed.
fn whole_seconds(time: Duration) -> u64 {
    u64::try_from(time.as_micros().div_ceil(1_000_000)).unwrap_or(u64::MAX)
}

/// Returns the subject that is counted: an IPv4 address, or the network of 64 bits that an IPv6 customer gets whole.
fn subject(address: IpAddr) -> u128 {
    match address.to_canonical() {
        IpAddr::V4(address) => address.to_ipv6_mapped().to_bits(),
        IpAddr::V6(address) => address.to_bits() >> 64 << 64,
    }
}

/// The network of 48 bits that an IPv6 address is of: what a site, or a customer who hires a server, gets.
fn site(address: IpAddr) -> Option<u128> {
    match address.to_canonical() {
        IpAddr::V4(_) => None,
        IpAddr::V6(address) => Some(address.to_bits() >> 80 << 80),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Timestamp = Timestamp::from_micros(1_763_640_000_000_000);

    fn ten() -> Attempts {
        Attempts::new(NonZeroU32::new(10))
    }

    fn after(seconds: u64) -> Timestamp {
        START.plus(Duration::from_secs(seconds))
    }

    fn address(text: &str) -> Option<IpAddr> {
        Some(text.parse().unwrap())
    }

    #[test]
    fn a_window_of_attempts_and_then_one_by_one() {
        let attempts = ten();
        let caller = address("203.0.113.7");
        for _ in 0..10 {
            assert_eq!(attempts.take(caller, START), Ok(()));
        }
        let too_many = attempts.take(caller, START).unwrap_err();
        assert_eq!((too_many.policy.limit.get(), too_many.retry_after_s), (10, 6));
        assert_eq!(attempts.take(caller, after(5)).unwrap_err().retry_after_s, 1);
        assert_eq!(attempts.take(caller, after(6)), Ok(()));
        assert!(attempts.take(caller, after(6)).is_err());
        for _ in 0..10 {
            assert_eq!(attempts.take(caller, after(600)), Ok(()));
        }
        assert!(attempts.take(caller, after(600)).is_err());
    }

    #[test]
    fn addresses_do_not_disturb_each_other() {
        let attempts = ten();
        while attempts.take(address("203.0.113.7"), START).is_ok() {}
        assert_eq!(attempts.take(address("203.0.113.8"), START), Ok(()));
        while attempts.take(address("2001:db8::1"), START).is_ok() {}
        assert!(attempts.take(address("2001:db8::2"), START).is_err());
        assert_eq!(attempts.take(address("2001:db8:0:1::2"), START), Ok(()));
        assert!(attempts.take(address("::ffff:203.0.113.7"), START).is_err());
    }

    #[test]
    fn a_site_has_four_times_what_each_of_its_networks_has() {
        let attempts = ten();
        let taken = (0..100).filter(|network| {
            let caller = address(&format!("2001:db8:0:{network:x}::1"));
            attempts.take(caller, START).is_ok()
        });
        assert_eq!(taken.count(), 40);
        // What the site refused has cost the network nothing.
        let caller = address("2001:db8:0:63::1");
        assert_eq!(attempts.take(caller, START).unwrap_err().policy.limit.get(), 40);
        for _ in 0..10 {
            assert!(attempts.take(caller, after(60)).is_ok());
        }
        assert_eq!(attempts.take(address("2001:db8:1::1"), START), Ok(()));
        assert_eq!(attempts.take(address("203.0.113.7"), START), Ok(()));
    }

    #[test]
    fn without_a_limit_or_an_address_nothing_is_counted() {
        let endless = Attempts::new(None);
        let attempts = ten();
        for _ in 0..100 {
            assert_eq!(endless.take(address("203.0.113.7"), START), Ok(()));
            assert_eq!(attempts.take(None, START), Ok(()));
        }
    }

    #[test]
    fn what_is_left_is_reported() {
        let requests = Attempts::of_requests(NonZeroU32::new(3));
        let left = |now| {
            let left = requests.spend(7, now).unwrap().unwrap();
            (left.remaining, left.full_after_s)
        };
        assert_eq!(left(START), (2, 20));
        assert_eq!(left(START), (1, 40));
        assert_eq!(left(after(19)), (0, 41));
        assert_eq!(requests.spend(7, after(19)).unwrap_err().retry_after_s, 1);
        assert_eq!(left(after(20)), (0, 60));
        assert_eq!(left(after(600)), (2, 20));
        assert_eq!(Attempts::of_requests(None).spend(7, START), Ok(None));
    }

    #[test]
    fn what_is_given_back_can_be_taken_again_and_no_more_than_that() {
        let three = Attempts::within(NonZeroU32::new(3), Duration::from_secs(900));
        for _ in 0..3 {
            assert_eq!(three.take_of(7, START), Ok(()));
        }
        assert_eq!(three.take_of(7, START).unwrap_err().retry_after_s, 300);
        three.give_back(7, START);
        assert_eq!(three.take_of(7, START), Ok(()));
        assert!(three.take_of(7, START).is_err());
        for _ in 0..9 {
            three.give_back(8, START);
        }
        for _ in 0..3 {
            assert_eq!(three.take_of(8, START), Ok(()));
        }
        assert!(three.take_of(8, START).is_err());
    }

    #[test]
    fn memory_is_bounded_and_who_keeps_trying_is_remembered() {
        let attempts = ten();
        let caller = address("203.0.113.7");
        while attempts.take(caller, START).is_ok() {}
        for n in 0..3 * SUBJECTS_MAX as u32 {
            let other = IpAddr::from((0x0a00_0000 + n).to_be_bytes());
            assert_eq!(attempts.take(Some(other), START), Ok(()));
            if n.is_multiple_of(1_000) {
                assert!(attempts.take(caller, START).is_err());
            }
        }
        let buckets = attempts.buckets.lock().unwrap();
        assert!(buckets.young.len() + buckets.old.len() <= 2 * SUBJECTS_MAX);
    }

    #[test]
    fn a_clock_that_steps_back_locks_nobody_out_for_long() {
        let attempts = ten();
        let caller = address("203.0.113.7");
        assert_eq!(attempts.take(caller, after(3_600)), Ok(()));
        assert_eq!(attempts.take(caller, START).unwrap_err().retry_after_s, 6);
        assert_eq!(attempts.take(caller, after(6)), Ok(()));
    }
}
