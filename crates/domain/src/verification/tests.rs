use super::*;
use crate::ids::MovementId;
use crate::time::SKEW_MAX;

const MOVEMENT: MovementId = MovementId::from_bytes([1; 16]);
const PAYMENT: PaymentId = PaymentId::from_bytes([2; 16]);
const OTHER: VerificationId = VerificationId::from_bytes([3; 16]);
const AMOUNT: Bolivars = Bolivars::from_hundredths(15_075);

const FAILURES: [Failure; 7] = [
    Failure::Unavailable,
    Failure::Maintenance,
    Failure::TimedOut,
    Failure::RejectedCredentials,
    Failure::RateLimited,
    Failure::InvalidInput,
    Failure::BadResponse,
];

fn shown() -> Answer {
    Answer::Shown { sightings: Vec::new(), is_complete: true }
}

#[test]
fn a_bank_that_failed_never_means_not_found() {
    let verdicts = [
        Verdict::NotFound,
        Verdict::OtherAmount { amount: AMOUNT },
        Verdict::Outgoing(MOVEMENT),
        Verdict::TooShort,
        Verdict::Ambiguous { digits_needed: 8 },
        Verdict::Contested { with: MOVEMENT, digits: 8 },
        // Another payment may fit that was not shown yet.
        Verdict::One(MOVEMENT),
    ];
    for failure in FAILURES {
        let expected = match failure {
            Failure::RejectedCredentials => Failed::RejectedCredentials,
            _ => Failed::Unheard,
        };
        for verdict in verdicts {
            assert_eq!(conclude(&Answer::Failed(failure), verdict, false), Err(expected.clone()));
        }
    }
}

#[test]
fn a_movement_that_fits_for_certain_is_believed_whatever_the_bank_says_now() {
    let mut answers =
        vec![shown(), Answer::AlreadyReconciled, Answer::Ambiguous { digits_needed: 9 }];
    answers.extend(FAILURES.map(Answer::Failed));
    for answer in answers {
        assert_eq!(conclude(&answer, Verdict::One(MOVEMENT), true), Ok(MOVEMENT));
    }
}

#[test]
fn a_movement_that_fits_perhaps_is_believed_where_the_bank_shows_what_it_has() {
    for answer in [shown(), Answer::AlreadyReconciled] {
        assert_eq!(conclude(&answer, Verdict::One(MOVEMENT), false), Ok(MOVEMENT));
    }
    let several = Answer::Ambiguous { digits_needed: 9 };
    let ambiguous = Err(Failed::Ambiguous { digits_needed: 9 });
    assert_eq!(conclude(&several, Verdict::One(MOVEMENT), false), ambiguous);
}

#[test]
fn what_is_contested_is_not_distinguished_by_digits() {
    let contested = Verdict::Contested { with: MOVEMENT, digits: 6 };
    let failed = conclude(&shown(), contested, false).unwrap_err();
    assert_eq!(failed, Failed::Ambiguous { digits_needed: 6 });
    assert_eq!(failed.refusal(6), Refusal::PaymentContested { digits_needed: 6 });
    let several = Failed::Ambiguous { digits_needed: 8 };
    assert_eq!(several.refusal(7), Refusal::ReferenceAmbiguous { digits_needed: 8 });
    assert_eq!(several.refusal(8), Refusal::PaymentContested { digits_needed: 8 });
}

#[test]
fn what_was_conciliated_before_is_said_only_where_nothing_is_known() {
    let conciliated = |verdict| conclude(&Answer::AlreadyReconciled, verdict, false);
    assert_eq!(conciliated(Verdict::NotFound), Err(Failed::AlreadyReconciled));
    let other = Verdict::OtherAmount { amount: AMOUNT };
    assert_eq!(conciliated(other), Err(Failed::OtherAmount(AMOUNT)));
    assert_eq!(
        conclude(&shown(), Verdict::NotFound, false),
        Err(Failed::NotFound { same_bank: None })
    );
}

#[test]
fn a_run_reserves_asks_settles_and_ends() {
    let (stage, effect) = begin();
    assert_eq!(effect, Effect::Reserve);
    let (stage, effect) = step(stage, Event::Reserved);
    assert_eq!(effect, Some(Effect::Ask));
    let (stage, effect) = step(stage, Event::Answered(shown()));
    assert_eq!(effect, Some(Effect::Settle(shown())));
    let settled = Settled { result: Ok(PAYMENT), is_new: true };
    let (stage, effect) = step(stage, Event::Settled(settled.clone()));
    assert_eq!((stage, effect), (Stage::Ended(RunEnd::Settled(settled)), None));
}

#[test]
fn what_is_refused_or_joined_asks_no_bank() {
    for (event, ended) in [
        (
            Event::Refused(Refusal::PaymentNotFound { same_bank: None }),
            RunEnd::Refused(Refusal::PaymentNotFound { same_bank: None }),
        ),
        (Event::Joined(OTHER), RunEnd::Joined(OTHER)),
        (Event::Changed, RunEnd::Changed),
        (Event::StoreFailed, RunEnd::NotBegun),
    ] {
        assert_eq!(step(Stage::Reserving, event), (Stage::Ended(ended), None));
    }
}

#[test]
fn a_lost_commit_is_written_again() {
    let again = step(Stage::Reserving, Event::StoreUnknown);
    assert_eq!(again, (Stage::Reserving, Some(Effect::Reserve)));
    let settling = Stage::Settling(shown());
    let again = step(settling.clone(), Event::StoreUnknown);
    assert_eq!(again, (settling, Some(Effect::Settle(shown()))));
}

#[test]
fn an_end_that_the_store_did_not_take_is_left_to_the_next_holder() {
    let ended = step(Stage::Settling(shown()), Event::StoreFailed);
    assert_eq!(ended, (Stage::Ended(RunEnd::Abandoned), None));
    assert_eq!(take_over(), (Stage::Asking, Effect::Ask));
}

#[test]
fn an_event_of_another_stage_changes_nothing() {
    let ended = Stage::Ended(RunEnd::NotBegun);
    for stage in [Stage::Asking, ended] {
        for event in [Event::Reserved, Event::StoreUnknown, Event::StoreFailed] {
            assert_eq!(step(stage.clone(), event), (stage.clone(), None));
        }
    }
}

#[test]
fn a_silent_holders_row_is_asked_again_a_few_times_and_then_lapses() {
    let now = Timestamp::from_micros(1_000_000);
    let later = now.plus(RESERVATION);
    assert_eq!(on_takeover(now, later, 1), Takeover::Ask);
    assert_eq!(on_takeover(now, later, CALLS_MAX - 1), Takeover::Ask);
    assert_eq!(on_takeover(now, later, CALLS_MAX), Takeover::WaitUntil(later));
    assert_eq!(on_takeover(later, later, 1), Takeover::Expire);
}

#[test]
fn what_was_written_while_the_clock_was_ahead_is_not_waited_for() {
    let now = Timestamp::from_micros(1_000_000);
    let apart = 2 * SKEW_MAX;
    let moment = Duration::from_micros(1);
    for (calls, longest) in [(1, LEASE), (CALLS_MAX - 1, LEASE), (CALLS_MAX, RESERVATION)] {
        assert!(is_lease_over(now, now, calls));
        assert!(!is_lease_over(now, now.plus(moment), calls));
        assert!(!is_lease_over(now, now.plus(longest + apart), calls), "another clock is ahead");
        assert!(is_lease_over(now, now.plus(longest + apart + moment), calls));
    }
    let deadline = now.plus(RESERVATION + apart);
    assert_eq!(on_takeover(now, deadline, CALLS_MAX), Takeover::WaitUntil(deadline));
    let deadline = deadline.plus(moment);
    assert_eq!(on_takeover(now, deadline, 1), Takeover::Ask);
    assert_eq!(on_takeover(now, deadline, CALLS_MAX), Takeover::Expire);
}

#[test]
fn every_end_reads_back_from_what_a_row_keeps_of_it() {
    let ends = [
        Failed::NotFound { same_bank: None },
        Failed::NotFound { same_bank: Some(SameBank::Unclaimed) },
        Failed::NotFound { same_bank: Some(SameBank::Claimed) },
        Failed::OtherAmount(AMOUNT),
        Failed::Outgoing,
        Failed::Ambiguous { digits_needed: 8 },
        Failed::AlreadyReconciled,
        Failed::NeedsReview(ReviewWindow {
            since: Timestamp::from_micros(1),
            until: Timestamp::from_micros(2),
        }),
        Failed::LinkClosed,
        Failed::RejectedCredentials,
        Failed::Unheard,
        Failed::Expired,
    ];
    for end in ends {
        let code = end.refusal(usize::MAX).code();
        assert_eq!(Failed::read(end.state(), Some(code), end.facts()), Some(end));
    }
    for open in [State::Asking, State::Confirmed] {
        let facts = EndFacts::default();
        assert_eq!(Failed::read(open, Some(Code::PaymentNotFound), facts), None);
    }
}

#[test]
fn the_banks_amount_is_shown_to_a_caller_that_knows_six_digits() {
    let refusal = |digits| Failed::OtherAmount(AMOUNT).refusal(digits);
    assert_eq!(refusal(6), Refusal::AmountNotValid { bank_amount: Some(AMOUNT) });
    assert_eq!(refusal(5), Refusal::AmountNotValid { bank_amount: None });
}

#[test]
fn states_read_back_from_their_numbers() {
    for state in State::ALL {
        assert_eq!(State::from_number(state.number()), Some(state));
    }
    assert_eq!(State::from_number(6), None);
}
