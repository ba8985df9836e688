//! Statistics: payments added up, each currency for itself.

use crate::links::{Currency, Price};
use crate::money::Bolivars;
use crate::time::CaracasDate;

/// How many days a question may be about.
pub const DAYS_MAX: u32 = 400;

/// How many days a question may be about that is answered by counting payments.
pub const COUNTED_DAYS_MAX: u32 = 31;

/// How many days it is about where nothing is said.
pub const DAYS: u32 = 30;

/// Returns what a payment counts as: the price of the link that it paid, or what the bank credited where it paid none.
/// Nothing else decides it.
#[must_use]
pub fn price(of_link: Option<Price>, credited: Bolivars) -> Price {
    let credited = Price { hundredths: credited.hundredths(), currency: Currency::Vef };
    of_link.filter(|price| price.currency != Currency::Vef).unwrap_or(credited)
}

/// Payments of one currency, added up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many there are.
    pub count: i64,
    /// What they come to, in hundredths.
    pub sum: i64,
    /// The amount that the bank credited for them, in hundredths of bolívares.
    pub received: i64,
}

/// The bound of a sum, in hundredths: ten times the greatest amount there is. A sum that would pass it stays there, so
/// that no payments of the sandbox, where amounts cost nothing, keep another from being claimed; it is shown as unknown.
pub const SUM_MAX: i64 = 1_000_000_000_000_000;

/// The sum, where it has not reached its bound: one that has is not known.
#[must_use]
pub fn known_sum(hundredths: i64) -> Option<i64> {
    (hundredths < SUM_MAX).then_some(hundredths)
}

impl Tally {
    /// Both, added up; a sum that exceeds the greatest number stays that number.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            count: self.count.saturating_add(other.count),
            sum: self.sum.saturating_add(other.sum),
            received: self.received.saturating_add(other.received),
        }
    }

    /// Returns the average, to the nearest hundredth, half of one upwards. `None` where nothing was counted, or where
    /// the sum is not known.
    #[must_use]
    pub fn mean(self) -> Option<i64> {
        if self.count <= 0 {
            return None;
        }
        let (sum, count) = (i128::from(known_sum(self.sum)?), i128::from(self.count));
        i64::try_from((2 * sum + count).div_euclid(2 * count)).ok()
    }
}

/// Days one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period {
    /// The first day.
    pub from: CaracasDate,
    /// The last day, which is not before it.
    pub to: CaracasDate,
}

impl Period {
    /// How many days it has.
    #[must_use]
    pub fn days(self) -> u32 {
        self.from.days_apart(self.to).saturating_add(1)
    }

    /// Returns the period of as many days right before it.
    #[must_use]
    pub fn before(self) -> Self {
        let len = i32::try_from(self.days()).unwrap_or(i32::MAX);
        Self { from: self.from.plus_days(-len), to: self.from.plus_days(-1) }
    }
}

/// By what payments are distinguished.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GroupBy {
    /// The hour in which they were claimed.
    Hour,
    /// The day of Caracas on which they were claimed.
    #[default]
    Day,
    /// The month of that day.
    Month,
    /// The bank account.
    Bank,
    /// The bank that the payer paid from.
    PayerBank,
    /// The client that each counted against.
    Client,
    /// The key that claimed them, or paid by whose link they were.
    Key,
    /// The person, of the owner or of a client, that claimed them, or paid by whose link they were.
    Person,
    /// The currency that they are priced in.
    Currency,
    /// The subscription whose cycle they paid.
    Subscription,
}

impl GroupBy {
    /// Each of them.
    pub const ALL: [Self; 10] = [
        Self::Hour,
        Self::Day,
        Self::Month,
        Self::Bank,
        Self::PayerBank,
        Self::Client,
        Self::Key,
        Self::Person,
        Self::Currency,
        Self::Subscription,
    ];

    /// How many days a question may be about: no sums are kept by hour, by the payer's bank or by subscription, so that
    /// payments are counted.
    #[must_use]
    pub const fn days_max(self) -> u32 {
        match self {
            Self::Hour | Self::PayerBank | Self::Subscription => COUNTED_DAYS_MAX,
            _ => DAYS_MAX,
        }
    }

    /// Its word on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Hour => "hour",
            Self::Day => "day",
            Self::Month => "month",
            Self::Bank => "bank",
            Self::PayerBank => "payer_bank",
            Self::Client => "client",
            Self::Key => "key",
            Self::Person => "person",
            Self::Currency => "currency",
            Self::Subscription => "subscription",
        }
    }

    /// The one of that word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|group| group.as_str() == word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_payment_counts_as_the_price_of_its_link_where_that_is_in_another_currency() {
        let credited = Bolivars::from_hundredths(872_390);
        let price_of = |hundredths, currency| Some(Price { hundredths, currency });
        let in_bolivars = Price { hundredths: 872_390, currency: Currency::Vef };
        assert_eq!(price(None, credited), in_bolivars);
        // What the bank credited, whatever was asked for.
        assert_eq!(price(price_of(1, Currency::Vef), credited), in_bolivars);
        let dollars = price_of(1_000, Currency::Usd);
        assert_eq!(Some(price(dollars, credited)), dollars);
    }

    #[test]
    fn a_mean_is_the_nearest_hundredth() {
        for (count, sum, mean) in [
            (0, 0, None),
            (1, 15_075, Some(15_075)),
            (3, 100, Some(33)),
            (3, 101, Some(34)),
            (2, 3, Some(2)),
            (1, SUM_MAX - 1, Some(SUM_MAX - 1)),
            (2, i64::MAX, None),
        ] {
            assert_eq!(Tally { count, sum, received: 0 }.mean(), mean, "{sum} of {count}");
        }
    }

    #[test]
    fn the_period_before_has_as_many_days_and_ends_the_day_before() {
        let day = |text| CaracasDate::parse(text).unwrap();
        for (from, to, len, before) in [
            ("2026-11-20", "2026-11-20", 1, ("2026-11-19", "2026-11-19")),
            ("2026-11-01", "2026-11-30", 30, ("2026-10-02", "2026-10-31")),
            ("2024-03-01", "2024-03-31", 31, ("2024-01-30", "2024-02-29")),
        ] {
            let period = Period { from: day(from), to: day(to) };
            assert_eq!(period.days(), len);
            assert_eq!(period.before(), Period { from: day(before.0), to: day(before.1) });
        }
    }
}
