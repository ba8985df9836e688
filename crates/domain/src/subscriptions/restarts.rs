//! The times that a subscription's calendar began anew.

use std::fmt;

use crate::time::CaracasDate;

/// Most times that a calendar begins anew.
pub const RESTARTS_MAX: usize = 16;

/// Cycle from which on a calendar is counted from another day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Restart {
    /// Number of the cycle, counted from zero.
    pub cycle: u32,
    /// First day of its period.
    pub day: CaracasDate,
}

/// Restarts of a calendar, the earliest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Restarts([Option<Restart>; RESTARTS_MAX]);

impl Restarts {
    /// No restart.
    pub const NONE: Self = Self([None; RESTARTS_MAX]);

    /// Adds one. `None` where there are as many as there may be, or this one does not come after the others.
    #[must_use]
    pub fn and(mut self, restart: Restart) -> Option<Self> {
        let comes_after = |last: Restart| last.cycle < restart.cycle && last.day <= restart.day;
        if restart.cycle == 0 || !self.last().is_none_or(comes_after) {
            return None;
        }
        *self.0.iter_mut().find(|place| place.is_none())? = Some(restart);
        Some(self)
    }

    /// Reads restarts as a store keeps them, which is how they are displayed. `None` where they cannot be so.
    #[must_use]
    pub fn from_stored(text: &str) -> Option<Self> {
        text.split_whitespace().try_fold(Self::NONE, |restarts, one| {
            let (cycle, day) = one.split_once(':')?;
            let day = CaracasDate::from_days(day.parse().ok()?)?;
            restarts.and(Restart { cycle: cycle.parse().ok()?, day })
        })
    }

    /// Returns the one that a cycle is counted from; `None` for a cycle before all of them.
    #[must_use]
    pub fn of_cycle(&self, cycle: u32) -> Option<Restart> {
        self.0.iter().flatten().rev().find(|restart| restart.cycle <= cycle).copied()
    }

    /// Returns the latest.
    #[must_use]
    pub fn last(&self) -> Option<Restart> {
        self.0.iter().flatten().next_back().copied()
    }

    /// Returns how many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.iter().flatten().count()
    }
}

/// Each as its cycle and its day, counted since 1970-01-01: `3:20820 9:21004`.
impl fmt::Display for Restarts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let each = self.0.iter().flatten();
        let each: Vec<String> =
            each.map(|one| format!("{}:{}", one.cycle, one.day.days())).collect();
        f.write_str(&each.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn restart(cycle: u32, day: &str) -> Restart {
        Restart { cycle, day: CaracasDate::parse(day).unwrap() }
    }

    #[test]
    fn restarts_come_one_after_another_and_read_back_from_their_text() {
        let first = Restarts::NONE.and(restart(3, "2027-01-02")).unwrap();
        let both = first.and(restart(9, "2027-07-05")).unwrap();
        assert_eq!(both.to_string(), "3:20820 9:21004");
        assert_eq!((both.count(), both.last()), (2, Some(restart(9, "2027-07-05"))));
        for restarts in [Restarts::NONE, first, both] {
            assert_eq!(Restarts::from_stored(&restarts.to_string()), Some(restarts));
        }
        assert_eq!((both.of_cycle(2), both.of_cycle(3)), (None, Some(restart(3, "2027-01-02"))));
        assert_eq!(both.of_cycle(400), both.last());
        for early in [restart(9, "2027-08-01"), restart(10, "2027-07-04")] {
            assert_eq!(both.and(early), None);
        }
    }

    #[test]
    fn there_are_no_more_than_so_many() {
        let day = CaracasDate::parse("2027-01-02").unwrap();
        let mut restarts = Restarts::NONE;
        for cycle in 1..=u32::try_from(RESTARTS_MAX).unwrap() {
            restarts = restarts.and(Restart { cycle, day }).unwrap();
        }
        assert_eq!(
            (restarts.count(), restarts.and(restart(99, "2028-01-01"))),
            (RESTARTS_MAX, None)
        );
        for text in
            ["x", "0:20820", "3", "3:x", "9:20820 3:20821", "3:20821 9:20820", "-1:20820", "3:-1"]
        {
            assert_eq!(Restarts::from_stored(text), None, "{text}");
        }
    }
}
