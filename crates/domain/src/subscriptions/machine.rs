//! Decides what a subscription is at an instant, and what has to be done about it next.

use std::time::Duration;

use crate::time::{CaracasDate, Timestamp};

use super::clock::TestClock;
use super::resumption::Resumption;
use super::terms::Terms;
use super::unpaid::UnpaidPolicy;

/// End that a subscription was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Somebody canceled it.
    Canceled,
    /// A cycle lapsed before anybody paid: the first one, which had to be paid first, or one that it was to end with.
    Expired,
    /// Its last cycle is settled.
    Completed,
}

/// State of a cycle that is not settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CycleState {
    /// Its link can be paid.
    Open,
    /// Nobody paid in time. It can still be paid, by a new link.
    Lapsed,
}

/// Cycle that was opened, and is neither paid nor waived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cycle {
    /// Its number, counted from zero.
    pub number: u32,
    /// Its state.
    pub state: CycleState,
    /// Latest day of its reminders that is done, counted from the due day.
    pub reminded: Option<i8>,
}

/// Facts that are kept of a subscription and change while it lives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// End that it was given.
    pub end: Option<End>,
    /// Number of cycles that were opened or skipped: the next cycle has this number.
    pub begun: u32,
    /// Number of cycles that were skipped. They do not count among [`Terms::cycles`].
    pub skipped: u32,
    /// Newest cycle that was paid or waived.
    pub newest_settled: Option<u32>,
    /// First cycle that is not owed any more, where it ends at a period's end.
    pub canceled_from: Option<u32>,
    /// Whether it ends, or has ended, with a cycle that nobody paid in time. Nobody takes that back.
    pub ends_unpaid: bool,
    /// First cycle that is skipped, while it is paused.
    pub paused_from: Option<u32>,
    /// End of that pause, where it was given one.
    pub resumes: Option<Resumption>,
    /// Whether its first cycle was paid or waived, or need not be paid first.
    pub is_active: bool,
}

/// Subscription as far as its rules need it. Whatever it is asked is about an instant of the real clock, and so are its
/// answers: it alone reads its own clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subscription {
    /// Its terms.
    pub terms: Terms,
    /// Clock that it lives by.
    pub clock: TestClock,
    /// Its standing.
    pub standing: Standing,
    /// Its cycles that are open or lapsed, in the order of their numbers. Those that a cancellation at a period's end
    /// took back are among them until the end, since it can be undone.
    pub owed: Vec<Cycle>,
}

/// Work on a subscription that one transaction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Opens the cycle of that number: its link is made.
    Open(u32),
    /// Skips the cycle of that number, whose period has begun while the subscription is paused.
    Skip(u32),
    /// Reminds the payer of a cycle, whose link can be paid.
    Remind {
        /// Its number.
        cycle: u32,
        /// Day of the reminder, counted from the due day.
        day: i8,
    },
    /// Lets the cycle of that number lapse: its link fails. The subscription goes on, is paused or ends with it, as its
    /// policy is.
    Lapse(u32),
    /// Resumes the subscription, on the day that its pause was to end.
    Resume,
    /// Ends the subscription.
    End(End),
}

impl Step {
    /// Tells whether it makes the subscription or a cycle another: a reminder does not, and nothing waits for it.
    #[must_use]
    pub const fn changes_subscription(self) -> bool {
        !matches!(self, Self::Remind { .. })
    }
}

/// Result of a look at a subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Do this, then look again.
    Do(Step),
    /// Look again then.
    Wait(Timestamp),
    /// Nothing is due until somebody acts: it has ended, or what it waits for was not paid in time.
    Nothing,
}

/// Leg of the way of a clock that is set ahead: how far it is set, and the step that is due then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leg {
    /// How far the clock is set ahead.
    pub by: Duration,
    /// Step that is due once it is; `None` where nothing is left to do on the way.
    pub step: Option<Step>,
}

/// State that people and programs read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Its first cycle has to be paid before it begins.
    Pending,
    /// Its trial runs.
    Trialing,
    /// Nothing is past due.
    Active,
    /// A cycle is past due.
    PastDue,
    /// No cycle opens until somebody resumes it.
    Paused,
    /// Its last cycle is settled.
    Completed,
    /// Somebody canceled it.
    Canceled,
    /// A cycle was not paid in time: the first one, or one that it was to end with.
    Expired,
}

impl Subscription {
    /// Makes the subscription as it is when it is new.
    #[must_use]
    pub fn new(terms: Terms) -> Self {
        let is_active = !terms.pay_first || terms.has_trial;
        let standing = Standing { is_active, ..Standing::default() };
        Self { terms, clock: TestClock::REAL, standing, owed: Vec::new() }
    }

    /// Decides what has to be done next, by the instants of the calendar: of several things that were missed the
    /// earliest comes first, so that a look after a year does what looks at every hour would have done. Whoever acts
    /// on a subscription does first what is due by then: a period that began before a pause is judged as it was.
    ///
    /// Reminders come once nothing else is due, of what is owed then: none goes out for a cycle that lapses at the same
    /// look, and no other step depends on whether one did.
    #[must_use]
    pub fn next(&self, now: Timestamp) -> Next {
        if self.standing.end.is_some() {
            return Next::Nothing;
        }
        let earliest = self.earliest();
        let own = self.clock.virtual_now(now);
        let due = match earliest {
            Some((at, step)) if at <= own => Some(step),
            _ => self.due_reminder(own),
        };
        if let Some(step) = due {
            return Next::Do(step);
        }
        let ahead = [earliest.map(|(at, _)| at), self.next_reminder(own)];
        let next = ahead.into_iter().flatten().min();
        next.map_or(Next::Nothing, |at| Next::Wait(self.clock.real_of(at)))
    }

    /// Finds what comes first by the instants of its own clock. A pause that ends on the day on which a period begins does
    /// not skip that one.
    fn earliest(&self) -> Option<(Timestamp, Step)> {
        let first = |steps: [Option<(Timestamp, Step)>; 2]| {
            // Of two at one instant the former.
            steps.into_iter().flatten().min_by_key(|(at, _)| *at)
        };
        let of_cycles = first([self.lapse(), self.opening()]);
        first([self.resumption(), of_cycles.or_else(|| self.natural_end())])
    }

    /// Finds the next leg on the way of its clock to `target`, an instant of its own: to the step that comes first, or
    /// to the target where none comes before. Leg by leg, each step is done at the instant at which it becomes due.
    #[must_use]
    pub fn leg_to(&self, target: Timestamp, now: Timestamp) -> Leg {
        let left = target.since(self.clock.virtual_now(now));
        let by = match self.next(now) {
            Next::Do(step) => return Leg { by: Duration::ZERO, step: Some(step) },
            Next::Wait(at) if at.since(now) <= left => at.since(now),
            Next::Wait(_) | Next::Nothing => return Leg { by: left, step: None },
        };
        let clock = self.clock.advanced(by).unwrap_or(self.clock);
        match (Self { clock, ..self.clone() }).next(now) {
            Next::Do(step) => Leg { by, step: Some(step) },
            Next::Wait(_) | Next::Nothing => Leg { by, step: None },
        }
    }

    /// Does a step, as the transaction that wrote it has.
    #[must_use]
    pub fn after(mut self, step: Step) -> Self {
        match step {
            Step::Open(number) => {
                self.standing.begun = number + 1;
                self.owed.push(Cycle { number, state: CycleState::Open, reminded: None });
            }
            Step::Skip(number) => {
                self.standing.begun = number + 1;
                self.standing.skipped += 1;
            }
            Step::Remind { cycle: number, day } => {
                let reminded = self.owed.iter_mut().filter(|cycle| cycle.number == number);
                reminded.for_each(|cycle| cycle.reminded = Some(day));
            }
            Step::Lapse(number) => return self.lapsed(number),
            Step::Resume => return self.resumed_by_itself(),
            Step::End(end) => {
                self.standing.end = Some(end);
                self.owed.clear();
            }
        }
        self
    }

    /// Lets a cycle lapse. One that has not begun ends by that, whatever its policy is.
    fn lapsed(mut self, number: u32) -> Self {
        let lapsed = self.owed.iter_mut().filter(|cycle| cycle.number == number);
        lapsed.for_each(|cycle| cycle.state = CycleState::Lapsed);
        match self.terms.unpaid {
            UnpaidPolicy::Pause if self.standing.is_active => self.paused_unpaid(number),
            UnpaidPolicy::End if self.standing.is_active => self.ended_unpaid(number),
            UnpaidPolicy::Stay | UnpaidPolicy::Pause | UnpaidPolicy::End => self,
        }
    }

    /// Ends as the grace of a cycle ends that nobody paid: nothing is owed any more. Where a settled period has not ended
    /// at that instant, the subscription ends with the last of these.
    fn ended_unpaid(mut self, number: u32) -> Self {
        self.standing.ends_unpaid = true;
        let Some(last) = self.settled_that_runs(self.terms.lapses_at(number)) else {
            return self.after(Step::End(End::Expired));
        };
        self.standing.canceled_from = Some(last.saturating_add(1));
        self.owed.clear();
        self
    }

    /// Notes that a cycle is paid. A late payment pays the cycle that it is for.
    #[must_use]
    pub fn paid(mut self, number: u32) -> Self {
        self.owed.retain(|cycle| cycle.number != number);
        self.standing.newest_settled = self.standing.newest_settled.max(Some(number));
        self.standing.is_active = true;
        self
    }

    /// Notes that a cycle is waived: its period is settled, as one that was paid is.
    #[must_use]
    pub fn waived(self, number: u32) -> Self {
        self.paid(number)
    }

    /// Returns the day on which somebody has to pay next: the due day of the first cycle that is owed, or else of the
    /// next one to open. `None` once nothing is owed and nothing opens any more,
    /// and while it is paused and nothing is owed.
    #[must_use]
    pub fn next_due(&self) -> Option<CaracasDate> {
        if self.standing.end.is_some() {
            return None;
        }
        let owed = self.owed().next().map(|cycle| cycle.number);
        let next = self.opening().and_then(|(_, step)| match step {
            Step::Open(number) => Some(number),
            Step::Skip(_) | Step::Remind { .. } | Step::Lapse(_) | Step::Resume | Step::End(_) => {
                None
            }
        });
        owed.or(next).map(|number| self.terms.due_day(number))
    }

    /// Tells whether nothing is owed whose due day has come by `now`.
    #[must_use]
    pub fn is_settled(&self, now: Timestamp) -> bool {
        let own = self.clock.virtual_now(now);
        let is_due = |cycle: &Cycle| self.terms.due_day(cycle.number).start() <= own;
        self.standing.is_active && !self.owed().any(is_due)
    }

    /// Cancels at the end of the period that runs at `now`, or of the last one that was paid ahead: later cycles are
    /// not owed. A subscription that has not begun is canceled at once.
    #[must_use]
    pub fn canceled_at_period_end(mut self, now: Timestamp) -> Self {
        let own = self.clock.virtual_now(now);
        if !self.standing.is_active || own < self.terms.begins_at(0) {
            return self.after(Step::End(End::Canceled));
        }
        let settled = self.settled_that_runs(own).map(|last| last.saturating_add(1));
        self.standing.canceled_from = settled.or_else(|| Some(self.terms.first_after(own)));
        self
    }

    /// Takes back a cancellation at a period's end that has not come yet. An end that an unpaid cycle has brought stays.
    #[must_use]
    pub fn kept(mut self) -> Self {
        if !self.standing.ends_unpaid {
            self.standing.canceled_from = None;
        }
        self
    }

    /// Returns the newest cycle that is settled, where its period has not ended at an instant of its own clock.
    pub(super) fn settled_that_runs(&self, own: Timestamp) -> Option<u32> {
        let running = self.terms.first_after(own).checked_sub(1);
        let runs_on = |settled: &u32| running.is_none_or(|running| *settled >= running);
        self.standing.newest_settled.filter(runs_on)
    }

    /// Tells what the subscription is at an instant.
    #[must_use]
    pub fn status(&self, now: Timestamp) -> Status {
        let Self { terms, standing, .. } = self;
        let own = self.clock.virtual_now(now);
        let is_past_due = |cycle: &Cycle| terms.past_due_at(cycle.number) <= own;
        match standing.end {
            Some(End::Canceled) => Status::Canceled,
            Some(End::Expired) => Status::Expired,
            Some(End::Completed) => Status::Completed,
            None if !standing.is_active => Status::Pending,
            None if standing.paused_from.is_some_and(|from| terms.begins_at(from) <= own) => {
                Status::Paused
            }
            None if self.owed().any(is_past_due) => Status::PastDue,
            None if terms.has_trial && own < terms.begins_at(0) => Status::Trialing,
            None => Status::Active,
        }
    }

    /// Returns the cycles that somebody owes, in the order of their numbers.
    pub fn owed(&self) -> impl Iterator<Item = &Cycle> {
        self.owed.iter().filter(move |cycle| self.owes(cycle))
    }

    /// Tells whether somebody owes an unpaid cycle: no cancellation at a period's end has taken it back.
    pub(super) fn owes(&self, cycle: &Cycle) -> bool {
        self.standing.canceled_from.is_none_or(|from| cycle.number < from)
    }

    /// Finds the next cycle to open or skip, and when.
    pub(super) fn opening(&self) -> Option<(Timestamp, Step)> {
        let Self { terms, standing, .. } = self;
        let number = standing.begun;
        let asked = number - standing.skipped;
        let is_within = standing.canceled_from.is_none_or(|from| number < from)
            && terms.cycles.is_none_or(|cycles| asked < cycles);
        // A first cycle that must be paid first holds up every other.
        let is_held_up = number > 0 && !standing.is_active;
        if !is_within || is_held_up || !terms.has_period(number) {
            return None;
        }
        Some(match standing.paused_from {
            Some(from) if number >= from => (terms.begins_at(number), Step::Skip(number)),
            _ => (terms.opens_at(number), Step::Open(number)),
        })
    }

    /// Finds the first open cycle that lapses, and when.
    fn lapse(&self) -> Option<(Timestamp, Step)> {
        let open = self.owed().find(|cycle| cycle.state == CycleState::Open)?;
        Some((self.terms.lapses_at(open.number), Step::Lapse(open.number)))
    }

    /// Finds the end of a subscription that has no cycle to open and none open, and when: a period that was paid runs
    /// to its end. One whose cycles lapsed stays past due until they are paid.
    fn natural_end(&self) -> Option<(Timestamp, Step)> {
        let Self { terms, standing, .. } = self;
        let ends = |end, after| Some((terms.begins_at(after), Step::End(end)));
        match standing.canceled_from {
            _ if !standing.is_active => Some((terms.lapses_at(0), Step::End(End::Expired))),
            Some(from) if standing.ends_unpaid => ends(End::Expired, from),
            Some(from) => ends(End::Canceled, from),
            None if self.owed().next().is_none() => ends(End::Completed, standing.begun),
            None => None,
        }
    }
}
