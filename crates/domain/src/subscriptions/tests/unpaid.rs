//! The end of a grace that nobody used: the subscription goes on, pauses or ends.

use super::{at, catch_up, day, length, terms};
use crate::subscriptions::{
    Calendar, Cycle, CycleState, End, Next, PeriodUnit, Resumption, Schedule, Status, Step,
    Subscription, Terms, UnpaidPolicy,
};

/// A monthly subscription of that policy whose first cycle was paid.
fn active(unpaid: UnpaidPolicy) -> Subscription {
    let new = Subscription::new(Terms { unpaid, ..terms("2026-12-10") });
    let (open, _) = catch_up(new, at("2026-12-10"));
    open.paid(0)
}

#[test]
fn policies_are_words() {
    for policy in UnpaidPolicy::ALL {
        assert_eq!(UnpaidPolicy::parse(policy.as_str()), Some(policy));
    }
    assert_eq!(
        (UnpaidPolicy::parse("forgive"), UnpaidPolicy::default()),
        (None, UnpaidPolicy::Stay)
    );
}

#[test]
fn a_subscription_is_paused_by_the_cycle_that_lapses() {
    // The second is due on 10 January, and lapses at the end of the 12th.
    let (late, done) = catch_up(active(UnpaidPolicy::Pause), at("2027-01-13"));
    assert_eq!(done, [Step::Open(1), Step::Lapse(1)]);
    assert_eq!(
        (late.standing.paused_from, late.status(at("2027-01-13"))),
        (Some(2), Status::PastDue)
    );
    let (paused, done) = catch_up(late, at("2027-03-11"));
    assert_eq!(done, [Step::Skip(2), Step::Skip(3)]);
    assert_eq!(paused.status(at("2027-03-11")), Status::Paused);
    // It is owed all the same, and whoever pays it does not resume the subscription.
    let owed = Cycle { number: 1, state: CycleState::Lapsed, reminded: None };
    assert_eq!(paused.owed, [owed]);
    let paid = paused.paid(1);
    assert_eq!(paid.status(at("2027-03-11")), Status::Paused);
    let (resumed, done) = catch_up(paid.resumed(), at("2027-04-07"));
    assert_eq!((done, resumed.standing.skipped), (vec![Step::Open(4)], 2));
    // One that lapses after that pauses it again.
    let (again, done) = catch_up(resumed, at("2027-04-13"));
    assert_eq!((done, again.standing.paused_from), (vec![Step::Lapse(4)], Some(5)));
}

#[test]
fn a_period_that_begins_as_the_grace_ends_is_skipped_and_one_that_was_asked_for_ahead_is_owed() {
    let of_days = |lead_days| {
        let schedule = Schedule::new(day("2026-12-10"), length(PeriodUnit::Day, 3), None);
        let of = Terms { schedule, lead_days, unpaid: UnpaidPolicy::Pause, ..terms("2026-12-10") };
        let (open, _) = catch_up(Subscription::new(of), at("2026-12-10"));
        catch_up(open.paid(0), at("2026-12-17")).1
    };
    // The second is due on the 13th, and lapses at the end of the 15th, when the third begins.
    assert_eq!(of_days(0), [Step::Open(1), Step::Lapse(1), Step::Skip(2)]);
    assert_eq!(of_days(1), [Step::Open(1), Step::Open(2), Step::Lapse(1)]);
}

#[test]
fn a_subscription_ends_with_the_cycle_that_lapses_and_nothing_is_owed_any_more() {
    let late = Terms { lead_days: 60, unpaid: UnpaidPolicy::End, ..terms("2026-12-10") };
    let (open, done) = catch_up(Subscription::new(late).paid(0), at("2026-12-01"));
    assert_eq!(done, [Step::Open(0), Step::Open(1)]);
    let paid = open.paid(0);
    assert_eq!(paid.owed().count(), 1);
    let (ended, done) = catch_up(paid, at("2027-06-01"));
    // Those behind it were asked for ahead, and are not owed.
    assert_eq!(done, [Step::Open(2), Step::Open(3), Step::Lapse(1)]);
    assert_eq!(
        (ended.standing.end, ended.status(at("2027-06-01"))),
        (Some(End::Expired), Status::Expired)
    );
    assert_eq!((ended.owed.len(), ended.next(at("2027-06-01"))), (0, Next::Nothing));
}

#[test]
fn what_was_paid_ahead_runs_to_its_end_before_the_subscription_ends() {
    let ahead = Terms { lead_days: 60, unpaid: UnpaidPolicy::End, ..terms("2026-12-10") };
    let (open, _) = catch_up(Subscription::new(ahead).paid(0), at("2026-12-01"));
    let (open, done) = catch_up(open.paid(0), at("2027-01-10"));
    assert_eq!(done, [Step::Open(2), Step::Open(3)]);
    // The third is paid, the second is not, and lapses at the end of 12 January.
    let (late, done) = catch_up(open.paid(2), at("2027-01-13"));
    assert_eq!(done, [Step::Lapse(1)]);
    assert_eq!((late.standing.end, late.standing.canceled_from), (None, Some(3)));
    assert_eq!((late.status(at("2027-01-13")), late.owed.len()), (Status::Active, 0));
    assert_eq!((late.next_due(), late.is_settled(at("2027-01-13"))), (None, true));
    assert_eq!(late.next(at("2027-01-13")), Next::Wait(at("2027-03-10")));
    // Nobody takes it back, nor cancels it later or sooner.
    assert_eq!(late.clone().kept(), late);
    assert_eq!(late.clone().canceled_at_period_end(at("2027-02-20")), late);
    assert_eq!(late.clone().canceled_by_payer(at("2027-02-20")), late);
    let (ended, done) = catch_up(late, at("2027-06-01"));
    assert_eq!(done, [Step::End(End::Expired)]);
    assert_eq!(ended.status(at("2027-06-01")), Status::Expired);
}

#[test]
fn a_period_that_runs_and_is_paid_is_kept_and_one_that_is_over_or_skipped_is_not() {
    let schedule = Schedule::new(day("2026-12-10"), length(PeriodUnit::Week, 1), None);
    let of = Terms { schedule, grace_days: 9, unpaid: UnpaidPolicy::End, ..terms("2026-12-10") };
    // The first is paid; the second is due on the 17th and lapses at the end of the 26th, in the third period.
    let (open, _) = catch_up(Subscription::new(of), at("2026-12-10"));
    let (asked, _) = catch_up(open.paid(0), at("2026-12-21"));
    let owed: Vec<_> = asked.owed().map(|cycle| cycle.number).collect();
    assert_eq!(owed, [1, 2]);
    let end = |of: Subscription| {
        let (after, _) = catch_up(of, at("2026-12-27"));
        (after.standing.end, after.standing.canceled_from)
    };
    assert_eq!(end(asked.clone().paid(2)), (None, Some(3)));
    assert_eq!(end(asked.clone().waived(2)), (None, Some(3)));
    assert_eq!(end(asked), (Some(End::Expired), None));
    // The third is skipped by a pause.
    let (second, _) = catch_up(Subscription::new(of), at("2026-12-10"));
    let (second, _) = catch_up(second.paid(0), at("2026-12-16"));
    assert_eq!(end(second.paused(at("2026-12-18"))), (Some(End::Expired), None));
}

#[test]
fn one_that_has_not_begun_ends_as_it_would() {
    for unpaid in UnpaidPolicy::ALL {
        let new = Subscription::new(Terms { unpaid, ..terms("2026-12-10") });
        let (ended, done) = catch_up(new, at("2026-12-20"));
        assert_eq!(done, [Step::Open(0), Step::Lapse(0), Step::End(End::Expired)]);
        assert_eq!(ended.standing.paused_from, None);
    }
}

#[test]
fn another_policy_holds_for_what_lapses_from_then_on() {
    let (mut late, _) = catch_up(active(UnpaidPolicy::Stay), at("2027-01-20"));
    late.terms.unpaid = UnpaidPolicy::End;
    assert_eq!(late.status(at("2027-01-20")), Status::PastDue);
    let (ended, done) = catch_up(late, at("2027-03-01"));
    assert_eq!(done, [Step::Open(2), Step::Lapse(2)]);
    assert_eq!(ended.standing.end, Some(End::Expired));
}

#[test]
fn where_no_cycle_opens_any_more_there_is_nothing_to_pause() {
    let one = Terms {
        cycles: Some(1),
        has_trial: true,
        unpaid: UnpaidPolicy::Pause,
        ..terms("2026-12-10")
    };
    let (late, done) = catch_up(Subscription::new(one), at("2027-02-01"));
    assert_eq!((done, late.standing.paused_from), (vec![Step::Open(0), Step::Lapse(0)], None));
    assert_eq!(late.status(at("2027-02-01")), Status::PastDue);
}

#[test]
fn a_pause_that_somebody_made_keeps_its_end() {
    let (asked, _) = catch_up(active(UnpaidPolicy::Pause), at("2027-01-08"));
    let resumes = Resumption { on: day("2027-03-01"), calendar: Calendar::Same };
    let paused = asked.paused(at("2027-01-08")).resuming(resumes);
    let (paused, done) = catch_up(paused, at("2027-02-20"));
    assert_eq!(done, [Step::Lapse(1), Step::Skip(2)]);
    assert_eq!(paused.standing.resumes, Some(resumes));
}
