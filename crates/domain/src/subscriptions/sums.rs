//! Figures of many subscriptions in one currency: who is up to date, what is past due, and what the month still owes.

use super::machine::{CycleState, Status, Subscription};
use crate::time::{CaracasMonth, Timestamp};

/// Figures of subscriptions in one currency. A sum that exceeds the greatest number stays that number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    /// Number of those that run, or are in their trial, with nothing past due.
    pub up_to_date: i64,
    /// Number of those that run with a cycle past due.
    pub past_due: i64,
    /// Total that their cycles past due ask for, in hundredths.
    pub past_due_sum: i64,
    /// Total that open cycles ask for whose due day comes by the end of the month, or has come, in hundredths; also of a
    /// subscription that waits for its first payment or is paused, since that is owed all the same.
    pub month_sum: i64,
}

impl Sums {
    /// Adds a subscription as it stands at an instant, given what each of its cycles [`Subscription::owed`] asks for, in
    /// their order. The month is that of its own clock.
    #[must_use]
    pub fn plus(mut self, of: &Subscription, asked: &[i64], now: Timestamp) -> Self {
        let own = of.clock.virtual_now(now);
        let month = CaracasMonth::of(own);
        let status = of.status(now);
        match status {
            Status::Active | Status::Trialing => {
                self.up_to_date = self.up_to_date.saturating_add(1);
            }
            Status::PastDue => self.past_due = self.past_due.saturating_add(1),
            Status::Pending
            | Status::Paused
            | Status::Completed
            | Status::Canceled
            | Status::Expired => {}
        }
        for (cycle, hundredths) in of.owed.iter().zip(asked).filter(|(cycle, _)| of.owes(cycle)) {
            if status == Status::PastDue && of.terms.past_due_at(cycle.number) <= own {
                self.past_due_sum = self.past_due_sum.saturating_add(*hundredths);
            }
            let is_open = cycle.state == CycleState::Open;
            if is_open && of.terms.due_day(cycle.number).month() <= month {
                self.month_sum = self.month_sum.saturating_add(*hundredths);
            }
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::super::{
        Cycle, PeriodLength, PeriodUnit, Reminders, Schedule, Standing, Terms, UnpaidPolicy,
    };
    use super::*;
    use crate::time::CaracasDate;

    fn at(day: &str) -> Timestamp {
        CaracasDate::parse(day).unwrap().start()
    }

    /// A monthly subscription that began on 10 October, was paid once and owes these cycles.
    fn owing(owed: &[(u32, CycleState)]) -> Subscription {
        let begins = CaracasDate::parse("2026-10-10").unwrap();
        let length = PeriodLength::new(PeriodUnit::Month, 1).unwrap();
        let subscription = Subscription::new(Terms {
            schedule: Schedule::new(begins, length, None),
            pay_first: true,
            cycles: None,
            lead_days: 30,
            grace_days: 3,
            has_trial: false,
            reminders: Reminders::NONE,
            unpaid: UnpaidPolicy::Stay,
        });
        let cycle = |(number, state): &(u32, CycleState)| Cycle {
            number: *number,
            state: *state,
            reminded: None,
        };
        let begun = owed.last().map_or(1, |(number, _)| number + 1);
        let standing = Standing { is_active: true, begun, ..subscription.standing };
        Subscription { standing, owed: owed.iter().map(cycle).collect(), ..subscription }
    }

    fn sums(of: &Subscription, asked: &[i64], now: &str) -> (i64, i64, i64, i64) {
        let Sums { up_to_date, past_due, past_due_sum, month_sum } =
            Sums::default().plus(of, asked, at(now));
        (up_to_date, past_due, past_due_sum, month_sum)
    }

    #[test]
    fn an_open_cycle_counts_from_the_beginning_of_its_month_and_as_past_due_from_its_due_day_on() {
        let of = owing(&[(1, CycleState::Open)]);
        for (now, expected) in [
            ("2026-10-31", (1, 0, 0, 0)),
            ("2026-11-01", (1, 0, 0, 500)),
            ("2026-11-10", (1, 0, 0, 500)),
            ("2026-11-11", (0, 1, 500, 500)),
        ] {
            assert_eq!(sums(&of, &[500], now), expected, "{now}");
        }
    }

    #[test]
    fn every_cycle_that_lapsed_is_past_due_and_none_of_them_is_of_the_month() {
        let of = owing(&[
            (1, CycleState::Lapsed),
            (2, CycleState::Lapsed),
            (3, CycleState::Open),
            (4, CycleState::Open),
        ]);
        // The third is due on 10 January, the fourth on 10 February.
        assert_eq!(sums(&of, &[1, 20, 300, 4_000], "2027-01-10"), (0, 1, 21, 300));
        assert_eq!(sums(&of, &[1, 20, 300, 4_000], "2027-01-11"), (0, 1, 321, 300));
    }

    #[test]
    fn nothing_is_owed_of_what_was_taken_back_and_a_pause_leaves_what_is_owed() {
        let of = owing(&[(1, CycleState::Open)]);
        let with = |change: fn(&mut Standing)| {
            let mut of = of.clone();
            change(&mut of.standing);
            sums(&of, &[500], "2026-11-11")
        };
        assert_eq!(with(|standing| standing.canceled_from = Some(1)), (1, 0, 0, 0));
        assert_eq!(with(|standing| standing.paused_from = Some(1)), (0, 0, 0, 500));
        assert_eq!(with(|standing| standing.is_active = false), (0, 0, 0, 500));
    }

    #[test]
    fn figures_are_added_up_and_never_exceed_the_greatest_number() {
        let (settled, late) = (owing(&[]), owing(&[(1, CycleState::Open)]));
        let now = at("2026-11-11");
        let sums = Sums::default().plus(&settled, &[], now).plus(&late, &[500], now);
        assert_eq!((sums.up_to_date, sums.past_due, sums.past_due_sum), (1, 1, 500));
        let most = sums.plus(&late, &[i64::MAX], now);
        assert_eq!((most.past_due, most.past_due_sum, most.month_sum), (2, i64::MAX, i64::MAX));
    }
}
