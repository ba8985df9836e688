//! The calendar against one that counts months by hand, and the machine against looks at other instants.

mod ahead;
mod drawn;
mod due_days;
mod pausing;
mod reminders;
mod unpaid;
mod waiving;

use proptest::prelude::*;

use self::drawn::{ACTS, act, any_terms};
use super::*;
use crate::language::Language;
use crate::time::{CaracasDate, Timestamp};

fn day(text: &str) -> CaracasDate {
    CaracasDate::parse(text).unwrap()
}

fn length(unit: PeriodUnit, count: i64) -> PeriodLength {
    PeriodLength::new(unit, count).unwrap()
}

fn monthly(start: &str, anchor: Option<i64>) -> Schedule {
    let anchor = anchor.map(|day| AnchorDay::new(day).unwrap());
    Schedule::new(day(start), length(PeriodUnit::Month, 1), anchor)
}

fn boundaries(schedule: Schedule, count: u32) -> Vec<String> {
    (0..count).map(|cycle| schedule.boundary(cycle).to_string()).collect()
}

/// Terms of a monthly subscription that is paid first, with three days of lead and two of grace, and no reminders.
fn terms(start: &str) -> Terms {
    Terms {
        schedule: monthly(start, None),
        pay_first: true,
        cycles: None,
        lead_days: 3,
        grace_days: 2,
        has_trial: false,
        reminders: Reminders::NONE,
        unpaid: UnpaidPolicy::Stay,
    }
}

fn at(text: &str) -> Timestamp {
    day(text).start()
}

/// Does every step that is due, and returns them.
fn catch_up(mut subscription: Subscription, now: Timestamp) -> (Subscription, Vec<Step>) {
    let mut done = Vec::new();
    while let Next::Do(step) = subscription.next(now) {
        subscription = subscription.after(step);
        done.push(step);
    }
    (subscription, done)
}

/// Leaves out the reminders among steps.
fn lasting(steps: &[Step]) -> Vec<Step> {
    let is_lasting = |step: &&Step| !matches!(step, Step::Remind { .. });
    steps.iter().filter(is_lasting).copied().collect()
}

#[test]
fn the_end_of_a_month_does_not_drift() {
    let from_31 = boundaries(monthly("2027-01-31", None), 5);
    assert_eq!(from_31, ["2027-01-31", "2027-02-28", "2027-03-31", "2027-04-30", "2027-05-31"]);
    let leap = boundaries(monthly("2028-01-31", None), 3);
    assert_eq!(leap, ["2028-01-31", "2028-02-29", "2028-03-31"]);
    // The last day of every month, begun in a short one.
    let from_short = boundaries(monthly("2027-02-28", Some(31)), 3);
    assert_eq!(from_short, ["2027-02-28", "2027-03-31", "2027-04-30"]);
}

#[test]
fn cycles_begin_on_the_first_anchor_day() {
    assert_eq!(boundaries(monthly("2026-11-20", Some(5)), 2), ["2026-12-05", "2027-01-05"]);
    assert_eq!(boundaries(monthly("2026-11-20", Some(20)), 2), ["2026-11-20", "2026-12-20"]);
    assert_eq!(boundaries(monthly("2026-11-20", Some(25)), 2), ["2026-11-25", "2026-12-25"]);
}

#[test]
fn a_year_from_a_leap_day_comes_back_to_it() {
    let yearly = Schedule::new(day("2028-02-29"), length(PeriodUnit::Year, 1), None);
    let years = ["2028-02-29", "2029-02-28", "2030-02-28", "2031-02-28", "2032-02-29"];
    assert_eq!(boundaries(yearly, 5), years);
}

#[test]
fn days_and_weeks_are_counted_from_the_start_alone() {
    let anchor = AnchorDay::new(1);
    let weekly = Schedule::new(day("2026-12-28"), length(PeriodUnit::Week, 2), anchor);
    assert_eq!(boundaries(weekly, 3), ["2026-12-28", "2027-01-11", "2027-01-25"]);
    let daily = Schedule::new(day("2027-02-27"), length(PeriodUnit::Day, 1), anchor);
    assert_eq!(boundaries(daily, 3), ["2027-02-27", "2027-02-28", "2027-03-01"]);
}

#[test]
fn lengths_and_anchors_have_bounds() {
    for unit in PeriodUnit::ALL {
        assert_eq!(PeriodUnit::parse(unit.as_str()), Some(unit));
        assert!(PeriodLength::new(unit, 0).is_none() && PeriodLength::new(unit, -1).is_none());
        let most = i64::from(unit.count_max());
        assert!(PeriodLength::new(unit, most).is_some());
        assert!(PeriodLength::new(unit, most + 1).is_none());
    }
    assert!(AnchorDay::new(0).is_none() && AnchorDay::new(32).is_none());
    assert_eq!(PeriodUnit::parse("fortnight"), None);
}

#[test]
fn days_begin_at_midnight_of_caracas_whatever_its_offset_was() {
    // Half an hour was taken in December 2007, and given back in May 2016.
    for (begins, instant) in [
        ("2007-12-08", "2007-12-08T04:00:00.000Z"),
        ("2007-12-10", "2007-12-10T04:30:00.000Z"),
        ("2016-05-01", "2016-05-01T04:30:00.000Z"),
        ("2016-05-02", "2016-05-02T04:00:00.000Z"),
    ] {
        let terms = Terms { lead_days: 0, ..terms(begins) };
        assert_eq!(terms.opens_at(0).to_string(), instant);
    }
}

#[test]
fn the_first_cycle_is_paid_before_a_subscription_begins() {
    let new = Subscription::new(terms("2026-12-10"));
    assert_eq!(new.next(at("2026-12-06")), Next::Wait(at("2026-12-07")));
    assert_eq!(new.status(at("2026-12-06")), Status::Pending);
    let (open, done) = catch_up(new, at("2026-12-07"));
    assert_eq!(done, [Step::Open(0)]);
    // No other cycle opens while the first one is not paid.
    assert_eq!(open.next(at("2026-12-12")), Next::Wait(at("2026-12-13")));
    let (expired, done) = catch_up(open.clone(), at("2027-12-01"));
    assert_eq!(done, [Step::Lapse(0), Step::End(End::Expired)]);
    assert_eq!((expired.status(at("2027-12-01")), expired.owed), (Status::Expired, vec![]));
    let paid = open.paid(0);
    assert_eq!(paid.status(at("2026-12-20")), Status::Active);
    assert_eq!(paid.next(at("2026-12-20")), Next::Wait(at("2027-01-07")));
}

#[test]
fn a_period_that_is_paid_at_its_end_is_asked_for_on_the_day_after_it() {
    let new = Subscription::new(Terms { pay_first: false, ..terms("2026-12-10") });
    assert_eq!(new.status(at("2026-12-10")), Status::Active);
    // Lead or none: it is not asked for before it ends.
    assert_eq!(new.next(at("2026-12-10")), Next::Wait(at("2027-01-10")));
    let (open, _) = catch_up(new, at("2027-01-10"));
    // Its due day is not over yet.
    assert_eq!(open.status(at("2027-01-10")), Status::Active);
    assert_eq!(open.status(at("2027-01-11")), Status::PastDue);
}

#[test]
fn a_cycle_that_lapsed_is_owed_until_it_is_paid_and_stops_no_other() {
    let paid_late = Subscription::new(Terms { pay_first: false, ..terms("2026-12-10") });
    let (late, done) = catch_up(paid_late, at("2027-02-10"));
    assert_eq!(done, [Step::Open(0), Step::Lapse(0), Step::Open(1)]);
    assert_eq!(late.status(at("2027-02-10")), Status::PastDue);
    let settled = late.paid(0);
    assert_eq!(settled.status(at("2027-02-10")), Status::Active);
    let second = Cycle { number: 1, state: CycleState::Open, reminded: None };
    assert_eq!(settled.owed, [second]);
}

#[test]
fn the_last_cycle_runs_to_its_end() {
    let two = Subscription::new(Terms { cycles: Some(2), ..terms("2026-12-10") });
    let (first, _) = catch_up(two, at("2026-12-10"));
    let (second, done) = catch_up(first.paid(0), at("2027-01-10"));
    assert_eq!(done, [Step::Open(1)]);
    let paid = second.clone().paid(1);
    assert_eq!(paid.next(at("2027-01-20")), Next::Wait(at("2027-02-10")));
    let (ended, done) = catch_up(paid, at("2027-02-10"));
    assert_eq!(done, [Step::End(End::Completed)]);
    assert_eq!(ended.next(at("2030-01-01")), Next::Nothing);
    // One that was not paid is no end: it is owed.
    let (unpaid, done) = catch_up(second, at("2028-01-01"));
    assert_eq!((done, unpaid.next(at("2028-01-01"))), (vec![Step::Lapse(1)], Next::Nothing));
    assert_eq!(unpaid.status(at("2028-01-01")), Status::PastDue);
    assert_eq!(unpaid.paid(1).next(at("2028-01-01")), Next::Do(Step::End(End::Completed)));
}

#[test]
fn a_cancellation_at_the_end_of_the_period_lets_it_run_and_owes_no_other() {
    let (open, _) = catch_up(Subscription::new(terms("2026-12-10")), at("2026-12-10"));
    let canceled = open.paid(0).canceled_at_period_end(at("2026-12-20"));
    assert_eq!(canceled.next(at("2026-12-20")), Next::Wait(at("2027-01-10")));
    assert_eq!(canceled.status(at("2026-12-20")), Status::Active);
    let (ended, done) = catch_up(canceled, at("2027-03-01"));
    assert_eq!(done, [Step::End(End::Canceled)]);
    assert_eq!(ended.status(at("2027-03-01")), Status::Canceled);
}

#[test]
fn a_cycle_that_was_asked_for_ahead_is_not_owed_after_a_cancellation_and_again_once_that_is_undone()
{
    let (open, _) = catch_up(Subscription::new(terms("2026-12-10")), at("2026-12-10"));
    let (ahead, done) = catch_up(open.paid(0), at("2027-01-08"));
    assert_eq!(done, [Step::Open(1)]);
    let mut canceled = ahead.canceled_at_period_end(at("2027-01-08"));
    assert_eq!((canceled.owed().count(), canceled.owed.len()), (0, 1));
    assert_eq!(canceled.next(at("2027-01-08")), Next::Wait(at("2027-01-10")));
    let (ended, _) = catch_up(canceled.clone(), at("2027-01-10"));
    assert_eq!((ended.standing.end, ended.owed), (Some(End::Canceled), vec![]));
    canceled.standing.canceled_from = None;
    assert_eq!(canceled.owed().count(), 1);
}

#[test]
fn the_period_that_runs_is_owed_though_it_is_paid_at_its_end() {
    let new = Subscription::new(Terms { pay_first: false, ..terms("2026-12-10") });
    let canceled = new.clone().canceled_at_period_end(at("2026-12-20"));
    let (asked, done) = catch_up(canceled, at("2027-01-10"));
    assert_eq!(done, [Step::Open(0)]);
    assert_eq!(asked.paid(0).next(at("2027-01-10")), Next::Do(Step::End(End::Canceled)));
    // So it is after a pause.
    let (asked, done) = catch_up(new.paused(at("2026-12-20")), at("2027-02-20"));
    assert_eq!(done, [Step::Open(0), Step::Skip(1), Step::Lapse(0), Step::Skip(2)]);
    assert_eq!(asked.status(at("2027-02-20")), Status::Paused);
}

#[test]
fn what_has_not_begun_is_canceled_at_once() {
    let pending = Subscription::new(terms("2026-12-10"));
    let canceled = pending.canceled_at_period_end(at("2026-12-20"));
    assert_eq!(canceled.standing.end, Some(End::Canceled));
    let trial = Subscription::new(Terms { has_trial: true, ..terms("2026-12-24") });
    let canceled = trial.canceled_at_period_end(at("2026-12-20"));
    assert_eq!(canceled.standing.end, Some(End::Canceled));
}

#[test]
fn a_pause_skips_the_periods_that_begin_in_it_and_uses_up_no_cycle() {
    let three = Subscription::new(Terms { cycles: Some(3), ..terms("2026-12-10") });
    let (active, _) = catch_up(three, at("2026-12-10"));
    let paused = active.paid(0).paused(at("2026-12-20"));
    assert_eq!(paused.status(at("2026-12-20")), Status::Active);
    assert_eq!(paused.status(at("2027-01-10")), Status::Paused);
    let (paused, done) = catch_up(paused, at("2027-02-20"));
    assert_eq!((done, paused.owed.len()), (vec![Step::Skip(1), Step::Skip(2)], 0));
    let (resumed, done) = catch_up(paused.resumed(), at("2027-03-08"));
    // On its old anchor.
    assert_eq!(done, [Step::Open(3)]);
    assert_eq!(resumed.status(at("2027-03-08")), Status::Active);
    let (last, done) = catch_up(resumed.paid(3), at("2027-04-08"));
    assert_eq!(done, [Step::Open(4)]);
    assert_eq!(last.paid(4).next(at("2027-04-20")), Next::Wait(at("2027-05-10")));
}

#[test]
fn a_pause_that_ends_before_the_next_period_changes_nothing() {
    let (active, _) = catch_up(Subscription::new(terms("2026-12-10")), at("2026-12-10"));
    let paused = active.paid(0).paused(at("2027-01-06"));
    let (paused, done) = catch_up(paused, at("2027-01-08"));
    assert_eq!(done, []);
    let (_, done) = catch_up(paused.resumed(), at("2027-01-08"));
    assert_eq!(done, [Step::Open(1)]);
}

#[test]
fn nobody_pays_before_a_trial_ends() {
    let new = Subscription::new(Terms { has_trial: true, ..terms("2026-12-24") });
    assert_eq!(new.status(at("2026-12-10")), Status::Trialing);
    assert_eq!(new.next(at("2026-12-10")), Next::Wait(at("2026-12-21")));
    let (open, _) = catch_up(new, at("2026-12-24"));
    assert_eq!(open.status(at("2026-12-24")), Status::Active);
    assert_eq!(open.status(at("2026-12-25")), Status::PastDue);
}

#[test]
fn a_subscription_without_end_stops_at_the_end_of_the_calendar() {
    let yearly = Schedule::new(day("9990-06-01"), length(PeriodUnit::Year, 5), None);
    let all = Terms { schedule: yearly, pay_first: false, ..terms("2026-12-10") };
    let (rests, done) = catch_up(Subscription::new(all), day("9999-12-30").start());
    assert_eq!(done.iter().filter(|step| matches!(step, Step::Open(_))).count(), 2);
    assert!(!matches!(rests.next(day("9999-12-30").start()), Next::Do(_)));
}

#[test]
fn the_first_period_after_a_day_is_found() {
    let schedule = monthly("2027-01-31", None);
    for (today, first) in [
        ("2026-12-01", 0),
        ("2027-01-30", 0),
        ("2027-01-31", 1),
        ("2027-02-27", 1),
        ("2027-02-28", 2),
    ] {
        assert_eq!(schedule.first_after(day(today)), first, "{today}");
    }
}

/// Returns the days of a month, by the rule of the calendar.
fn days_in(year: u32, month: u32) -> u32 {
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[test]
fn every_anchor_holds_over_four_hundred_cycles() {
    for anchor in 1..=31_u8 {
        for (count, first_month) in [(1, 1_u32), (3, 2), (12, 6)] {
            let start = day(&format!("2027-{first_month:02}-01"));
            let of = AnchorDay::new(i64::from(anchor));
            let schedule = Schedule::new(start, length(PeriodUnit::Month, i64::from(count)), of);
            for cycle in 0..400 {
                let months = first_month - 1 + cycle * count;
                let (year, month) = (2027 + months / 12, months % 12 + 1);
                let expected = u32::from(anchor).min(days_in(year, month));
                let expected = format!("{year:04}-{month:02}-{expected:02}");
                assert_eq!(schedule.boundary(cycle).to_string(), expected);
            }
        }
    }
}

proptest! {
    /// Acts happen at their instants, after all that was due by then. Looks in between change nothing: whether a node
    /// looks every hour or comes back after a year, the same steps are done in the same order. Reminders alone depend on
    /// looks: of those that were missed the latest is sent, so that what is open is reminded of as far either way.
    #[test]
    fn looks_in_between_change_nothing(
        terms in any_terms(),
        acts in prop::collection::vec((0..500_u32, 0..ACTS), 0..12),
        looks in prop::collection::vec(0..400_u32, 0..40),
    ) {
        let begins = terms.schedule.boundary(0);
        let (mut seldom, mut often) = (Subscription::new(terms), Subscription::new(terms));
        let (mut of_seldom, mut of_often) = (Vec::new(), Vec::new());
        let mut today = 0;
        for (pause, number) in acts {
            for look in looks.iter().filter(|look| **look < pause) {
                let now = begins.plus_days(i32::try_from(today + look).unwrap()).start();
                let (after, done) = catch_up(often, now);
                often = after;
                of_often.extend(done);
            }
            today += pause;
            let now = begins.plus_days(i32::try_from(today).unwrap()).start();
            for (subscription, steps) in [(&mut seldom, &mut of_seldom), (&mut often, &mut of_often)] {
                let (after, done) = catch_up(subscription.clone(), now);
                *subscription = act(after, number, now);
                steps.extend(done);
            }
        }
        prop_assert_eq!(lasting(&of_seldom), lasting(&of_often));
        prop_assert_eq!(reminders::of_what_is_open(&seldom), reminders::of_what_is_open(&often));

        // Each cycle begins once, in its order; nothing comes after the end.
        let begun = of_seldom.iter().filter_map(|step| match step {
            Step::Open(number) | Step::Skip(number) => Some(*number),
            Step::Remind { .. } | Step::Lapse(_) | Step::Resume | Step::End(_) => None,
        });
        prop_assert!(begun.eq(0..seldom.standing.begun));
        let ends = of_seldom.iter().position(|step| matches!(step, Step::End(_)));
        prop_assert!(ends.is_none_or(|at| at == of_seldom.len() - 1));
        // Nothing is owed after the end, and no more is asked for than was agreed.
        prop_assert!(seldom.standing.end.is_none() || seldom.owed.is_empty());
        let asked = seldom.standing.begun - seldom.standing.skipped;
        prop_assert!(terms.cycles.is_none_or(|cycles| asked <= cycles));
    }

    /// A wait is never over before something can be done.
    #[test]
    fn something_is_due_when_a_wait_is_over(terms in any_terms(), days in 0..2_000_i32) {
        let begins = terms.schedule.boundary(0);
        let now = begins.plus_days(days - 100).start();
        let (subscription, _) = catch_up(Subscription::new(terms), now);
        if let Next::Wait(then) = subscription.next(now) {
            prop_assert!(then > now);
            prop_assert!(matches!(subscription.next(then), Next::Do(_)));
        }
    }
}

#[test]
fn periods_are_written_for_payers() {
    for (begins, ends, es, en) in [
        ("2026-11-01", "2026-12-01", "noviembre de 2026", "November 2026"),
        ("2026-12-01", "2027-01-01", "diciembre de 2026", "December 2026"),
        ("2026-11-03", "2026-11-04", "3 de noviembre de 2026", "3 November 2026"),
        ("2026-12-01", "2026-12-08", "del 1 al 7 de diciembre de 2026", "1 to 7 December 2026"),
        (
            "2026-11-15",
            "2026-12-15",
            "del 15 de noviembre al 14 de diciembre de 2026",
            "15 November to 14 December 2026",
        ),
        (
            "2026-12-15",
            "2027-01-15",
            "del 15 de diciembre de 2026 al 14 de enero de 2027",
            "15 December 2026 to 14 January 2027",
        ),
        (
            "2026-01-01",
            "2026-03-01",
            "del 1 de enero al 28 de febrero de 2026",
            "1 January to 28 February 2026",
        ),
    ] {
        let period = Period { begins: day(begins), ends: day(ends) };
        assert_eq!((&*period.in_words(Language::Es), &*period.in_words(Language::En)), (es, en));
    }
}

#[test]
fn the_next_due_day_is_that_of_what_is_owed_or_else_of_what_opens_next() {
    let new = Subscription::new(terms("2026-12-10"));
    assert_eq!(new.next_due(), Some(day("2026-12-10")));
    let (open, _) = catch_up(new, at("2026-12-10"));
    assert!(!open.is_settled(at("2026-12-10")));
    let paid = open.paid(0);
    assert_eq!(paid.next_due(), Some(day("2027-01-10")));
    let (asked, _) = catch_up(paid, at("2027-01-08"));
    assert_eq!(asked.next_due(), Some(day("2027-01-10")));
    // It was asked for ahead, and is not due yet.
    assert!(asked.is_settled(at("2027-01-09")) && !asked.is_settled(at("2027-01-10")));
    assert_eq!(asked.after(Step::End(End::Canceled)).next_due(), None);
}

#[test]
fn a_period_that_was_paid_ahead_runs_before_a_cancellation_takes_effect() {
    let (asked, _) = catch_up(Subscription::new(terms("2026-12-10")).paid(0), at("2027-01-08"));
    let paid_ahead = asked.paid(0).paid(1);
    let canceled = paid_ahead.canceled_at_period_end(at("2027-01-09"));
    assert_eq!(canceled.status(at("2027-01-20")), Status::Active);
    let (ended, done) = catch_up(canceled, at("2027-02-10"));
    assert_eq!((done, ended.standing.end), (vec![Step::End(End::Canceled)], Some(End::Canceled)));
}
