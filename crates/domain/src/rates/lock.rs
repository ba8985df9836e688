//! A rate that is held for the payer of a link: what is owed in bolívares, from when until when.
//!
//! The first begins with the price that a link asks for, each later one by a payer's own act, and none before the former
//! has ended. A lock is never edited, but ends early where the link asks for something else or ends earlier. What is owed
//! is rounded once and stays.

use std::time::Duration;

use super::{ExchangeRate, Rate, RateSource};
use crate::ids::RateLockId;
use crate::links::{Currency, Price};
use crate::matching::{Movement, PaidWithin};
use crate::money::Bolivars;
use crate::time::{CaracasDate, Timestamp};

/// How many of a link's latest locks a payment can be of. With locks of an hour, the usual ones, they are six weeks;
/// a person who presses the button again and again does not soon put a payer's own out of reach.
pub const LOCKS_MAX: usize = 1_000;

/// For how long after its end a payer is asked whether it paid by a lock: what is paid later is older than what is
/// looked for.
const ASKED_ABOUT: Duration = Duration::from_secs(3 * 24 * 60 * 60);

/// How many amounts a payer can choose from.
const AMOUNTS_MAX: usize = 5;

/// A rate that is held for a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RateLock {
    /// Its id.
    pub id: RateLockId,
    /// What the link asks for. Never bolívares.
    pub price: Price,
    /// The rate.
    pub rate: Rate,
    /// The day that it is the rate of.
    pub value_date: CaracasDate,
    /// Who published it.
    pub source: RateSource,
    /// What is owed by it.
    pub owed: Bolivars,
    /// From when on.
    pub locked_at: Timestamp,
    /// Until when.
    pub ends_at: Timestamp,
}

impl RateLock {
    /// A lock of that rate for `minutes`, but not beyond the link's own end. None where what would be owed is no amount
    /// that can be paid, or the link is over.
    #[must_use]
    pub fn begin(
        id: RateLockId,
        price: Price,
        rate: &ExchangeRate,
        (minutes, link_ends_at): (i64, Option<Timestamp>),
        now: Timestamp,
    ) -> Option<Self> {
        let lasts = Duration::from_secs(60 * u64::try_from(minutes).ok()?);
        let ends_at = now.plus(lasts);
        let ends_at = link_ends_at.map_or(ends_at, |link| link.min(ends_at));
        (now < ends_at).then_some(Self {
            id,
            price,
            rate: rate.rate,
            value_date: rate.value_date,
            source: rate.source.clone(),
            owed: rate.rate.owed(price.hundredths)?,
            locked_at: now,
            ends_at,
        })
    }

    /// Tells whether the lock holds. One of a clock that is a little ahead does; one that begins later than that holds
    /// for nobody.
    #[must_use]
    pub fn holds(&self, now: Timestamp) -> bool {
        now < self.ends_at && !self.locked_at.is_beyond(now, Duration::ZERO)
    }

    /// Tells whether the lock was in force when the bank had the movement.
    #[must_use]
    pub fn was_in_force(&self, movement: &Movement) -> bool {
        PaidWithin::any_of([self.times()]).is_some_and(|times| times.contains(movement))
    }

    /// The same, ended at `now`.
    #[must_use]
    pub fn ended(self, now: Timestamp) -> Self {
        Self { ends_at: now.clamp(self.locked_at, self.ends_at), ..self }
    }

    /// The times that it was in force.
    fn times(&self) -> (Timestamp, Timestamp) {
        (self.locked_at, self.ends_at)
    }
}

/// Amount that a link asks its payer for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owed {
    /// How much.
    pub amount: Bolivars,
    /// When that was owed; `None` is at any time.
    pub paid_within: Option<PaidWithin>,
}

/// Returns what a payer who saw that amount owes for the price: the price itself in bolívares, and in another currency
/// the amount of `locks`, the latest first. `None` where the link never asked for that, or where it asked for several
/// amounts and nobody says which.
#[must_use]
pub fn owed(price: Price, locks: &[RateLock], seen: Option<Bolivars>) -> Option<Owed> {
    if price.currency == Currency::Vef {
        let amount = Bolivars::from_hundredths(price.hundredths);
        let is_seen = seen.is_none_or(|seen| seen == amount);
        return is_seen.then_some(Owed { amount, paid_within: None });
    }
    let of_price = || locks.iter().filter(|lock| lock.price == price);
    let only = || {
        let first = of_price().next()?.owed;
        of_price().all(|lock| lock.owed == first).then_some(first)
    };
    let amount = seen.or_else(only)?;
    let times = of_price().filter(|lock| lock.owed == amount).map(RateLock::times);
    Some(Owed { amount, paid_within: Some(PaidWithin::any_of(times)?) })
}

/// The amounts that a payer may have paid for the price by `locks`, the latest first.
#[must_use]
pub fn amounts(price: Price, locks: &[RateLock], now: Timestamp) -> Vec<&RateLock> {
    let mut amounts: Vec<&RateLock> = Vec::new();
    for lock in locks.iter().filter(|lock| lock.price == price) {
        let is_recent = now < lock.ends_at.plus(ASKED_ABOUT);
        let is_new = amounts.iter().all(|known| known.owed != lock.owed);
        if is_recent && is_new && amounts.len() < AMOUNTS_MAX {
            amounts.push(lock);
        }
    }
    amounts
}

#[cfg(test)]
#[path = "lock/tests.rs"]
mod tests;
