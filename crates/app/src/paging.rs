//! Pages of lists.

use std::ops::{Range, RangeInclusive};

use domain::time::{CaracasDate, Timestamp};
pub use store::list::Page;
use store::list::PageBounds;

/// How many entries a page has unless that is said.
pub const LIMIT: u32 = 25;

/// How many entries a page may have.
pub const LIMIT_MAX: u32 = 100;

/// The last page: what lies beyond is found by asking for less.
pub const PAGE_MAX: u32 = 400;

/// Number at which totals stop: a person who has so many entries does not count them.
pub const TOTAL_MAX: i64 = 10_001;

/// Which page of a list is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageNumber {
    /// The page, from 1 to [`PAGE_MAX`].
    pub page: u32,
    /// How many entries a page has, up to [`LIMIT_MAX`].
    pub limit: u32,
}

/// Which part of a list is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Paging {
    /// The page.
    pub number: PageNumber,
    /// The first day.
    pub from: Option<CaracasDate>,
    /// The last day.
    pub to: Option<CaracasDate>,
}

impl PageNumber {
    /// How many entries a page has, and how many lie before this one.
    pub(crate) fn limit_and_offset(self) -> (i64, i64) {
        let limit = i64::from(self.limit);
        (limit, limit * i64::from(self.page.saturating_sub(1)))
    }

    /// The same as the store takes it.
    pub(crate) fn bounds(self) -> PageBounds {
        let (limit, offset) = self.limit_and_offset();
        PageBounds { limit, offset, count_max: TOTAL_MAX }
    }
}

impl Paging {
    /// The instants of those days.
    pub(crate) fn span(self) -> Range<Timestamp> {
        let start = self.from.map_or(Timestamp::from_micros(i64::MIN), CaracasDate::start);
        let end = self.to.map(|day| day.plus_days(1).start());
        start..end.unwrap_or(Timestamp::from_micros(i64::MAX))
    }

    /// The days, all of them where none is said.
    pub(crate) fn days(self) -> RangeInclusive<CaracasDate> {
        let ever = CaracasDate::of(Timestamp::from_micros(i64::MIN));
        let last = CaracasDate::of(Timestamp::from_micros(i64::MAX));
        self.from.unwrap_or(ever)..=self.to.unwrap_or(last)
    }
}
