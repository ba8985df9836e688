//! Terms of a subscription, and the days and instants that follow from them.

use crate::time::{CaracasDate, Timestamp};

use super::reminders::Reminders;
use super::schedule::{Period, Schedule};
use super::unpaid::UnpaidPolicy;

/// Most days that a cycle's link opens before its due day.
pub const LEAD_DAYS_MAX: u8 = 60;

/// Most days that a cycle's link can be paid after its due day.
pub const GRACE_DAYS_MAX: u8 = 60;

/// Terms that a subscription was made with. They do not change while it lives, but that its calendar may begin anew and
/// its owner may choose another policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// Calendar of its cycles.
    pub schedule: Schedule,
    /// Whether a cycle is due on the first day of its period; otherwise on the first day after it.
    pub pay_first: bool,
    /// Number of cycles that are asked for; `None` until somebody cancels.
    pub cycles: Option<u32>,
    /// Days before the due day that a link opens. A period that is paid at its end is not asked for before it ends.
    pub lead_days: u8,
    /// Days after the due day that a link can be paid.
    pub grace_days: u8,
    /// Whether the time before its first period is a trial.
    pub has_trial: bool,
    /// Days on which payers are reminded.
    pub reminders: Reminders,
    /// Consequence of a cycle that nobody paid in time.
    pub unpaid: UnpaidPolicy,
}

impl Terms {
    /// Returns the day on which a cycle is due.
    #[must_use]
    pub fn due_day(&self, cycle: u32) -> CaracasDate {
        let Period { begins, ends } = self.schedule.period(cycle);
        if self.pay_first { begins } else { ends }
    }

    /// Returns the instant at which a cycle's link opens. One with which the calendar begins anew opens on that day.
    #[must_use]
    pub fn opens_at(&self, cycle: u32) -> Timestamp {
        let is_ahead = self.pay_first && !self.schedule.begins_anew_with(cycle);
        let lead = if is_ahead { i32::from(self.lead_days) } else { 0 };
        self.due_day(cycle).plus_days(-lead).start()
    }

    /// Returns the instant from which a cycle counts as past due: the end of its due day.
    #[must_use]
    pub fn past_due_at(&self, cycle: u32) -> Timestamp {
        self.due_day(cycle).plus_days(1).start()
    }

    /// Returns the instant at which a cycle's link lapses: the end of the last day of grace.
    #[must_use]
    pub fn lapses_at(&self, cycle: u32) -> Timestamp {
        self.due_day(cycle).plus_days(1 + i32::from(self.grace_days)).start()
    }

    /// Returns the instant at which the period of a cycle begins.
    #[must_use]
    pub fn begins_at(&self, cycle: u32) -> Timestamp {
        self.schedule.boundary(cycle).start()
    }

    /// Returns the due days of its cycles in their order, as far as its number of cycles and the calendar go, if nobody
    /// pauses or cancels it.
    pub fn due_days(&self) -> impl Iterator<Item = CaracasDate> {
        let cycles = 0..self.cycles.unwrap_or(u32::MAX);
        let its = cycles.take_while(move |cycle| self.has_period(*cycle));
        its.map(move |cycle| self.due_day(cycle))
    }

    /// Returns the first due day after a day, whether or not anything is asked for then.
    #[must_use]
    pub fn due_after(&self, day: CaracasDate) -> CaracasDate {
        // The first day of the first period is no due day where periods are paid at their ends.
        let least = u32::from(!self.pay_first);
        self.schedule.boundary(self.schedule.first_after(day).max(least))
    }

    /// Tells whether the calendar has the period of a cycle.
    pub(super) fn has_period(&self, cycle: u32) -> bool {
        let Period { begins, ends } = self.schedule.period(cycle);
        begins < ends
    }

    /// Returns the number of the first cycle whose period begins after the instant.
    pub(super) fn first_after(&self, instant: Timestamp) -> u32 {
        self.schedule.first_after(CaracasDate::of(instant))
    }
}
