//! Of which cycle it is time to remind its payer.
//!
//! That is judged by what is owed when somebody looks. Of several reminders that were missed the latest alone is due, so
//! that a service that was down for a week, or a link that opened late, reminds once; a cycle that is paid, or whose time
//! is over, is reminded of by none.

use std::time::Duration;

use crate::time::Timestamp;

use super::machine::{Cycle, CycleState, Step, Subscription};
use super::terms::Terms;

/// Time of day in Caracas at which payers are reminded.
const TIME_OF_DAY: Duration = Duration::from_secs(9 * 60 * 60);

impl Terms {
    /// Returns the instant at which the payer of a cycle is reminded on that day, counted from the due day. `None` where
    /// the link of the cycle cannot be paid then: it has not opened, or its time is over.
    #[must_use]
    pub fn reminds_at(&self, cycle: u32, day: i8) -> Option<Timestamp> {
        let at = self.due_day(cycle).plus_days(i32::from(day)).start().plus(TIME_OF_DAY);
        (self.opens_at(cycle) <= at && at < self.lapses_at(cycle)).then_some(at)
    }

    /// Returns the latest day of a cycle's reminders whose time has come by an instant.
    #[must_use]
    pub fn reminder_by(&self, cycle: u32, instant: Timestamp) -> Option<i8> {
        let has_come = |day: &i8| self.reminds_at(cycle, *day).is_some_and(|at| at <= instant);
        self.reminders.as_slice().iter().rev().copied().find(has_come)
    }
}

impl Subscription {
    /// Finds the first cycle of which a reminder is due at an instant of the subscription's own clock.
    pub(super) fn due_reminder(&self, own: Timestamp) -> Option<Step> {
        self.open().find_map(|cycle| {
            let day = self.terms.reminder_by(cycle.number, own)?;
            (cycle.reminded < Some(day)).then_some(Step::Remind { cycle: cycle.number, day })
        })
    }

    /// Finds the instant after `own` at which the next reminder is due, by the same clock.
    pub(super) fn next_reminder(&self, own: Timestamp) -> Option<Timestamp> {
        let ahead = |cycle: &Cycle| {
            let days = self.terms.reminders.as_slice().iter().copied();
            days.filter(|day| cycle.reminded < Some(*day))
                .filter_map(|day| self.terms.reminds_at(cycle.number, day))
                .find(|at| *at > own)
        };
        self.open().filter_map(ahead).min()
    }

    /// Returns the cycles that somebody owes and whose links can be paid.
    fn open(&self) -> impl Iterator<Item = &Cycle> {
        self.owed().filter(|cycle| cycle.state == CycleState::Open)
    }
}
