//! A search that outlives its caller's patience, step by step.

use std::time::Duration;

use domain::time::Timestamp;
use futures_util::future::join;
use serde_json::{Value, json};
use testkit::{Principal, TestApp};

/// References that the slow bank finds, and that it never answers.
pub(crate) const SLOW_REFERENCE: &str = "9910004";
pub(crate) const LOST_REFERENCE: &str = "9910005";

/// After how long a caller is answered, whatever the bank does.
pub(crate) const ANSWER: Duration = Duration::from_secs(12);

/// After how long the slow bank answers.
pub(crate) const SLOW: Duration = Duration::from_secs(15);

/// After how long a bank that never answers is given up.
pub(crate) const GIVEN_UP: Duration = Duration::from_secs(60);

/// How often a search says meanwhile that it is alive.
pub(crate) const RENEWAL: Duration = Duration::from_nanos(20_000_000_000 / 3);

/// The question for that reference.
pub(crate) fn about(reference: &str) -> Value {
    json!({ "bank_reference": reference })
}

/// Asks, and lets the caller's time run out; answers the id of the verification that goes on.
pub(crate) async fn time_out(
    app: &TestApp,
    caller: &Principal,
    bank: &str,
    reference: &str,
) -> String {
    time_out_call(app, caller, bank, about(reference)).await
}

/// Lets the slow bank answer a search whose caller's time has just run out, and waits for what comes of it.
pub(crate) async fn let_answer(app: &TestApp) {
    // The search has said that it is alive, so that nobody takes it over when the clock moves.
    app.clock().is_awaited(app.now().plus(RENEWAL)).await;
    app.clock().advance(SLOW - ANSWER);
    app.settle().await;
}

/// Does the same as [`time_out`], for a call with this body.
pub(crate) async fn time_out_call(
    app: &TestApp,
    caller: &Principal,
    bank: &str,
    asked: Value,
) -> String {
    let start = app.now();
    let reference = asked["bank_reference"].as_str().unwrap();
    let answers_at = if reference.ends_with("10005") { GIVEN_UP } else { SLOW };
    let patience = async {
        app.clock().is_awaited(start.plus(answers_at)).await;
        // The search itself waits, too: otherwise it might begin to after the clock was moved.
        app.clock().is_awaited(start.plus(RENEWAL)).await;
        app.clock().is_awaited(start.plus(ANSWER)).await;
        app.clock().advance(ANSWER);
    };
    let (answer, ()) = join(caller.verify(bank, asked.clone()), patience).await;
    assert_eq!(answer.header("retry-after"), Some("5"));
    let body = answer.refused(503, "BANK_NOT_AVAILABLE");
    body["facts"]["verification_id"].as_str().unwrap().to_owned()
}

/// Lets the slow bank answer a search whose caller has [timed out](time_out).
pub(crate) async fn finish(app: &TestApp) {
    app.clock().advance(SLOW - ANSWER);
    app.settle().await;
}

/// Waits for the end of the search that began at `start`, renewal by renewal: a clock that leaps over one
/// lets the lease run out, and the search is taken over.
pub(crate) async fn outwait(app: &TestApp, start: Timestamp, mut renewed: Timestamp) {
    let end = start.plus(GIVEN_UP);
    while renewed < end {
        let next = renewed.plus(RENEWAL).min(end);
        // The bank waits for the end from the beginning. The search must do so too before the clock goes there: otherwise
        // it may read the clock before that and begin to wait after it, for what is left, which never comes.
        let waiting = if next == end { 2 } else { 1 };
        app.clock().is_awaited_by(waiting, next).await;
        app.clock().advance_to(next);
        renewed = next;
    }
}
