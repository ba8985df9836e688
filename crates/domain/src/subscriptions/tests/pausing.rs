//! Pauses that end by themselves, and calendars that begin anew.

use proptest::prelude::*;

use super::{any_terms, at, catch_up, day, length, terms};
use crate::subscriptions::{
    AnchorDay, Calendar, Next, PeriodUnit, RESTARTS_MAX, Restart, Restarts, Resumption, Schedule,
    Status, Step, Subscription, Terms,
};
use crate::time::CaracasDate;

/// A monthly subscription whose first cycle was paid, and which was paused then.
fn paused() -> Subscription {
    let new = Subscription::new(terms("2026-12-10"));
    let (active, _) = catch_up(new, at("2026-12-10"));
    active.paid(0).paused(at("2026-12-20"))
}

fn until(on: &str, calendar: Calendar) -> Resumption {
    Resumption { on: day(on), calendar }
}

#[test]
fn a_calendar_that_begins_anew_is_counted_from_that_day() {
    let (skipped, _) = catch_up(paused(), at("2027-02-20"));
    let resumed = skipped.resumed_anew(at("2027-02-28")).unwrap();
    assert_eq!(
        (resumed.status(at("2027-02-28")), resumed.standing.paused_from),
        (Status::Active, None)
    );
    assert_eq!(resumed.next_due(), Some(day("2027-02-28")));
    // Never from the period before, so that a 28th of February leads to the 28th of March.
    let (open, done) = catch_up(resumed, at("2027-02-28"));
    assert_eq!(done, [Step::Open(3)]);
    let paid = open.paid(3);
    assert_eq!(paid.next(at("2027-02-28")), Next::Wait(at("2027-03-25")));
    let boundaries: Vec<_> = (0..6).map(|cycle| paid.terms.schedule.boundary(cycle)).collect();
    let days = ["2026-12-10", "2027-01-10", "2027-02-10", "2027-02-28", "2027-03-28", "2027-04-28"];
    assert_eq!(boundaries, days.map(day));
    let (counted_from, anchor) = paid.terms.schedule.counted_from();
    assert_eq!((counted_from, anchor.get()), (day("2027-02-28"), 28));
}

#[test]
fn what_is_owed_of_the_former_calendar_keeps_its_days() {
    let late = Terms { pay_first: false, grace_days: 60, ..terms("2026-12-10") };
    let paused = Subscription::new(late).paused(at("2026-12-20"));
    let (skipped, done) = catch_up(paused, at("2027-02-20"));
    assert_eq!(done, [Step::Open(0), Step::Skip(1), Step::Skip(2)]);
    let resumed = skipped.resumed_anew(at("2027-02-20")).unwrap();
    assert_eq!(resumed.next_due(), Some(day("2027-01-10")));
    let (lapsed, done) = catch_up(resumed, at("2027-03-20"));
    // The first of the new calendar is due when it ends.
    assert_eq!(done, [Step::Lapse(0), Step::Open(3)]);
    assert_eq!(lapsed.terms.due_day(3), day("2027-03-20"));
}

#[test]
fn a_pause_that_has_skipped_nothing_leaves_the_calendar_as_it_is() {
    let paused = paused();
    let resumed = paused.clone().resumed_anew(at("2027-01-05")).unwrap();
    assert_eq!(resumed, paused.clone().resumed());
    // So does a subscription of which no period opens any more.
    let (skipped, _) = catch_up(paused, at("2027-01-15"));
    let canceled = skipped.canceled_at_period_end(at("2027-01-15"));
    let resumed = canceled.clone().resumed_anew(at("2027-01-15")).unwrap();
    assert_eq!(resumed.terms, canceled.terms);
}

#[test]
fn a_clock_that_was_set_back_begins_no_calendar_before_a_period_that_was_skipped() {
    let (skipped, _) = catch_up(paused(), at("2027-02-20"));
    let resumed = skipped.clone().resumed_anew(at("2027-01-30")).unwrap();
    let boundaries: Vec<_> = (1..5).map(|cycle| resumed.terms.schedule.boundary(cycle)).collect();
    assert_eq!(boundaries, ["2027-01-10", "2027-02-10", "2027-02-10", "2027-03-10"].map(day));
    // Nor does a pause that is given an end by such a clock.
    let given = skipped.resuming(until("2027-01-31", Calendar::New));
    let (resumed, done) = catch_up(given, at("2027-02-20"));
    assert_eq!(done, [Step::Resume, Step::Open(3), Step::Lapse(3)]);
    assert_eq!(resumed.next_due(), Some(day("2027-02-10")));
}

#[test]
fn a_calendar_begins_anew_so_often_and_no_more() {
    let mut of = paused();
    let mut today = day("2026-12-20");
    for _ in 0..RESTARTS_MAX {
        today = today.plus_days(60);
        (of, _) = catch_up(of, today.start());
        of = of.resumed_anew(today.start()).unwrap();
        (of, _) = catch_up(of, today.start());
        let number = of.standing.begun - 1;
        of = of.paid(number).paused(today.start());
    }
    let later = today.plus_days(60).start();
    let (of, _) = catch_up(of, later);
    assert_eq!(of.terms.schedule.restarts().count(), RESTARTS_MAX);
    assert_eq!(of.clone().resumed_anew(later), None);
    assert_eq!(of.resumed().status(later), Status::Active);
}

#[test]
fn a_pause_ends_by_itself_on_its_day() {
    let paused = paused().resuming(until("2027-02-15", Calendar::Same));
    assert_eq!(paused.next(at("2026-12-20")), Next::Wait(at("2027-01-10")));
    let (skipped, done) = catch_up(paused, at("2027-02-14"));
    assert_eq!(done, [Step::Skip(1), Step::Skip(2)]);
    assert_eq!(skipped.next(at("2027-02-14")), Next::Wait(at("2027-02-15")));
    let (resumed, done) = catch_up(skipped, at("2027-03-08"));
    assert_eq!(done, [Step::Resume, Step::Open(3)]);
    assert_eq!((resumed.standing.paused_from, resumed.standing.resumes), (None, None));
    assert_eq!(resumed.next_due(), Some(day("2027-03-10")));
}

#[test]
fn a_period_that_begins_on_the_last_day_of_a_pause_is_asked_for() {
    for calendar in [Calendar::Same, Calendar::New] {
        let paused = paused().resuming(until("2027-02-10", calendar));
        let (resumed, done) = catch_up(paused, at("2027-02-10"));
        assert_eq!(done, [Step::Skip(1), Step::Resume, Step::Open(2)]);
        assert_eq!(resumed.next_due(), Some(day("2027-02-10")));
    }
}

#[test]
fn a_pause_that_ends_by_itself_may_begin_the_calendar_anew() {
    let paused = paused().resuming(until("2027-02-15", Calendar::New));
    let (resumed, done) = catch_up(paused, at("2027-03-01"));
    assert_eq!(done, [Step::Skip(1), Step::Skip(2), Step::Resume, Step::Open(3), Step::Lapse(3)]);
    assert_eq!(resumed.next_due(), Some(day("2027-02-15")));
}

#[test]
fn who_resumes_before_the_day_takes_the_day_away() {
    let paused = paused().resuming(until("2027-02-15", Calendar::New));
    let resumed = paused.resumed();
    assert_eq!(resumed.standing.resumes, None);
    assert_eq!(resumed.paused(at("2027-01-02")).standing.resumes, None);
    let running = Subscription::new(terms("2026-12-10"));
    assert_eq!(running.resuming(until("2027-02-15", Calendar::New)).standing.resumes, None);
}

/// Draws the restarts of a calendar: so many cycles and days after each other.
fn restarts(
    from: CaracasDate,
    steps: &[(u32, i32)],
    of: impl Fn(Restarts, u32) -> CaracasDate,
) -> Restarts {
    let mut restarts = Restarts::NONE;
    let (mut cycle, mut day) = (0, from);
    for (cycles, days) in steps {
        cycle += cycles;
        // The cycle before it has begun by then.
        day = of(restarts, cycle - 1).max(day).plus_days(*days);
        restarts = restarts.and(Restart { cycle, day }).unwrap();
    }
    restarts
}

proptest! {
    /// Whenever it began anew: boundaries never go back, each is computed from its own beginning, and the first one after
    /// a day is found.
    #[test]
    fn a_calendar_that_began_anew_is_several_calendars(
        terms in any_terms(),
        steps in prop::collection::vec((1..20_u32, 0..90_i32), 0..6),
        looks in prop::collection::vec(0..4_000_i32, 1..8),
    ) {
        let schedule = terms.schedule;
        let boundary = |restarts: Restarts, cycle| schedule.with_restarts(restarts).boundary(cycle);
        let restarts = restarts(schedule.begins(), &steps, boundary);
        let anew = schedule.with_restarts(restarts);
        for cycle in 0..120_u32 {
            let alone = match restarts.of_cycle(cycle) {
                None => schedule.boundary(cycle),
                Some(Restart { cycle: first, day }) => {
                    let anchor = AnchorDay::new(i64::from(day.day_of_month()));
                    let of_its_own = Schedule::new(day, schedule.length(), anchor);
                    of_its_own.boundary(cycle - first)
                }
            };
            prop_assert_eq!(anew.boundary(cycle), alone);
            prop_assert!(anew.boundary(cycle) <= anew.boundary(cycle + 1));
        }
        for days in looks {
            let look = schedule.begins().plus_days(days - 50);
            let first = anew.first_after(look);
            prop_assert!(anew.boundary(first) > look);
            prop_assert!(first == 0 || anew.boundary(first - 1) <= look);
        }
    }
}

#[test]
fn weeks_are_counted_from_the_day_on_which_they_began_anew() {
    let weekly = Schedule::new(day("2026-12-01"), length(PeriodUnit::Week, 1), None);
    let anew = weekly.restarted(Restart { cycle: 2, day: day("2027-01-03") }).unwrap();
    let boundaries: Vec<_> = (0..4).map(|cycle| anew.boundary(cycle)).collect();
    assert_eq!(boundaries, ["2026-12-01", "2026-12-08", "2027-01-03", "2027-01-10"].map(day));
}
