//! `POST /v1/webhooks/deliveries/{delivery_id}/redeliver`: the same bytes, once more.

use std::time::Duration;

use domain::time::Timestamp;
use domain::webhooks::DeliveryState;
use egress::DEADLINE;
use futures_util::future::{join, join_all};
use serde_json::json;
use testkit::http::Response;
use testkit::receiver::Receiver;
use testkit::scripted::Play;
use testkit::{Owner, TestApp, both_engines};

use super::{Written, due_at, write};

async fn again(owner: &Owner, written: Written) -> Response {
    owner.post(&format!("/v1/webhooks/deliveries/{}/redeliver", written.id), json!({})).await
}

/// How many deliveries are due.
fn due(app: &TestApp) -> i64 {
    app.database().number("select count(*) from due where kind = 2")
}

both_engines! {
    async fn what_was_delivered_is_sent_again_with_the_same_bytes(app: TestApp) {
        let owner = app.owner().await;
        let receiver = Receiver::with_status(204);
        let written = write(&app, &owner, &receiver.url()).await;
        written.ended(&app).await;
        let answer = again(&owner, written).await.ok();
        assert_eq!(answer["delivery"]["id"], written.id.to_string());
        let (_, attempts) = written.tried(&app, 2).await;
        let (delivery, _) = written.ended(&app).await;
        assert_eq!((delivery.state, delivery.attempts), (DeliveryState::Delivered, 2));
        assert_eq!(attempts.iter().map(|attempt| attempt.number).collect::<Vec<_>>(), [1, 2]);
        let received = receiver.received(2).await;
        assert_eq!(received[0].body, received[1].body);
        let header = |number: usize, name: &str| received[number].header(name).map(str::to_owned);
        assert_eq!(header(0, "x-service-event-id"), header(1, "x-service-event-id"));
        assert_eq!(header(1, "x-service-attempt").as_deref(), Some("2"));
        assert_eq!(header(1, "x-service-may-repeat").as_deref(), Some("true"));
        let audited = "select count(*) from audit where action = 'Redeliver'";
        assert_eq!((due(&app), app.database().number(audited)), (0, 1));

        let stranger = app.owner().await;
        again(&stranger, written).await.refused(404, "NOT_FOUND");
        let path = "/v1/webhooks/deliveries/evt_1/redeliver";
        owner.post(path, json!({})).await.refused(404, "NOT_FOUND");
    }

    async fn what_was_given_up_begins_its_schedule_anew(app: TestApp) {
        let owner = app.owner().await;
        let receiver = Receiver::answering(|number| {
            Play::Answer(if number == 1 { 410 } else { 500 }, Vec::new())
        });
        let written = write(&app, &owner, &receiver.url()).await;
        assert_eq!(written.ended(&app).await.0.state, DeliveryState::Exhausted);
        again(&owner, written).await.ok();
        let (delivery, _) = written.tried(&app, 2).await;
        assert_eq!((delivery.state, delivery.step), (DeliveryState::Pending, 1));
        assert_eq!(delivery.ended_at, None);
        let delay = Timestamp::from_micros(due_at(&app)).since(app.now());
        assert!(delay >= Duration::from_secs(10) && delay <= Duration::from_secs(12), "{delay:?}");
    }

    async fn what_waits_for_its_next_attempt_waits_no_longer(app: TestApp) {
        let owner = app.owner().await;
        let receiver = Receiver::answering(|number| {
            Play::Answer(if number == 1 { 500 } else { 204 }, Vec::new())
        });
        let written = write(&app, &owner, &receiver.url()).await;
        written.tried(&app, 1).await;
        again(&owner, written).await.ok();
        let (delivery, attempts) = written.ended(&app).await;
        assert_eq!((delivery.state, attempts.len()), (DeliveryState::Delivered, 2));
        assert_eq!((due(&app), receiver.requests()), (0, 2), "the one that it waited for is gone");
    }

    async fn what_is_under_way_is_left_to_its_end(app: TestApp) {
        let owner = app.owner().await;
        let receiver = Receiver::answering(|number| match number {
            1 => Play::Silence,
            _ => Play::Answer(204, Vec::new()),
        });
        let written = write(&app, &owner, &receiver.url()).await;
        receiver.received(1).await;
        again(&owner, written).await.refused(409, "REQUEST_IN_PROGRESS");
        app.clock().advance(DEADLINE);
        written.tried(&app, 1).await;
        again(&owner, written).await.ok();
        assert_eq!(written.ended(&app).await.1.len(), 2);
    }

    async fn however_many_wish_it_at_once_it_is_sent_once(app: TestApp) {
        let owner = app.owner().await;
        let receiver = Receiver::answering(|number| match number {
            1 => Play::Answer(204, Vec::new()),
            _ => Play::Silence,
        });
        let written = write(&app, &owner, &receiver.url()).await;
        written.ended(&app).await;
        let answers = join_all((0..8).map(|_| again(&owner, written))).await;
        for answer in &answers {
            let end = answer.end();
            assert!([200, 409].contains(&end.0), "{end:?}");
        }
        assert!(answers.iter().any(|answer| answer.status == 200));
        receiver.received(2).await;
        again(&owner, written).await.refused(409, "REQUEST_IN_PROGRESS");
        assert_eq!((due(&app), receiver.requests()), (1, 2));
        assert_eq!(written.look(&app).await.0.state, DeliveryState::Pending);
    }

    /// The wish comes while attempts begin and end, in whatever order the threads make of it.
    async fn a_wish_beside_the_end_of_an_attempt_loses_and_doubles_nothing(app: TestApp) {
        let owner = app.owner().await;
        let receiver = Receiver::with_status(204);
        let (mut all, mut granted) = (Vec::new(), 0);
        for _ in 0..20 {
            let written = write(&app, &owner, &receiver.url()).await;
            let (one, other) = join(again(&owner, written), again(&owner, written)).await;
            granted += [one, other].iter().filter(|answer| answer.status == 200).count();
            all.push(written);
        }
        let mut attempts = 0;
        for written in all {
            let (delivery, kept) = written.ended(&app).await;
            assert_eq!(delivery.state, DeliveryState::Delivered);
            let numbers: Vec<_> = kept.iter().map(|attempt| attempt.number as usize).collect();
            assert_eq!(numbers, (1..=kept.len()).collect::<Vec<_>>());
            assert_eq!(delivery.attempts as usize, kept.len());
            attempts += kept.len();
        }
        assert!(attempts <= 20 + granted, "{attempts} attempts for {granted} wishes");
        assert_eq!(receiver.requests(), attempts, "everything that was sent was kept");
        assert_eq!(due(&app), 0);
    }

    async fn the_same_wish_again_is_answered_and_not_granted_twice(app: TestApp) {
        let owner = app.owner().await;
        let receiver = Receiver::with_status(204);
        let one = write(&app, &owner, &receiver.url()).await;
        let other = write(&app, &owner, &receiver.url()).await;
        for written in [one, other] {
            written.ended(&app).await;
        }
        let wish = |key: &str, written: Written| {
            let path = format!("/v1/webhooks/deliveries/{}/redeliver", written.id);
            owner.request("POST", &path).header("Idempotency-Key", key).json(&json!({})).send()
        };
        let first = wish("k-1", one).await;
        first.ok();
        one.tried(&app, 2).await;
        one.ended(&app).await;
        for _ in 0..3 {
            let again = wish("k-1", one).await;
            assert_eq!((again.status, &again.body), (200, &first.body), "byte for byte");
        }
        assert_eq!(one.look(&app).await.1.len(), 2, "it is not sent a third time");
        // The key stands for one delivery.
        wish("k-1", other).await.refused(422, "IDEMPOTENCY_KEY_REUSED");
        wish("k-2", one).await.ok();
        one.tried(&app, 3).await;
        one.ended(&app).await;
        assert_eq!((due(&app), receiver.requests()), (0, 4));
    }

    async fn a_wish_that_was_refused_is_granted_later(app: TestApp) {
        let owner = app.owner().await;
        let receiver = Receiver::answering(|number| match number {
            1 => Play::Silence,
            _ => Play::Answer(204, Vec::new()),
        });
        let written = write(&app, &owner, &receiver.url()).await;
        receiver.received(1).await;
        let wish = || {
            let path = format!("/v1/webhooks/deliveries/{}/redeliver", written.id);
            owner.request("POST", &path).header("Idempotency-Key", "k-1").json(&json!({})).send()
        };
        wish().await.refused(409, "REQUEST_IN_PROGRESS");
        app.clock().advance(DEADLINE);
        written.tried(&app, 1).await;
        wish().await.ok();
        assert_eq!(written.ended(&app).await.1.len(), 2);
    }
}
