//! A stop lets nobody new in, and finishes what was begun.

use std::time::Duration;

use futures_util::future::join;
use serde_json::json;
use testkit::{TestApp, both_engines};
use tokio::net::TcpStream;
use tokio::sync::oneshot;

use crate::slow_bank::{ANSWER, SLOW, SLOW_REFERENCE, about, time_out};
use crate::takeover::take_over;

both_engines! {
    async fn a_search_is_brought_to_its_end(mut app: TestApp) {
        let owner = app.owner().await;
        time_out(&app, &owner.key, &owner.bank, SLOW_REFERENCE).await;
        let (clock, addr) = (app.clock().clone(), owner.address());
        let stopping = app.stop();
        let bank = async {
            // Only once nobody is admitted any more does the bank answer.
            while TcpStream::connect(addr).await.is_ok() {}
            clock.advance(SLOW - ANSWER);
        };
        join(stopping, bank).await;
        assert_eq!(app.database().number("select count(*) from verifications where state = 1"), 1);
        assert_eq!(app.database().number("select count(*) from payments"), 1);

        app.start_again().await;
        let answer = owner.key.verify(&owner.bank, about(SLOW_REFERENCE)).await.ok();
        assert_eq!(answer["data"]["is_new"], true);
    }

    #[expect(clippy::disallowed_methods, reason = "the clock of the test stands still")]
    async fn a_search_that_takes_long_holds_up_no_stop_and_is_taken_over(mut app: TestApp) {
        let owner = app.owner().await;
        time_out(&app, &owner.key, &owner.bank, SLOW_REFERENCE).await;
        let stopping = tokio::time::timeout(Duration::from_secs(10), app.stop_early());
        assert_eq!(stopping.await, Ok(false), "it waited for the bank, or cut nothing short");
        take_over(&mut app).await;
        app.clock().advance(SLOW);
        app.settle().await;
        assert_eq!(owner.balance().await, 999);
        let answer = owner.key.verify(&owner.bank, about(SLOW_REFERENCE)).await.ok();
        assert_eq!(answer["data"]["is_new"], true);
    }

    async fn who_waits_for_an_answer_gets_it(mut app: TestApp) {
        let owner = app.owner().await;
        let (clock, addr) = (app.clock().clone(), owner.address());
        let until = app.now().plus(SLOW);
        let (answered, is_answered) = oneshot::channel();
        let call = async {
            let answer = owner.key.verify(&owner.bank, about(SLOW_REFERENCE)).await;
            answered.send(()).unwrap();
            answer
        };
        let stop = async {
            clock.is_awaited(until).await;
            let stopping = app.stop();
            let bank = async {
                while TcpStream::connect(addr).await.is_ok() {}
                clock.advance(ANSWER);
                // The caller is answered that it takes longer; then the bank answers, and all is done.
                is_answered.await.unwrap();
                clock.advance(SLOW - ANSWER);
            };
            join(stopping, bank).await;
        };
        let (answer, ()) = join(call, stop).await;
        answer.refused(503, "BANK_NOT_AVAILABLE");
        assert_eq!(app.database().number("select count(*) from payments"), 1);
    }

    async fn everything_is_there_after_it(mut app: TestApp) {
        let mut owner = app.owner().await;
        let key = owner.key_limited_to(3).await;
        key.verify(&owner.bank, json!({ "bank_reference": "67890" })).await.ok();
        app.restart().await;
        app.clock().advance(Duration::from_secs(60));
        assert_eq!(owner.balance().await, 999);
        // The session too, and the key that signs sessions.
        assert_eq!(owner.limit_of(&key).await["remaining"], 2);
        owner.sign_in_again().await;
    }
}
