//! A clock that is set ahead against days that go by.

use std::time::Duration;

use proptest::prelude::*;

use super::reminders::of_what_is_open;
use super::{any_terms, catch_up, day, lasting, terms};
use crate::subscriptions::{Leg, Step, Subscription, Terms};

proptest! {
    /// Leg by leg it does what the days would have done, in the same order, and leaves no reminder out on its way.
    #[test]
    fn a_clock_that_is_set_ahead_leaves_nothing_out(
        terms in any_terms(),
        jumps in prop::collection::vec(1..250_i32, 1..5),
    ) {
        let (begins, mut days) = (terms.schedule.boundary(0), 0);
        let now = begins.start();
        let (mut real, mut ahead) = (Subscription::new(terms), Subscription::new(terms));
        for jump in jumps {
            days += jump;
            let target = begins.plus_days(days).start();
            let (after, done) = catch_up(real, target);
            let mut on_the_way = Vec::new();
            loop {
                let Leg { by, step } = ahead.leg_to(target, now);
                ahead.clock = ahead.clock.advanced(by).unwrap();
                let Some(step) = step else { break };
                ahead = ahead.after(step);
                on_the_way.push(step);
            }
            prop_assert_eq!(ahead.clock.virtual_now(now), target);
            prop_assert_eq!(lasting(&on_the_way), lasting(&done));
            prop_assert_eq!(ahead.status(now), after.status(target));
            prop_assert_eq!(ahead.is_settled(now), after.is_settled(target));
            // Somebody pays what is owed first.
            let owed = after.owed().next().map(|cycle| cycle.number);
            (real, ahead) = match owed {
                Some(number) => (after.paid(number), ahead.paid(number)),
                None => (after, ahead),
            };
        }
        ahead.clock = real.clock;
        prop_assert_eq!(of_what_is_open(&real), of_what_is_open(&ahead));
    }
}

#[test]
fn acts_are_judged_by_the_clock_of_the_subscription() {
    let now = day("2026-12-10").start();
    let mut ahead = Subscription::new(terms("2026-12-10")).paid(0);
    let new_year = day("2027-01-01").start();
    let due = Leg { by: Duration::ZERO, step: Some(Step::Open(0)) };
    assert_eq!(ahead.leg_to(new_year, now), due);
    ahead = ahead.after(Step::Open(0)).paid(0);
    assert_eq!(ahead.leg_to(new_year, now), Leg { by: new_year.since(now), step: None });
    ahead.clock = ahead.clock.advanced(new_year.since(now)).unwrap();
    assert_eq!(ahead.clone().paused(now).standing.paused_from, Some(1));
    // The second period begins by that clock alone.
    let later = day("2027-01-15").start().since(new_year);
    ahead.clock = ahead.clock.advanced(later).unwrap();
    assert_eq!(ahead.clone().canceled_at_period_end(now).standing.canceled_from, Some(2));
    assert_eq!(ahead.paused(now).standing.paused_from, Some(2));
}

#[test]
fn the_first_due_day_after_a_day_is_a_boundary_of_the_calendar() {
    let at_start = terms("2026-12-10");
    let at_end = Terms { pay_first: false, ..at_start };
    for (from, first, of_at_end) in [
        ("2026-12-01", "2026-12-10", "2027-01-10"),
        ("2026-12-10", "2027-01-10", "2027-01-10"),
        ("2027-01-10", "2027-02-10", "2027-02-10"),
    ] {
        assert_eq!(at_start.due_after(day(from)), day(first));
        assert_eq!(at_end.due_after(day(from)), day(of_at_end));
    }
}
