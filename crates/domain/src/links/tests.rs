use super::*;
use crate::time::SKEW_MAX;

const EXPIRY: Timestamp = Timestamp::from_micros(1_000_000);
const BEFORE: Timestamp = Timestamp::from_micros(999_999);

fn pending() -> Standing {
    Standing {
        state: State::Pending,
        is_stopped: false,
        expires_at: Some(EXPIRY),
        is_checking: false,
        expired_at: None,
    }
}

#[test]
fn expiry_follows_from_the_clock_and_nothing_else() {
    let link = pending();
    assert_eq!(link.status(BEFORE), Status::Pending);
    assert_eq!(link.status(EXPIRY), Status::Expired);
    // A clock that steps back makes it good again, as if nothing had been.
    assert_eq!(link.status(BEFORE), Status::Pending);
    assert_eq!(Standing { expires_at: None, ..link }.status(EXPIRY), Status::Pending);
    let stopped = Standing { is_stopped: true, ..link };
    assert_eq!(
        (stopped.status(BEFORE), stopped.status(EXPIRY)),
        (Status::Stopped, Status::Expired)
    );
}

#[test]
fn once_its_expiry_is_recorded_a_link_is_over_whatever_the_clock_says() {
    let expired = Standing { expired_at: Some(EXPIRY), ..pending() };
    assert_eq!(expired.status(BEFORE), Status::Expired);
    assert!(!expired.takes_attempts(BEFORE));
    for act in [LinkAct::Cancel, LinkAct::Stop, LinkAct::Resume, LinkAct::Reject, LinkAct::Change] {
        assert_eq!(expired.decide(act, BEFORE), Decision::Closed, "{act:?}");
    }
    assert!(expired.takes_accepted(BEFORE, BEFORE));
}

#[test]
fn a_payment_is_accepted_while_pending_and_for_a_day_after_expiry_or_cancellation() {
    let (open, last) = (pending(), EXPIRY.plus(ACCEPT_WINDOW));
    assert!(open.takes_accepted(BEFORE, BEFORE) && open.takes_accepted(BEFORE, EXPIRY));
    assert!(!open.takes_accepted(BEFORE, last));
    let canceled = Standing { state: State::Canceled, ..open };
    assert!(canceled.takes_accepted(EXPIRY, BEFORE) && !canceled.takes_accepted(EXPIRY, last));
    let never = [
        Standing { state: State::Failed, ..open },
        Standing { state: State::Paid, ..open },
        Standing { is_stopped: true, ..open },
    ];
    for link in never {
        assert!(!link.takes_accepted(BEFORE, BEFORE), "{link:?}");
    }
}

#[test]
fn a_check_begun_in_time_keeps_the_link_from_expiring_and_lets_no_other_begin() {
    let checking = Standing { is_checking: true, ..pending() };
    assert_eq!(checking.status(EXPIRY), Status::Pending);
    assert!(checking.takes_attempts(BEFORE));
    assert!(!checking.takes_attempts(EXPIRY));
}

#[test]
fn an_end_is_an_end() {
    for state in [State::Paid, State::Failed, State::Canceled] {
        let ended = Standing { state, ..pending() };
        let status = ended.status(BEFORE);
        assert_eq!(ended.status(EXPIRY), status);
        assert!(!ended.takes_attempts(BEFORE));
        for act in
            [LinkAct::Cancel, LinkAct::Stop, LinkAct::Resume, LinkAct::Reject, LinkAct::Change]
        {
            let same = act.result() == Some(status);
            let expected = if same { Decision::Done } else { Decision::Closed };
            assert_eq!(ended.decide(act, BEFORE), expected, "{act:?} of {state:?}");
        }
    }
}

#[test]
fn each_act_has_its_time() {
    use Decision::{Closed, Do, Done, Wait};
    let open = pending();
    let checking = Standing { is_checking: true, ..open };
    let stopped = Standing { is_stopped: true, ..open };
    for (link, now, decisions) in [
        // Cancel, stop, resume, reject, change.
        (open, BEFORE, [Do, Do, Done, Do, Do]),
        (checking, BEFORE, [Wait, Do, Done, Wait, Wait]),
        (stopped, BEFORE, [Do, Done, Do, Do, Closed]),
        (open, EXPIRY, [Closed, Closed, Closed, Closed, Closed]),
        (stopped, EXPIRY, [Closed, Closed, Closed, Closed, Closed]),
    ] {
        let acts =
            [LinkAct::Cancel, LinkAct::Stop, LinkAct::Resume, LinkAct::Reject, LinkAct::Change];
        let found = acts.map(|act| link.decide(act, now));
        assert_eq!(found, decisions, "{link:?}");
    }
}

#[test]
fn checks_are_limited_at_once_and_by_the_hour() {
    let now = Timestamp::from_micros(10_000_000_000);
    let attempt = |minutes: u64, is_open| Attempt {
        asked_at: now.minus(Duration::from_secs(60 * minutes)),
        is_open,
    };
    assert_eq!(may_attempt(&[], now), Ok(()));
    let two: Vec<_> = (0..2).map(|n| attempt(n, true)).collect();
    assert_eq!(may_attempt(&two, now), Ok(()));
    let three: Vec<_> = (0..3).map(|n| attempt(n, true)).collect();
    assert!(may_attempt(&three, now).is_err());
    let many: Vec<_> = (0..20).map(|n| attempt(n, false)).collect();
    assert_eq!(may_attempt(&many[1..], now), Ok(()));
    // The first of twenty was nineteen minutes ago.
    assert_eq!(may_attempt(&many, now), Err(Duration::from_secs(60 * 41)));
    let spread: Vec<_> = (0..20).map(|n| attempt(n * 4, false)).collect();
    assert_eq!(may_attempt(&spread, now), Ok(()));
}

#[test]
fn an_account_has_a_say_once_a_link_has_had_its_free_checks() {
    let now = Timestamp::from_micros(10_000_000_000);
    let ago = |minutes: u64| now.minus(Duration::from_secs(60 * minutes));
    let attempts = |count: u64, minutes: u64| -> Vec<_> {
        (0..count).map(|_| Attempt { asked_at: ago(minutes), is_open: false }).collect()
    };
    assert!(!asks_account(&attempts(4, 0), now));
    assert!(asks_account(&attempts(5, 59), now));
    assert!(!asks_account(&attempts(5, 60), now));
    assert_eq!(account_may_attempt(None, now), Ok(()));
    assert_eq!(account_may_attempt(Some(ago(60)), now), Ok(()));
    assert_eq!(account_may_attempt(Some(ago(50)), now), Err(Duration::from_secs(600)));
}

/// They were made while the clock was ahead, and it is not waited for the hour in which they were.
#[test]
fn checks_that_are_yet_to_begin_do_not_count() {
    let now = Timestamp::from_micros(10_000_000_000);
    let attempts = |ahead| -> Vec<_> {
        (0..20).map(|_| Attempt { asked_at: now.plus(ahead), is_open: false }).collect()
    };
    let ahead = attempts(Duration::from_secs(60));
    assert_eq!(may_attempt(&ahead, now), Ok(()));
    assert!(!asks_account(&ahead, now));
    assert_eq!(account_may_attempt(Some(ahead[0].asked_at), now), Ok(()));
    // Another node's clock may be a little ahead of this one's.
    let hardly = attempts(2 * SKEW_MAX);
    assert_eq!(may_attempt(&hardly, now), Err(ATTEMPTS_WINDOW));
    assert!(asks_account(&hardly, now));
}

#[test]
fn words_and_numbers_read_back() {
    for status in Status::ALL {
        assert_eq!(Status::parse(status.as_str()), Some(status));
    }
    for state in State::ALL {
        assert_eq!(State::from_number(state.number()), Some(state));
        let shown = Standing { state, ..pending() }.status(BEFORE);
        assert_eq!(shown.number(), state.number());
    }
    for currency in Currency::ALL {
        assert_eq!(Currency::parse(currency.as_str()), Some(currency));
    }
    assert_eq!(Currency::parse(" ves "), Some(Currency::Vef));
    assert_eq!(Currency::parse("BTC"), None);
}
