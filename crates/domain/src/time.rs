//! Instants, and the calendar of Caracas.
//!
//! Banks, limits and bills of Venezuela follow the civil day and month of Caracas. The offset has
//! changed twice within the life of present bank records, so it comes from the tz database that is
//! compiled in, never from a constant.

use std::fmt;
use std::sync::LazyLock;
use std::time::Duration;

use jiff::civil::{Date, DateTime, Time};
use jiff::fmt::temporal::DateTimePrinter;
use jiff::tz::TimeZone;
use jiff::{Span, ToSpan};

use crate::language::Language;

/// The zone of Caracas, looked up once.
static CARACAS: LazyLock<TimeZone> = LazyLock::new(|| {
    TimeZone::get("America/Caracas").expect("the tz database that is compiled in has Caracas")
});

/// The first and the last day of the calendar: 2000-01-01 and 9999-12-30, the last that begins
/// within the instants that jiff knows.
const FIRST_DAY: i32 = 10_957;
const LAST_DAY: i32 = 2_932_895;

/// How far a node's clock may be off the database's. One that is further off is not ready.
pub const SKEW_MAX: Duration = Duration::from_secs(2);

/// How far two nodes' clocks may be apart: each may be off in another direction.
const APART_MAX: Duration = SKEW_MAX.saturating_mul(2);

/// An instant: microseconds since 1970 in UTC.
///
/// Shown as RFC 3339 in UTC with milliseconds, such as `2026-11-20T12:00:00.123Z`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    /// The instant so many microseconds after 1970.
    #[must_use]
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    /// Reads RFC 3339 with an offset, such as `2026-11-20T08:00:00-04:00`. What is finer than a
    /// microsecond is dropped.
    ///
    /// # Errors
    ///
    /// [`InvalidDate::Instant`] for another form, or an instant that no calendar has.
    pub fn parse(text: &str) -> Result<Self, InvalidDate> {
        let instant: jiff::Timestamp = text.parse().map_err(|_| InvalidDate::Instant)?;
        Ok(Self(instant.as_microsecond()))
    }

    /// Reads the date of an HTTP header, such as `Fri, 20 Nov 2026 12:00:00 GMT` (RFC 9110, 5.6.7).
    /// Its two forms of old are not read.
    #[must_use]
    pub fn parse_http_date(text: &str) -> Option<Self> {
        let instant = jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(text).ok()?;
        Some(Self(instant.as_microsecond()))
    }

    /// Microseconds since 1970.
    #[must_use]
    pub const fn as_micros(self) -> i64 {
        self.0
    }

    /// Whole seconds since 1970, rounded down.
    #[must_use]
    pub const fn as_seconds(self) -> i64 {
        self.0.div_euclid(1_000_000)
    }

    /// The instant so much later; the last one there is, where that is beyond it.
    #[must_use]
    pub fn plus(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(micros(duration)))
    }

    /// The instant so much earlier; the first one there is, where that is beyond it.
    #[must_use]
    pub fn minus(self, duration: Duration) -> Self {
        Self(self.0.saturating_sub(micros(duration)))
    }

    /// How long after `earlier` this is; nothing where `earlier` is the later one.
    #[must_use]
    pub fn since(self, earlier: Self) -> Duration {
        let micros = self.0.saturating_sub(earlier.0);
        Duration::from_micros(u64::try_from(micros).unwrap_or(0))
    }

    /// Tells whether this lies further ahead of `now` than any right clock of the installation would have put it, where
    /// the longest wait is `longest`. If so, it was written while a clock was ahead.
    #[must_use]
    pub fn is_beyond(self, now: Self, longest: Duration) -> bool {
        self > now.latest_believed(longest)
    }

    /// The last instant that is not [beyond](Self::is_beyond) this one.
    #[must_use]
    pub fn latest_believed(self, longest: Duration) -> Self {
        self.plus(longest.saturating_add(APART_MAX))
    }

    /// Writes it to the end of `text`, with microseconds, as RFC 3339 has it.
    pub fn push_to(self, text: &mut String) {
        const PRINTER: DateTimePrinter = DateTimePrinter::new().precision(Some(6));
        // Text has room for whatever comes, and jiff prints all its instants.
        drop(PRINTER.print_timestamp(&self.to_jiff(), text));
    }

    /// Date and time of day in Caracas, for people: `2026-11-20 08:00`.
    #[must_use]
    pub fn in_caracas(self) -> String {
        self.to_jiff().to_zoned(CARACAS.clone()).strftime("%Y-%m-%d %H:%M").to_string()
    }

    /// The instant as the headers of HTTP write it, in whole seconds: `Sun, 06 Nov 1994 08:49:37 GMT`.
    #[must_use]
    pub fn to_http_date(self) -> String {
        let printer = jiff::fmt::rfc2822::DateTimePrinter::new();
        // Its years are those of four digits; nothing that is announced lies beyond.
        printer.timestamp_to_rfc9110_string(&self.to_jiff()).unwrap_or_default()
    }

    /// The same instant in jiff's words, whose range is narrower: years -9999 to 9999.
    fn to_jiff(self) -> jiff::Timestamp {
        jiff::Timestamp::from_microsecond(self.0).unwrap_or(if self.0 < 0 {
            jiff::Timestamp::MIN
        } else {
            jiff::Timestamp::MAX
        })
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3}", self.to_jiff())
    }
}

fn micros(duration: Duration) -> i64 {
    i64::try_from(duration.as_micros()).unwrap_or(i64::MAX)
}

/// Text that is not a date, a month or an instant of the calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidDate {
    /// A date is needed.
    #[error("must be a date of the form YYYY-MM-DD, from the year 2000 on")]
    Date,
    /// A month is needed.
    #[error("must be a month of the form YYYY-MM, from the year 2000 on")]
    Month,
    /// An instant is needed.
    #[error("must be an instant with its offset, such as 2026-11-20T08:00:00-04:00")]
    Instant,
}

/// A civil day of Caracas, from 2000-01-01 to 9999-12-30.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CaracasDate(i32);

impl CaracasDate {
    /// The day that it is in Caracas at that instant; the nearest one of the calendar, where the
    /// instant is outside.
    #[must_use]
    pub fn of(instant: Timestamp) -> Self {
        let date = instant.to_jiff().to_zoned(CARACAS.clone()).date();
        Self(days_of(date).clamp(FIRST_DAY, LAST_DAY))
    }

    /// Reads `YYYY-MM-DD`.
    ///
    /// # Errors
    ///
    /// [`InvalidDate::Date`] for another form, a day that is not in the calendar, or a year before
    /// 2000.
    pub fn parse(text: &str) -> Result<Self, InvalidDate> {
        let [year, month, day] = numbers(text, [4, 2, 2]).ok_or(InvalidDate::Date)?;
        civil(year, month, day).ok_or(InvalidDate::Date)
    }

    /// The day so many days after 1970-01-01, as a store keeps it, if the calendar has it.
    #[must_use]
    pub fn from_days(days: i64) -> Option<Self> {
        let days = i32::try_from(days).ok()?;
        (FIRST_DAY..=LAST_DAY).contains(&days).then_some(Self(days))
    }

    /// Days since 1970-01-01.
    #[must_use]
    pub fn days(self) -> i64 {
        i64::from(self.0)
    }

    /// The day so many days later, or earlier where negative; the calendar's last or first one,
    /// where that is beyond it.
    #[must_use]
    pub fn plus_days(self, days: i32) -> Self {
        Self(self.0.saturating_add(days).clamp(FIRST_DAY, LAST_DAY))
    }

    /// The instant at which the day begins in Caracas.
    #[must_use]
    pub fn start(self) -> Timestamp {
        midnight(self.to_jiff())
    }

    /// The day of its month, from 1 on.
    #[must_use]
    pub fn day_of_month(self) -> u8 {
        self.to_jiff().day().unsigned_abs()
    }

    /// The month that it is in.
    #[must_use]
    pub fn month(self) -> CaracasMonth {
        let date = self.to_jiff();
        CaracasMonth { year: date.year(), month: date.month() }
    }

    /// Writes it as people of Venezuela do: `20/11/2026`.
    #[must_use]
    pub fn in_numbers(self) -> String {
        let date = self.to_jiff();
        format!("{:02}/{:02}/{:04}", date.day(), date.month(), date.year())
    }

    /// How many days lie between the two, whichever is the earlier.
    #[must_use]
    pub fn days_apart(self, other: Self) -> u32 {
        self.0.abs_diff(other.0)
    }

    fn to_jiff(self) -> Date {
        epoch().saturating_add(self.0.days())
    }
}

impl fmt::Display for CaracasDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.to_jiff())
    }
}

impl fmt::Debug for CaracasDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A civil month of Caracas, in the years 2000 to 9999.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CaracasMonth {
    year: i16,
    month: i8,
}

const MONTHS_ES: [&str; 12] = [
    "enero",
    "febrero",
    "marzo",
    "abril",
    "mayo",
    "junio",
    "julio",
    "agosto",
    "septiembre",
    "octubre",
    "noviembre",
    "diciembre",
];

const MONTHS_EN: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

impl CaracasMonth {
    /// The month that it is in Caracas at that instant.
    #[must_use]
    pub fn of(instant: Timestamp) -> Self {
        let date = CaracasDate::of(instant).to_jiff();
        Self { year: date.year(), month: date.month() }
    }

    /// Reads `YYYY-MM`.
    ///
    /// # Errors
    ///
    /// [`InvalidDate::Month`] for another form, a month that is not one of twelve, or a year
    /// before 2000.
    pub fn parse(text: &str) -> Result<Self, InvalidDate> {
        let [year, month] = numbers(text, [4, 2]).ok_or(InvalidDate::Month)?;
        let number = i64::from(year) * 100 + i64::from(month);
        Self::from_i64(number).ok_or(InvalidDate::Month)
    }

    /// The month that a store keeps as this number, such as 202611, if it is one.
    #[must_use]
    pub fn from_i64(number: i64) -> Option<Self> {
        let year = i16::try_from(number.div_euclid(100)).ok()?;
        let month = i8::try_from(number.rem_euclid(100)).ok()?;
        ((2000..=9999).contains(&year) && (1..=12).contains(&month)).then_some(Self { year, month })
    }

    /// The number that a store keeps: 202611 is November 2026.
    #[must_use]
    pub fn as_i64(self) -> i64 {
        i64::from(self.year) * 100 + i64::from(self.month)
    }

    /// The instant at which the month begins in Caracas.
    #[must_use]
    pub fn start(self) -> Timestamp {
        midnight(jiff::civil::date(self.year, self.month, 1))
    }

    /// The month so many months later; the calendar's last one, where that is beyond it.
    #[must_use]
    pub fn plus(self, months: u32) -> Self {
        let since_zero = i64::from(self.year) * 12 + i64::from(self.month) - 1 + i64::from(months);
        let number = since_zero.div_euclid(12) * 100 + since_zero.rem_euclid(12) + 1;
        Self::from_i64(number).unwrap_or(Self { year: 9999, month: 12 })
    }

    /// Its day of that number; its last one, where it has fewer.
    #[must_use]
    pub fn day(self, number: u8) -> CaracasDate {
        let first = jiff::civil::date(self.year, self.month, 1);
        let number = i8::try_from(number).unwrap_or(i8::MAX).clamp(1, first.days_in_month());
        let date = jiff::civil::date(self.year, self.month, number);
        CaracasDate(days_of(date).clamp(FIRST_DAY, LAST_DAY))
    }

    /// Writes it by its name: `noviembre de 2026`.
    #[must_use]
    pub fn in_words(self, language: Language) -> String {
        match language {
            Language::Es => format!("{} de {}", self.name(language), self.year),
            Language::En => format!("{} {}", self.name(language), self.year),
        }
    }

    /// Its name without the year.
    #[must_use]
    pub fn name(self, language: Language) -> &'static str {
        let names = match language {
            Language::Es => MONTHS_ES,
            Language::En => MONTHS_EN,
        };
        let place = usize::try_from(self.month - 1).unwrap_or_default();
        names.get(place).copied().unwrap_or_default()
    }

    /// Its year.
    #[must_use]
    pub const fn year(self) -> i16 {
        self.year
    }

    /// The month after; the calendar's last one follows itself.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self { year: 9999, month: 12 } => self,
            Self { year, month: 12 } => Self { year: year + 1, month: 1 },
            Self { year, month } => Self { year, month: month + 1 },
        }
    }
}

impl fmt::Display for CaracasMonth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}", self.year, self.month)
    }
}

impl fmt::Debug for CaracasMonth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

fn epoch() -> Date {
    jiff::civil::date(1970, 1, 1)
}

/// Days since 1970-01-01.
fn days_of(date: Date) -> i32 {
    // A difference of two dates is counted in days unless another unit is asked for.
    let span: Span = date - epoch();
    span.get_days()
}

fn civil(year: i16, month: i16, day: i16) -> Option<CaracasDate> {
    let date = Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()?;
    CaracasDate::from_days(i64::from(days_of(date)))
}

/// The instant at which that day begins. Where the clocks skip midnight, jiff takes the first
/// instant after the gap; where it comes twice, the first one.
fn midnight(date: Date) -> Timestamp {
    let local = DateTime::from_parts(date, Time::midnight());
    let instant = CARACAS.to_ambiguous_timestamp(local).compatible();
    let instant = instant.expect("every day of the calendar begins within jiff's instants");
    Timestamp(instant.as_microsecond())
}

/// Reads digits of exactly these widths with hyphens between.
fn numbers<const N: usize>(text: &str, widths: [usize; N]) -> Option<[i16; N]> {
    let mut numbers = [0; N];
    let mut parts = text.split('-');
    for (number, width) in numbers.iter_mut().zip(widths) {
        let part = parts.next()?;
        if part.len() != width || !part.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        *number = part.parse().ok()?;
    }
    parts.next().is_none().then_some(numbers)
}

#[cfg(test)]
#[path = "time/tests.rs"]
mod tests;
