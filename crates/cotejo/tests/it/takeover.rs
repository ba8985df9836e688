//! A verification outlives the process that began it.

use std::time::Duration;

use domain::verification::{LEASE, RESERVATION};
use testkit::{Owner, TestApp, both_engines};

use crate::slow_bank::{
    ANSWER, LOST_REFERENCE, RENEWAL, SLOW, SLOW_REFERENCE, about, outwait, time_out,
};

/// Time until the janitor looks again: it looks once a second.
const LOOK: Duration = Duration::from_secs(1);

async fn status(owner: &Owner, id: &str) -> String {
    let shown = owner.key.get(&format!("/v1/verifications/{id}")).await.ok();
    shown["verification"]["status"].as_str().unwrap().to_owned()
}

/// Starts the service after a crash, and waits until it asks the bank again. A file belongs to one
/// process, so that a start finds every lease over; on a server they are waited for.
pub(crate) async fn take_over(app: &mut TestApp) {
    app.start_again().await;
    if app.database().url().is_some() {
        // The janitor has looked once, and looks again.
        app.clock().is_awaited(app.now().plus(LOOK)).await;
        app.clock().advance(LEASE + LOOK);
    }
    app.clock().is_awaited(app.now().plus(SLOW)).await;
}

both_engines! {
    async fn another_start_takes_the_search_over(mut app: TestApp) {
        let owner = app.owner().await;
        let id = time_out(&app, &owner.key, &owner.bank, SLOW_REFERENCE).await;
        app.crash();
        take_over(&mut app).await;
        assert_eq!(status(&owner, &id).await, "asking");
        // A caller that asks again has as much time as the first.
        let deadline = app.database().number("select deadline from verifications");
        assert_eq!(deadline, app.now().plus(RESERVATION).as_micros());
        app.clock().advance(SLOW);
        app.settle().await;

        assert_eq!(status(&owner, &id).await, "confirmed");
        assert_eq!(owner.balance().await, 999);
        let answer = owner.key.verify(&owner.bank, about(SLOW_REFERENCE)).await.ok();
        assert_eq!(answer["data"]["is_new"], true);
        assert_eq!(answer["data"]["credit_cost"], 1);
        let answer = owner.key.verify(&owner.bank, about(SLOW_REFERENCE)).await.ok();
        assert_eq!(answer["data"]["is_new"], false);
    }

    /// A search says that it is alive before its lease is over, so that nobody asks the bank besides.
    async fn a_search_that_waits_for_its_bank_keeps_its_lease(app: TestApp) {
        let owner = app.owner().await;
        let start = app.now();
        let id = time_out(&app, &owner.key, &owner.bank, LOST_REFERENCE).await;
        let mut renewed = start.plus(ANSWER);
        for _ in 0..3 {
            app.clock().is_awaited(renewed.plus(RENEWAL)).await;
            let until = "select lease_until from verifications where state = 0";
            assert_eq!(app.database().number(until), renewed.plus(LEASE).as_micros());
            renewed = renewed.plus(RENEWAL);
            app.clock().advance_to(renewed);
        }
        outwait(&app, start, renewed).await;
        app.settle().await;
        assert_eq!(status(&owner, &id).await, "unknown");
        assert_eq!(app.database().number("select calls from verifications"), 1);
    }

    async fn a_call_joins_the_search_that_was_taken_over(mut app: TestApp) {
        let owner = app.owner().await;
        time_out(&app, &owner.key, &owner.bank, SLOW_REFERENCE).await;
        app.crash();
        take_over(&mut app).await;
        app.clock().advance(SLOW - LOOK);
        let call = owner.key.verify(&owner.bank, about(SLOW_REFERENCE));
        let answer = app.clock().flow(call).await.ok();
        assert_eq!(answer["data"]["is_new"], true);
        assert_eq!(app.database().number("select count(*) from verifications"), 1);
    }

    async fn a_reservation_lapses_where_nobody_comes_in_time(mut app: TestApp) {
        let owner = app.owner().await;
        let id = time_out(&app, &owner.key, &owner.bank, LOST_REFERENCE).await;
        app.crash();
        app.clock().advance(RESERVATION);
        app.start_again().await;
        app.settle().await;
        assert_eq!(status(&owner, &id).await, "expired");
        assert_eq!(owner.balance().await, 1_000);
        let activity = app.database().number("select count(*) from activity");
        assert_eq!(activity, 1);
    }

    async fn what_was_reserved_is_held_across_a_crash(mut app: TestApp) {
        let owner = app.owner_with(1).await;
        let key = owner.key_limited_to(1).await;
        time_out(&app, &key, &owner.bank, SLOW_REFERENCE).await;
        app.crash();
        take_over(&mut app).await;
        let answer = key.verify(&owner.bank, about("67890")).await;
        answer.refused(403, "API_KEY_MONTHLY_CREDIT_LIMIT_EXCEEDED");
        let answer = owner.key.verify(&owner.bank, about("67890")).await;
        answer.refused(402, "NOT_ENOUGH_CREDITS");
        app.clock().advance(SLOW);
        app.settle().await;
        assert_eq!(owner.balance().await, 0);
    }
}
