//! Reminders: on their days, each once, and of nothing that is paid, canceled or over.

use std::collections::BTreeMap;
use std::time::Duration;

use proptest::prelude::*;

use super::{ACTS, act, any_terms, at, catch_up, day, length, terms};
use crate::subscriptions::{
    Cycle, CycleState, End, Leg, Next, PeriodUnit, Reminders, Schedule, Status, Step, Subscription,
    Terms,
};
use crate::time::Timestamp;

/// Forgets how far cycles were reminded of that lapsed, which depends on when somebody looked before that.
pub(super) fn of_what_is_open(of: &Subscription) -> Subscription {
    let open = |cycle: &Cycle| match cycle.state {
        CycleState::Open => *cycle,
        CycleState::Lapsed => Cycle { reminded: None, ..*cycle },
    };
    Subscription { owed: of.owed.iter().map(open).collect(), ..of.clone() }
}

/// Terms of [`terms`] with ten days of grace and the usual reminders.
fn reminding(start: &str) -> Terms {
    Terms { grace_days: 10, reminders: Reminders::default(), ..terms(start) }
}

fn hour(day: &str, hours: u64) -> Timestamp {
    at(day).plus(Duration::from_secs(hours * 3_600))
}

fn remind(cycle: u32, day: i8) -> Step {
    Step::Remind { cycle, day }
}

/// Does what is due at each of these instants, and answers the reminders.
fn reminders(
    of: Subscription,
    instants: impl IntoIterator<Item = Timestamp>,
) -> (Subscription, Vec<Step>) {
    let mut all = Vec::new();
    let look = |of, now| {
        let (of, done) = catch_up(of, now);
        all.extend(done.into_iter().filter(|step| matches!(step, Step::Remind { .. })));
        of
    };
    let of = instants.into_iter().fold(of, look);
    (of, all)
}

#[test]
fn a_payer_is_reminded_at_nine_on_each_day() {
    let new = Subscription::new(reminding("2026-12-10"));
    let (open, done) = catch_up(new, at("2026-12-07"));
    assert_eq!(done, [Step::Open(0)]);
    assert_eq!(open.next(at("2026-12-07")), Next::Wait(hour("2026-12-07", 9)));
    let mut of = open;
    for (on, day, then) in [
        ("2026-12-07", -3, hour("2026-12-10", 9)),
        ("2026-12-10", 0, hour("2026-12-11", 9)),
        ("2026-12-11", 1, hour("2026-12-13", 9)),
        ("2026-12-13", 3, hour("2026-12-17", 9)),
        ("2026-12-17", 7, at("2026-12-21")),
    ] {
        assert!(matches!(of.next(hour(on, 8)), Next::Wait(_)));
        let (after, done) = catch_up(of, hour(on, 9));
        assert_eq!(done, [remind(0, day)], "{on}");
        assert_eq!(after.next(hour(on, 9)), Next::Wait(then), "{on}");
        of = after;
    }
}

#[test]
fn of_what_was_missed_one_reminder_is_sent_and_none_of_what_lapses() {
    let late = Terms { pay_first: false, ..reminding("2026-12-10") };
    let (of, done) = catch_up(Subscription::new(late), hour("2027-01-15", 12));
    assert_eq!(done, [Step::Open(0), remind(0, 3)]);
    // Nothing is sent again, also where a clock is set back.
    assert_eq!(catch_up(of.clone(), hour("2027-01-16", 12)).1, []);
    assert_eq!(catch_up(of.clone(), hour("2027-01-11", 12)).1, []);
    let (_, done) = catch_up(of, hour("2027-01-21", 12));
    assert_eq!(done, [Step::Lapse(0)]);
}

#[test]
fn a_reminder_before_the_link_opens_is_left_out() {
    let short = Terms { lead_days: 2, ..reminding("2026-12-10") };
    let days = (5..12).map(|day| hour(&format!("2026-12-{day:02}"), 12));
    let (_, sent) = reminders(Subscription::new(short), days);
    assert_eq!(sent, [remind(0, 0), remind(0, 1)]);
    let on_the_day = Terms { pay_first: false, ..short };
    let days = (5..12).map(|day| hour(&format!("2027-01-{day:02}"), 12));
    assert_eq!(reminders(Subscription::new(on_the_day), days).1, [remind(0, 0), remind(0, 1)]);
}

#[test]
fn nobody_is_reminded_who_has_paid_or_owes_nothing_any_more() {
    let (open, _) = catch_up(Subscription::new(reminding("2026-12-10")), hour("2026-12-07", 9));
    let days = || (8..30).map(|day| hour(&format!("2026-12-{day:02}"), 12));
    let paid = open.clone().paid(0);
    assert_eq!(reminders(paid.clone(), days()).1, []);
    assert_eq!(reminders(open.after(Step::End(End::Canceled)), days()).1, []);
    // The second period was asked for ahead, and is not owed while the cancellation stands.
    let (ahead, _) = catch_up(paid, hour("2027-01-07", 8));
    let mut canceled = ahead.canceled_at_period_end(hour("2027-01-07", 8));
    assert_eq!(canceled.next(hour("2027-01-07", 12)), Next::Wait(at("2027-01-10")));
    canceled.standing.canceled_from = None;
    assert_eq!(canceled.next(hour("2027-01-07", 12)), Next::Do(remind(1, -3)));
}

#[test]
fn periods_that_a_pause_skips_have_no_reminder() {
    let (open, _) = catch_up(Subscription::new(reminding("2026-12-10")), hour("2026-12-07", 9));
    let paused = open.paid(0).paused(hour("2026-12-20", 12));
    let days = (1..31).map(|day| hour(&format!("2027-01-{day:02}"), 12));
    let (paused, sent) = reminders(paused, days);
    assert_eq!((sent, paused.standing.skipped), (vec![], 1));
    assert_eq!(paused.status(hour("2027-01-30", 12)), Status::Paused);
}

#[test]
fn each_cycle_that_is_open_has_its_own_reminder() {
    let weekly = Terms {
        schedule: Schedule::new(day("2026-12-10"), length(PeriodUnit::Week, 1), None),
        pay_first: false,
        ..reminding("2026-12-10")
    };
    let days = (17..26).map(|day| hour(&format!("2026-12-{day:02}"), 12));
    let (_, sent) = reminders(Subscription::new(weekly), days);
    let expected =
        [(0, 0), (0, 1), (0, 3), (0, 7), (1, 0), (1, 1)].map(|(cycle, day)| remind(cycle, day));
    assert_eq!(sent, expected);
}

#[test]
fn a_clock_that_is_set_ahead_reminds_on_each_day_of_its_way() {
    let (now, target) = (hour("2026-12-07", 8), at("2026-12-22"));
    let mut of = Subscription::new(Terms { has_trial: true, ..reminding("2026-12-10") });
    let mut done = Vec::new();
    loop {
        let Leg { by, step } = of.leg_to(target, now);
        of.clock = of.clock.advanced(by).unwrap();
        let Some(step) = step else { break };
        done.push((step, of.clock.virtual_now(now)));
        of = of.after(step);
    }
    assert_eq!(
        done,
        [
            (Step::Open(0), now),
            (remind(0, -3), hour("2026-12-07", 9)),
            (remind(0, 0), hour("2026-12-10", 9)),
            (remind(0, 1), hour("2026-12-11", 9)),
            (remind(0, 3), hour("2026-12-13", 9)),
            (remind(0, 7), hour("2026-12-17", 9)),
            (Step::Lapse(0), at("2026-12-21")),
        ]
    );
}

proptest! {
    /// Whenever anybody looks and whatever people do: no day of a cycle comes twice or after a later one, and each comes
    /// in its time, of a cycle that is open and owed.
    #[test]
    fn a_reminder_comes_once_in_its_order_and_of_what_is_owed(
        terms in any_terms(),
        acts in prop::collection::vec((1..60_u64, 0..24_u64, 0..ACTS + 4), 0..60),
    ) {
        let (mut of, mut now) = (Subscription::new(terms), terms.opens_at(0));
        let mut latest: BTreeMap<u32, i8> = BTreeMap::new();
        for (days, hours, number) in acts {
            now = now.plus(Duration::from_secs((days * 24 + hours) * 3_600));
            while let Next::Do(step) = of.next(now) {
                if let Step::Remind { cycle, day } = step {
                    let due = of.terms.reminds_at(cycle, day);
                    prop_assert!(due.is_some_and(|due| due <= now) && now < of.terms.lapses_at(cycle));
                    let owed = of.owed().find(|owed| owed.number == cycle);
                    prop_assert_eq!(owed.map(|owed| owed.state), Some(CycleState::Open));
                    prop_assert!(of.standing.end.is_none());
                    let former = latest.insert(cycle, day);
                    prop_assert!(former.is_none_or(|former| former < day), "{:?} {}", former, day);
                }
                of = of.after(step);
            }
            // Some of the numbers are of no act.
            if number < ACTS {
                of = act(of, number, now);
            }
        }
    }
}
