//! Exchange rates: what one unit of another currency costs in bolívares, and from which day on.
//!
//! The central bank publishes in the afternoon the rate of the next banking day, its value date: what it publishes on
//! a Friday serves until the end of Monday. A rate is never edited. What is published again for the same day is a
//! correction, and serves from then on; what was owed before stays as it was.

mod lock;

use std::fmt;
use std::time::Duration;

use crate::ids::RateId;
use crate::links::{Currency, Price};
use crate::money::Bolivars;
use crate::text::Text;
use crate::time::{CaracasDate, Timestamp};
use crate::typed::seen;

pub use lock::{LOCKS_MAX, Owed, RateLock, amounts, owed};

/// How many days a rate serves whose last day is not known: the longest row of days without a bank, and a day more.
/// After that nobody knows what is owed.
pub const SERVES_DAYS: u32 = 7;

/// How many days ahead the operator records a rate at most: further on it is a slip in the year.
pub const RECORDED_DAYS_AHEAD_MAX: u32 = 300;

/// How many days ahead the rate of a day can be said, and how many days after its first the last day of a rate can
/// be: the longest row of days without a bank, and many more. A slip in a year would serve for ever.
pub const DAYS_MAX: u32 = 31;

/// How far ahead of ours the clock of a source may be: what it published later than that is a slip.
pub const PUBLISHED_AHEAD_MAX: Duration = Duration::from_secs(300);

/// How many units of the kept number one bolívar has: eight decimals, as many as the central bank publishes.
const SCALE: i64 = 100_000_000;

/// How many decimals that are.
const DECIMALS: usize = 8;

/// By how many hundredths of the former a rate is a jump, where nothing else is said.
pub const JUMP_PERCENT: u32 = 10;

/// Up to how many days earlier the rate is that a new one is compared with.
const COMPARED_DAYS: u32 = 31;

/// Publisher of a rate, in a few words.
pub type RateSource = Text<1, 60>;

/// A price in another currency, and the rate that it was paid by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaidPrice {
    /// The price.
    pub price: Price,
    /// The rate.
    pub rate: Rate,
    /// The first day that it is the rate of.
    pub value_date: CaracasDate,
    /// The owner of the rate.
    pub source: RateSource,
}

/// A text that is no rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "must be a number above 0 and up to 10000000, with a decimal point or comma, no thousands \
     separator and at most 8 decimals"
)]
pub struct InvalidRate;

/// The days that a rate is said to be of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateDays {
    /// The first: the value date.
    pub first: CaracasDate,
    /// The last, where one is said.
    pub last: Option<CaracasDate>,
}

/// Why no rate is of those days. The text begins with the name of the field on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidDays {
    /// The last is before the first.
    #[error("until: before value_date")]
    Reversed,
    /// There are too many of them.
    #[error("until: more than {DAYS_MAX} days after value_date")]
    TooLong,
}

impl RateDays {
    /// From `first` on, until `last` where one is said.
    ///
    /// # Errors
    /// [`InvalidDays`].
    pub fn new(first: CaracasDate, last: Option<CaracasDate>) -> Result<Self, InvalidDays> {
        match last {
            Some(last) if last < first => Err(InvalidDays::Reversed),
            Some(last) if last.days_apart(first) > DAYS_MAX => Err(InvalidDays::TooLong),
            _ => Ok(Self { first, last }),
        }
    }

    /// Tells whether the days begin more than so many days after `today`.
    #[must_use]
    pub fn are_beyond(self, today: CaracasDate, days: u32) -> bool {
        self.first > today && self.first.days_apart(today) > days
    }
}

/// Price of one unit of a currency, in bolívares with eight decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate(i64);

impl Rate {
    /// The greatest rate: ten million bolívares.
    pub const MAX: Self = Self(10_000_000 * SCALE);

    /// Reads a number such as `872.3927` or `872,39270000`. A separator of thousands is refused, since `1.234` would
    /// mean either.
    ///
    /// # Errors
    /// [`InvalidRate`] for anything else, zero, or more than [`Self::MAX`].
    pub fn parse(text: &str) -> Result<Self, InvalidRate> {
        let text = seen(text);
        let (whole, decimals) = text.split_once(['.', ',']).unwrap_or((&text, ""));
        let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let is_short = whole.len() <= DECIMALS && decimals.len() <= DECIMALS;
        if whole.is_empty() || !is_short || !is_number(whole) || !is_number(decimals) {
            return Err(InvalidRate);
        }
        // At most sixteen digits, which fit.
        let digits = format!("{whole}{decimals:0<DECIMALS$}");
        digits.parse().ok().and_then(Self::from_units).ok_or(InvalidRate)
    }

    /// The rate of so many hundred-millionths of a bolívar, as a store keeps it, if there is one.
    #[must_use]
    pub fn from_units(units: i64) -> Option<Self> {
        (1..=Self::MAX.0).contains(&units).then_some(Self(units))
    }

    /// How many hundred-millionths of a bolívar it is.
    #[must_use]
    pub const fn units(self) -> i64 {
        self.0
    }

    /// The JSON number, such as `872.3927`.
    #[must_use]
    pub fn to_number(self) -> f64 {
        self.0 as f64 / SCALE as f64
    }

    /// Returns what is owed for so many hundredths of the currency: rounded once, half of a hundredth up. `None` where
    /// that is less than a hundredth, or more than can be paid.
    #[must_use]
    pub fn owed(self, hundredths: i64) -> Option<Bolivars> {
        let exact = i128::from(hundredths) * i128::from(self.0);
        let rounded = (exact + i128::from(SCALE / 2)).div_euclid(i128::from(SCALE));
        let owed = Bolivars::from_hundredths(i64::try_from(rounded).ok()?);
        (owed.is_positive() && owed <= Bolivars::MAX).then_some(owed)
    }

    /// Tells whether the two rates are so far apart, by more than so many hundredths of the former, that a slip is
    /// likelier than a change.
    #[must_use]
    pub fn is_jump_from(self, former: Self, percent: u32) -> bool {
        let (apart, former) = (self.0.abs_diff(former.0), former.0.unsigned_abs());
        u128::from(apart) * 100 > u128::from(former) * u128::from(percent)
    }
}

impl fmt::Display for Rate {
    /// With a point and the decimals that matter, two at least: `872.3927`, `36.00`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimals = format!("{:0DECIMALS$}", self.0 % SCALE);
        let (two, more) = decimals.split_at(2);
        write!(f, "{}.{two}{}", self.0 / SCALE, more.trim_end_matches('0'))
    }
}

/// Which rate serves a day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RateRule {
    /// That of the latest value date: what is published on a Friday serves from Monday on.
    #[default]
    ByValueDate,
    /// That of the latest value date of which one is published, up to a week ahead: what is published on a Friday for
    /// Monday serves from then on.
    ByPublication,
}

impl RateRule {
    /// Every rule.
    pub const ALL: [Self; 2] = [Self::ByValueDate, Self::ByPublication];

    /// The last day whose rate serves by publication at `now`. What is said of days further ahead waits.
    #[must_use]
    pub fn last_published(now: Timestamp) -> CaracasDate {
        CaracasDate::of(now).plus_days(SERVES_DAYS as i32)
    }

    /// The word on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ByValueDate => "by_value_date",
            Self::ByPublication => "by_publication",
        }
    }

    /// The rule of that word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|rule| rule.as_str() == word)
    }
}

/// By which way a rate came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RateOrigin {
    /// The operator recorded it. What it says of a day holds, whatever an address says of that day.
    Operator,
    /// The address that the operator configured reported it.
    Address,
    /// The owner recorded it, for its own links.
    Owner,
}

impl RateOrigin {
    /// Every way.
    pub const ALL: [Self; 3] = [Self::Operator, Self::Address, Self::Owner];

    /// The word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Operator => "operator",
            Self::Address => "address",
            Self::Owner => "owner",
        }
    }

    /// The way of that word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|origin| origin.as_str() == word)
    }
}

/// A rate as it was published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExchangeRate {
    /// Its id; of two, that of the one that was recorded later is greater.
    pub id: RateId,
    /// Of which currency. Never bolívares.
    pub currency: Currency,
    /// What a unit costs.
    pub rate: Rate,
    /// The first day that it is the rate of.
    pub value_date: CaracasDate,
    /// The last such day, where the source says one.
    pub until: Option<CaracasDate>,
    /// When it was published.
    pub published_at: Timestamp,
    /// Who published it.
    pub source: RateSource,
    /// By which way it came.
    pub origin: RateOrigin,
}

impl ExchangeRate {
    /// Tells whether the rate is so far from one of a little before, or of the same day, that it may be a slip.
    #[must_use]
    pub fn is_jump_from(&self, former: &Self, percent: u32) -> bool {
        let is_near = former.value_date.days_apart(self.value_date) <= COMPARED_DAYS;
        is_near && self.rate.is_jump_from(former.rate, percent)
    }

    /// Tells whether the two rates say the same, whenever they were published.
    #[must_use]
    pub fn says_the_same_as(&self, other: &Self) -> bool {
        self.rate == other.rate && self.until == other.until && self.source == other.source
    }

    /// Tells whether the rate's last day is over at `now`.
    #[must_use]
    pub fn is_over(&self, now: Timestamp) -> bool {
        self.until.is_some_and(|last| last < CaracasDate::of(now))
    }

    /// Tells whether the rate still serves at `now`, if it is the latest by that rule. An old rate serves nobody: a
    /// rate is old by its value date, whenever it was published.
    #[must_use]
    pub fn serves(&self, rule: RateRule, now: Timestamp) -> bool {
        let today = CaracasDate::of(now);
        let has_begun = match rule {
            RateRule::ByValueDate => self.value_date <= today,
            RateRule::ByPublication => self.published_at <= now,
        };
        has_begun && !self.is_over(now) && (self.until.is_some() || !self.is_old(today))
    }

    /// Tells whether too many days have gone since its value date, for a rate that says no last day.
    #[must_use]
    pub fn is_old(&self, today: CaracasDate) -> bool {
        self.value_date < today && self.value_date.days_apart(today) >= SERVES_DAYS
    }
}

/// Rate that an owner sets for a currency, for its own links.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnRate {
    /// Its id; of two, that of the one that was said later is greater.
    pub id: RateId,
    /// Of which currency. Never bolívares.
    pub currency: Currency,
    /// What a unit costs; `None`: from that day on what it costs everybody.
    pub rate: Option<Rate>,
    /// The first day that it is the rate of.
    pub value_date: CaracasDate,
    /// The last such day, where the owner says one.
    pub until: Option<CaracasDate>,
    /// When it was said.
    pub published_at: Timestamp,
    /// Whose rate it is, as payers see it.
    pub source: RateSource,
}

impl OwnRate {
    /// The rate, where it is one.
    #[must_use]
    pub fn rate(self) -> Option<ExchangeRate> {
        Some(ExchangeRate {
            id: self.id,
            currency: self.currency,
            rate: self.rate?,
            value_date: self.value_date,
            until: self.until,
            published_at: self.published_at,
            source: self.source,
            origin: RateOrigin::Owner,
        })
    }
}

/// A rate that an address reported and nobody took, since it is far from the one before, or there is none before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DoubtfulRate {
    /// Of which currency. Never bolívares.
    pub currency: Currency,
    /// The first day that it would be the rate of.
    pub value_date: CaracasDate,
    /// The last such day, where the source says one.
    pub until: Option<CaracasDate>,
    /// What a unit would cost.
    pub rate: Rate,
    /// When it was published.
    pub published_at: Timestamp,
    /// Who published it.
    pub source: RateSource,
    /// The rate that it is far from; nothing where no other was known to compare it with.
    pub former: Option<Rate>,
    /// Since when it is reported.
    pub since: Timestamp,
}

#[cfg(test)]
#[path = "rates/tests.rs"]
mod tests;
