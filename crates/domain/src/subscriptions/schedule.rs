//! The periods of a subscription, as civil days of Caracas.

use super::restarts::{Restart, Restarts};
use crate::language::Language;
use crate::time::CaracasDate;

/// Unit that periods are counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PeriodUnit {
    /// Days.
    Day,
    /// Weeks.
    Week,
    /// Months.
    Month,
    /// Years.
    Year,
}

impl PeriodUnit {
    /// Every unit, the shortest first.
    pub const ALL: [Self; 4] = [Self::Day, Self::Week, Self::Month, Self::Year];

    /// Returns its word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Year => "year",
        }
    }

    /// Reads a unit by its word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|unit| unit.as_str() == word)
    }

    /// Returns the most units that a period has: some five years.
    #[must_use]
    pub const fn count_max(self) -> u16 {
        match self {
            Self::Day => 1_826,
            Self::Week => 260,
            Self::Month => 60,
            Self::Year => 5,
        }
    }
}

/// Length of a period: a number of units, at least one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeriodLength {
    unit: PeriodUnit,
    count: u16,
}

impl PeriodLength {
    /// Makes a length of so many units; `None` for zero and for more than [`PeriodUnit::count_max`].
    #[must_use]
    pub fn new(unit: PeriodUnit, count: i64) -> Option<Self> {
        let count = u16::try_from(count).ok()?;
        (1..=unit.count_max()).contains(&count).then_some(Self { unit, count })
    }

    /// Returns its unit.
    #[must_use]
    pub const fn unit(self) -> PeriodUnit {
        self.unit
    }

    /// Returns its number of units.
    #[must_use]
    pub const fn count(self) -> u16 {
        self.count
    }
}

/// Day of the month that periods begin on, from 1 to 31. A month that has fewer days begins one on its last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnchorDay(u8);

impl AnchorDay {
    /// Makes an anchor of that day; `None` outside of 1 to 31.
    #[must_use]
    pub fn new(day: i64) -> Option<Self> {
        u8::try_from(day).ok().filter(|day| (1..=31).contains(day)).map(Self)
    }

    /// Returns the day.
    #[must_use]
    pub const fn get(self) -> u8 {
        self.0
    }
}

/// Period of a cycle: from one day to the day before another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period {
    /// Its first day.
    pub begins: CaracasDate,
    /// First day after it.
    pub ends: CaracasDate,
}

impl Period {
    /// Writes it for payers: `noviembre de 2026`, `3 de noviembre de 2026`, `del 15 de noviembre al 14 de diciembre de
    /// 2026`; in English `15 November to 14 December 2026`.
    #[must_use]
    pub fn in_words(self, language: Language) -> String {
        let Self { begins, ends } = self;
        let last = ends.plus_days(-1);
        let (first_month, last_month) = (begins.month(), last.month());
        let (of, from, to) = match language {
            Language::Es => (" de ", "del ", " al "),
            Language::En => (" ", "", " to "),
        };
        let day =
            |day: CaracasDate| format!("{}{of}{}", day.day_of_month(), day.month().name(language));
        let until = format!("{}{of}{}", day(last), last_month.year());
        if begins == last {
            return until;
        }
        if begins.day_of_month() == 1 && ends == first_month.next().day(1) {
            return first_month.in_words(language);
        }
        if first_month == last_month {
            return format!("{from}{}{to}{until}", begins.day_of_month());
        }
        if first_month.year() == last_month.year() {
            return format!("{from}{}{to}{until}", day(begins));
        }
        format!("{from}{}{of}{}{to}{until}", day(begins), first_month.year())
    }
}

/// Calendar of a subscription. Each boundary is computed from its beginning and anchor, never from the boundary before,
/// so that 31 January leads to 28 February and then to 31 March. Where it began anew, cycles from there on are computed
/// from that day, and those before it stay what they were.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedule {
    begins: CaracasDate,
    anchor: AnchorDay,
    length: PeriodLength,
    restarts: Restarts,
}

impl Schedule {
    /// Makes the calendar that begins on `start`, or on the first anchor day after it. Periods of days and weeks have no
    /// anchor but their start.
    #[must_use]
    pub fn new(start: CaracasDate, length: PeriodLength, anchor: Option<AnchorDay>) -> Self {
        let of_start = AnchorDay(start.day_of_month());
        let anchor = match length.unit {
            PeriodUnit::Day | PeriodUnit::Week => of_start,
            PeriodUnit::Month | PeriodUnit::Year => anchor.unwrap_or(of_start),
        };
        let in_month = start.month().day(anchor.0);
        let begins = match length.unit {
            PeriodUnit::Day | PeriodUnit::Week => start,
            PeriodUnit::Month | PeriodUnit::Year if in_month >= start => in_month,
            PeriodUnit::Month | PeriodUnit::Year => start.month().next().day(anchor.0),
        };
        Self { begins, anchor, length, restarts: Restarts::NONE }
    }

    /// Returns the calendar with these restarts instead of its own.
    #[must_use]
    pub const fn with_restarts(self, restarts: Restarts) -> Self {
        Self { restarts, ..self }
    }

    /// Returns the calendar as it begins anew. `None` where it has done so as often as it may.
    #[must_use]
    pub fn restarted(self, restart: Restart) -> Option<Self> {
        Some(self.with_restarts(self.restarts.and(restart)?))
    }

    /// Returns the first day of the cycle of that number, counted from zero; the calendar's last day, where the cycle
    /// lies beyond it.
    #[must_use]
    pub fn boundary(self, cycle: u32) -> CaracasDate {
        let restart = self.restarts.of_cycle(cycle);
        let (first, begins, anchor) = match restart {
            Some(Restart { cycle, day }) => (cycle, day, AnchorDay(day.day_of_month())),
            None => (0, self.begins, self.anchor),
        };
        let units = u64::from(cycle.saturating_sub(first)) * u64::from(self.length.count);
        let days = |each: u64| i32::try_from(units * each).unwrap_or(i32::MAX);
        let months = |each: u64| u32::try_from(units * each).unwrap_or(u32::MAX);
        let on_anchor = |months| begins.month().plus(months).day(anchor.0);
        match self.length.unit {
            PeriodUnit::Day => begins.plus_days(days(1)),
            PeriodUnit::Week => begins.plus_days(days(7)),
            PeriodUnit::Month => on_anchor(months(1)),
            PeriodUnit::Year => on_anchor(months(12)),
        }
    }

    /// Returns the period of the cycle of that number, counted from zero.
    #[must_use]
    pub fn period(self, cycle: u32) -> Period {
        Period { begins: self.boundary(cycle), ends: self.boundary(cycle.saturating_add(1)) }
    }

    /// Returns the number of the first cycle whose period begins after `day`.
    #[must_use]
    pub fn first_after(self, day: CaracasDate) -> u32 {
        // No period is shorter than a day, but one in a pause that ended on its first day.
        let restarts = u32::try_from(self.restarts.count()).unwrap_or(u32::MAX);
        let most = self.begins.days_apart(day).saturating_add(restarts).saturating_add(1);
        let (mut least, mut most) = (0, most);
        while least < most {
            let middle = least + (most - least) / 2;
            if self.boundary(middle) > day { most = middle } else { least = middle + 1 }
        }
        least
    }

    /// Returns the first day of its first period.
    #[must_use]
    pub const fn begins(self) -> CaracasDate {
        self.begins
    }

    /// Returns the day of the month that its periods begin on, until the calendar begins anew.
    #[must_use]
    pub const fn anchor(self) -> AnchorDay {
        self.anchor
    }

    /// Returns the times that the calendar began anew.
    #[must_use]
    pub const fn restarts(self) -> Restarts {
        self.restarts
    }

    /// Tells whether the calendar began anew with that cycle.
    #[must_use]
    pub fn begins_anew_with(self, cycle: u32) -> bool {
        self.restarts.of_cycle(cycle).is_some_and(|restart| restart.cycle == cycle)
    }

    /// Returns the day that periods are counted from now, and the day of the month that they begin on.
    #[must_use]
    pub fn counted_from(self) -> (CaracasDate, AnchorDay) {
        match self.restarts.last() {
            Some(Restart { day, .. }) => (day, AnchorDay(day.day_of_month())),
            None => (self.begins, self.anchor),
        }
    }

    /// Returns the length of its periods.
    #[must_use]
    pub const fn length(self) -> PeriodLength {
        self.length
    }
}
