//! Clocks that are set wrong and corrected, with and without the end of the process.

use std::time::Duration;

use futures_util::future::join;
use testkit::{TestApp, both_engines};

use crate::slow_bank::{ANSWER, LOST_REFERENCE, SLOW, SLOW_REFERENCE, about, time_out};

const HOUR: Duration = Duration::from_secs(60 * 60);
const YEAR: Duration = Duration::from_secs(365 * 24 * 60 * 60);

const RESERVED: &str = "select cast(sum(reserved) as bigint) from owners";

both_engines! {
    async fn a_search_that_began_while_the_clock_was_a_year_ahead_ends(mut app: TestApp) {
        let owner = app.owner().await;
        let right = app.now();
        app.clock().set_to(right.plus(YEAR));
        time_out(&app, &owner.key, &owner.bank, SLOW_REFERENCE).await;
        app.crash();
        app.clock().set_to(right);
        app.start_again().await;
        // The first look takes it over.
        app.clock().is_awaited(app.now().plus(SLOW)).await;
        app.clock().advance(SLOW);
        app.settle().await;
        assert_eq!(owner.balance().await, 999);
        let answer = owner.key.verify(&owner.bank, about(SLOW_REFERENCE)).await.ok();
        assert_eq!(answer["data"]["is_new"], true);
        assert_eq!(app.database().number(RESERVED), 0);
    }

    async fn a_reservation_without_calls_left_lapses_though_the_clock_was_ahead(mut app: TestApp) {
        let owner = app.owner().await;
        let right = app.now();
        app.clock().set_to(right.plus(YEAR));
        time_out(&app, &owner.key, &owner.bank, LOST_REFERENCE).await;
        app.crash();
        app.database().execute("update verifications set calls = 4");
        app.clock().set_to(right);
        app.start_again().await;
        app.settle().await;
        assert_eq!(app.database().number(RESERVED), 0);
        assert_eq!(owner.balance().await, 1_000);
    }

    async fn a_caller_waits_no_longer_for_a_clock_that_is_set_back(mut app: TestApp) {
        let owner = app.owner().await;
        let start = app.now();
        let patience = async {
            app.clock().is_awaited(start.plus(SLOW)).await;
            app.clock().is_awaited(start.plus(ANSWER)).await;
            app.clock().set_to(start.minus(HOUR));
            app.clock().advance(ANSWER);
        };
        let verify = owner.key.verify(&owner.bank, about(SLOW_REFERENCE));
        let (answer, ()) = join(verify, patience).await;
        answer.refused(503, "BANK_NOT_AVAILABLE");
        // A look may have taken the search over already, since its lease lay an hour ahead. After a crash, and
        // another hour back, the first look takes it over in any case.
        app.crash();
        app.clock().set_to(start.minus(2 * HOUR));
        app.start_again().await;
        app.clock().is_awaited(app.now().plus(SLOW)).await;
        app.clock().advance(SLOW);
        app.settle().await;
        assert_eq!(owner.balance().await, 999);
    }
}
