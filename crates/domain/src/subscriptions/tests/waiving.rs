//! Cycles that nobody has to pay any more: they are settled, for everything that follows.

use super::{at, catch_up, day, terms};
use crate::subscriptions::{CycleState, End, Next, Reminders, Status, Step, Subscription, Terms};

#[test]
fn a_first_cycle_that_is_waived_lets_the_subscription_begin() {
    let (open, _) = catch_up(Subscription::new(terms("2026-12-10")), at("2026-12-07"));
    assert_eq!(open.status(at("2026-12-07")), Status::Pending);
    let begun = open.waived(0);
    assert_eq!(begun.status(at("2026-12-20")), Status::Active);
    assert!(begun.is_settled(at("2026-12-20")) && begun.next_due() == Some(day("2027-01-10")));
    assert_eq!(begun.next(at("2026-12-20")), Next::Wait(at("2027-01-07")));
}

#[test]
fn a_cycle_that_is_waived_is_past_due_no_more_and_others_are_owed_as_they_were() {
    let at_the_end = Subscription::new(Terms { pay_first: false, ..terms("2026-12-10") });
    let (late, _) = catch_up(at_the_end, at("2027-02-12"));
    assert_eq!(late.status(at("2027-02-12")), Status::PastDue);
    let owed: Vec<_> = late.owed().map(|cycle| (cycle.number, cycle.state)).collect();
    assert_eq!(owed, [(0, CycleState::Lapsed), (1, CycleState::Open)]);
    let waived = late.clone().waived(0);
    assert_eq!((waived.status(at("2027-02-12")), waived.owed().count()), (Status::PastDue, 1));
    assert_eq!(waived.waived(1).status(at("2027-02-12")), Status::Active);
    assert_eq!(late.waived(1).next_due(), Some(day("2027-01-10")));
}

#[test]
fn nobody_is_reminded_of_what_is_waived_and_it_does_not_lapse() {
    let of = Terms { reminders: Reminders::default(), has_trial: true, ..terms("2026-12-10") };
    let (open, _) = catch_up(Subscription::new(of), at("2026-12-07"));
    let (_, done) = catch_up(open.waived(0), at("2027-01-06"));
    assert_eq!(done, []);
}

#[test]
fn a_last_cycle_that_is_waived_runs_to_its_end() {
    let one = Subscription::new(Terms { cycles: Some(1), ..terms("2026-12-10") });
    let (open, _) = catch_up(one, at("2026-12-10"));
    let waived = open.waived(0);
    assert_eq!(waived.next(at("2026-12-20")), Next::Wait(at("2027-01-10")));
    let (_, done) = catch_up(waived, at("2027-01-10"));
    assert_eq!(done, [Step::End(End::Completed)]);
}

#[test]
fn a_period_that_is_waived_runs_to_its_end_though_it_is_canceled() {
    let (open, _) = catch_up(Subscription::new(terms("2026-12-10")), at("2026-12-10"));
    let waived = open.waived(0);
    let by_payer = waived.clone().canceled_by_payer(at("2026-12-20"));
    assert_eq!((by_payer.standing.end, by_payer.standing.canceled_from), (None, Some(1)));
    // So it does where the next one was waived ahead of its day.
    let (ahead, done) = catch_up(waived, at("2027-01-08"));
    assert_eq!(done, [Step::Open(1)]);
    let canceled = ahead.waived(1).canceled_at_period_end(at("2027-01-08"));
    assert_eq!(canceled.standing.canceled_from, Some(2));
}
