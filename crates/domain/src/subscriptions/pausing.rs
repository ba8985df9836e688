//! Pauses: periods that begin in one are skipped. A pause ends when somebody ends it, or on a day that it was given; the
//! subscription goes on by its calendar then, or begins another one.

use crate::time::{CaracasDate, Timestamp};

use super::machine::{Step, Subscription};
use super::restarts::Restart;
use super::resumption::{Calendar, Resumption};
use super::schedule::Schedule;

impl Subscription {
    /// Returns the instant from which a pause skips periods, while there is one.
    #[must_use]
    pub fn paused_at(&self) -> Option<Timestamp> {
        let from = self.standing.paused_from?;
        Some(self.clock.real_of(self.terms.begins_at(from)))
    }

    /// Pauses from the next period on: the period that runs at `now` is owed as it was.
    #[must_use]
    pub fn paused(mut self, now: Timestamp) -> Self {
        let own = self.clock.virtual_now(now);
        // A period that was asked for ahead of its first day is owed too.
        let next = self.terms.first_after(own).max(self.standing.begun);
        self.standing.paused_from = self.standing.paused_from.or(Some(next));
        self
    }

    /// Pauses as the grace of a cycle ends that nobody paid: no period is asked for that begins at that instant or later,
    /// and was not opened ahead. Where none opens any more, there is nothing to pause.
    pub(super) fn paused_unpaid(mut self, number: u32) -> Self {
        if self.opening().is_none() {
            return self;
        }
        let day_before = CaracasDate::of(self.terms.lapses_at(number)).plus_days(-1);
        let next = self.terms.schedule.first_after(day_before).max(self.standing.begun);
        self.standing.paused_from = self.standing.paused_from.or(Some(next));
        self
    }

    /// Gives the pause that end, where there is a pause.
    #[must_use]
    pub fn resuming(mut self, resumes: Resumption) -> Self {
        self.standing.resumes = self.standing.paused_from.map(|_| resumes);
        self
    }

    /// Takes the end away from the pause, if it has one: somebody resumes the subscription.
    #[must_use]
    pub fn without_resumption(mut self) -> Self {
        self.standing.resumes = None;
        self
    }

    /// Resumes on the old calendar. Periods that began meanwhile were skipped.
    #[must_use]
    pub fn resumed(mut self) -> Self {
        self.standing.paused_from = None;
        self.standing.resumes = None;
        self
    }

    /// Resumes with a period that begins on the day of `now`, from which all later ones are computed. A pause that has
    /// skipped nothing leaves the calendar as it is, and so does a subscription of which no period opens any more. `None`
    /// where the calendar has begun anew as often as it may.
    #[must_use]
    pub fn resumed_anew(self, now: Timestamp) -> Option<Self> {
        let day = CaracasDate::of(self.clock.virtual_now(now));
        self.resumed_on(day)
    }

    /// Resumes on the day that the pause was given.
    pub(super) fn resumed_by_itself(self) -> Self {
        match self.standing.resumes {
            Some(Resumption { on, calendar: Calendar::New }) => {
                // Whoever gave the day knew that there was room.
                self.clone().resumed_on(on).unwrap_or_else(|| self.resumed())
            }
            Some(Resumption { calendar: Calendar::Same, .. }) | None => self.resumed(),
        }
    }

    fn resumed_on(mut self, day: CaracasDate) -> Option<Self> {
        self.terms.schedule = self.calendar_from(day)?;
        Some(self.resumed())
    }

    /// Returns the calendar that begins anew on that day with the next cycle. What began before keeps its days. The period
    /// before it, which the new one ends, is one that the pause has skipped: nothing that somebody pays becomes longer or
    /// shorter.
    fn calendar_from(&self, day: CaracasDate) -> Option<Schedule> {
        let (schedule, cycle) = (self.terms.schedule, self.standing.begun);
        let has_skipped = self.standing.paused_from.is_some_and(|from| from < cycle);
        if !has_skipped || self.opening().is_none() {
            return Some(schedule);
        }
        // By a clock that was set back since, what was skipped has not begun yet.
        let day = day.max(schedule.boundary(cycle.saturating_sub(1)));
        schedule.restarted(Restart { cycle, day })
    }

    /// Finds the day on which a pause ends by itself.
    pub(super) fn resumption(&self) -> Option<(Timestamp, Step)> {
        let resumes = self.standing.paused_from.and(self.standing.resumes)?;
        Some((resumes.on.start(), Step::Resume))
    }
}
