//! `POST /v1/webhooks/test`: an owner tries its receiver out.

use std::time::Duration;

use domain::webhooks::CLOCK_OFF_MAX;
use futures_util::future::{join, join_all};
use serde_json::{Value, json};
use testkit::receiver::{Receiver, is_signed};
use testkit::scripted::Play;
use testkit::{Owner, Setup, TestApp, both_engines, either_engine};

use super::secret;

/// Asks for a test and lets time go on until it is answered.
async fn test(app: &TestApp, owner: &Owner, body: Value) -> Value {
    app.clock().flow(owner.post("/v1/webhooks/test", body)).await.ok()
}

either_engine! {
    async fn a_test_is_sent_like_what_happens_and_is_of_nothing(app: TestApp) {
        let owner = app.owner().await;
        let secret = secret(&owner).await;
        let receiver = Receiver::with_status(204);
        let answer = test(&app, &owner, json!({ "url": receiver.url() })).await;
        assert_eq!(answer["message"], "llegó, y su servidor lo aceptó (204)");
        let delivery = &answer["delivery"];
        assert_eq!((&delivery["state"], &delivery["event"]), (&json!("delivered"), &json!("test")));
        assert_eq!(delivery["payment_link_id"], json!(null));
        assert!(delivery["attempts"][0]["phases_ms"]["waiting"].is_number());
        assert_eq!(answer["clock"], json!(null), "it tells no time");

        let received = &receiver.received(1).await[0];
        assert!(is_signed(received, &secret, "Service"));
        let body: Value = serde_json::from_str(&received.body).unwrap();
        assert_eq!((&body["status"], &body["livemode"]), (&json!("paid"), &json!(false)));
        for id in [&body["payment_link_id"], &body["payment_link"]["id"], &body["user_bank_payment"]["id"]] {
            assert!(id.as_str().unwrap().starts_with("test_"), "{id}");
        }
        assert_eq!(body["id"], delivery["id"]);
        assert_eq!(received.header("x-service-event-id"), delivery["id"].as_str());

        let failed = json!({ "url": receiver.url(), "event": "failed" });
        test(&app, &owner, failed).await;
        let body: Value = serde_json::from_str(&receiver.received(2).await[1].body).unwrap();
        assert_eq!((&body["status"], &body["user_bank_payment"]), (&json!("failed"), &json!(null)));
        let listed = owner.get("/v1/webhooks/deliveries?event=test").await.ok();
        assert_eq!(listed["total"], json!(2));
        assert_eq!(owner.balance().await, 1_000, "it costs nothing");
    }

    async fn a_test_that_fails_is_explained_in_words_and_not_sent_again(app: TestApp) {
        let owner = app.owner().await;
        for (play, code, said) in [
            (Play::Answer(500, b"made-up".to_vec()), "refused", "(500)"),
            (Play::Silence, "timeout_waiting", "esperando"),
        ] {
            let receiver = Receiver::answering(move |_| play.clone());
            let answer = test(&app, &owner, json!({ "url": receiver.url() })).await;
            let message = answer["message"].as_str().unwrap();
            assert!(message.starts_with("no llegó: ") && message.contains(said), "{message}");
            let delivery = &answer["delivery"];
            assert_eq!(delivery["state"], "exhausted");
            assert_eq!(delivery["trouble"]["code"], code);
            assert_eq!(delivery["attempts"].as_array().map(Vec::len), Some(1));
        }
        assert_eq!(app.database().number("select count(*) from due where kind = 2"), 0);
        assert_eq!(owner.get("/v1/notices").await.ok()["total"], json!(0), "nobody is told");
    }

    async fn a_test_is_waited_for_though_the_clock_is_set(app: TestApp) {
        let owner = app.owner().await;
        let receiver = Receiver::answering(|_| Play::Silence);
        let call = owner.post("/v1/webhooks/test", json!({ "url": receiver.url() }));
        let set = async {
            receiver.received(1).await;
            // Further than a test is waited for, and less than a lease.
            app.clock().set_to(app.now().plus(Duration::from_secs(20)));
        };
        let (answer, ()) = app.clock().flow(join(call, set)).await;
        let answer = answer.ok();
        let delivery = &answer["delivery"];
        assert_eq!((&delivery["state"], &delivery["trouble"]["code"]), (&json!("exhausted"), &json!("timeout_waiting")));
    }

    async fn a_clock_that_is_off_is_reported(app: TestApp) {
        let owner = app.owner().await;
        let head = |date: &str| format!("HTTP/1.1 204 -\r\nDate: {date}\r\n\r\n").into_bytes();
        let receiver = Receiver::answering(move |_| {
            Play::Bytes(head("Fri, 20 Nov 2020 12:00:00 GMT"))
        });
        let answer = test(&app, &owner, json!({ "url": receiver.url() })).await;
        let clock = &answer["clock"];
        assert_eq!((&clock["ok"], &clock["time"]), (&json!(false), &json!("2020-11-20T12:00:00.000Z")));
        assert!(clock["ahead_seconds"].as_i64().unwrap() < -CLOCK_OFF_MAX.as_secs().cast_signed());
        assert!(clock["text"].as_str().unwrap().contains("atrasado"));
    }

    async fn a_test_goes_nowhere_that_a_webhook_may_not(setup: Setup) {
        let app = setup.without_private_webhooks().start().await;
        let owner = app.owner().await;
        let receiver = Receiver::with_status(204);
        let call = owner.post("/v1/webhooks/test", json!({ "url": receiver.url() })).await;
        call.refused(400, "WEBHOOK_URL_NOT_ALLOWED");
        assert_eq!(app.database().number("select count(*) from webhook_deliveries"), 0);
        assert_eq!(receiver.connections(), 0);
    }
}

both_engines! {
    async fn tests_are_ten_a_minute(app: TestApp) {
        let owner = app.owner().await;
        let receiver = Receiver::with_status(204);
        let ask = || owner.post("/v1/webhooks/test", json!({ "url": receiver.url() }));
        let answers = app.clock().flow(join_all((0..11).map(|_| ask()))).await;
        let (refused, answered): (Vec<_>, Vec<_>) =
            answers.iter().partition(|answer| answer.status == 429);
        assert_eq!((refused.len(), answered.len()), (1, 10));
        refused[0].refused(429, "REQUEST_LIMIT_REACHED");
        assert!(refused[0].header("retry-after").is_some());
        assert!(answered.iter().all(|answer| answer.status == 200));
        test(&app, &app.owner().await, json!({ "url": receiver.url() })).await;
    }

    /// Checks that one process knows what another has counted: here the next one on the same store.
    async fn they_are_ten_a_minute_wherever_they_are_asked_for(mut app: TestApp) {
        let owner = app.owner().await;
        let receiver = Receiver::with_status(204);
        let ask = || owner.post("/v1/webhooks/test", json!({ "url": receiver.url() }));
        let answers = app.clock().flow(join_all((0..10).map(|_| ask()))).await;
        assert!(answers.iter().all(|answer| answer.status == 200));
        app.restart().await;
        let refused = ask().await;
        refused.refused(429, "REQUEST_LIMIT_REACHED");
        let wait: u64 = refused.header("retry-after").unwrap().parse().unwrap();
        assert!((1..=60).contains(&wait), "{wait}");
        assert_eq!(receiver.requests(), 10);
        test(&app, &app.owner().await, json!({ "url": receiver.url() })).await;
        app.clock().advance(Duration::from_secs(wait));
        test(&app, &owner, json!({ "url": receiver.url() })).await;
    }
}
