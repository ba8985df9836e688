//! What receivers get while an overlap runs, and when it is over.

use std::sync::{Mutex, mpsc};

use delivery::LEASE;
use domain::time::Timestamp;
use domain::webhooks::{ATTEMPTS_MAX, DELAYS, DeliveryState, Trouble};
use hyper::HeaderMap;
use serde_json::json;
use standardwebhooks::Webhook;
use testkit::receiver::Receiver;
use testkit::scripted::{Asked, Play};
use testkit::{Owner, Setup, TestApp, both_engines};
use tokio::task::yield_now;

use super::super::{due_at, secret, write};
use super::{HOUR, PATH, assert_signed, kept_former, knowing, rotate, text};

/// An owner with a secret that was rotated away just now and is good for an hour: the former, and
/// the new one.
async fn rotated(app: &TestApp) -> (Owner, String, String) {
    let owner = app.owner().await;
    let former = secret(&owner).await;
    let new = rotate(&owner, 1).await;
    (owner, former, new)
}

async fn notices(owner: &Owner) -> i64 {
    owner.get("/v1/notices").await.ok()["total"].as_i64().unwrap()
}

/// Tells whether a library of Standard Webhooks that knows this secret accepts the request.
fn verifies(request: &Asked, library: &Webhook) -> bool {
    let mut headers = HeaderMap::new();
    for name in ["webhook-id", "webhook-timestamp", "webhook-signature"] {
        headers.insert(name, request.header(name).unwrap().parse().unwrap());
    }
    library.verify(request.body.as_bytes(), &headers).is_ok()
}

both_engines! {
    async fn who_knows_the_new_secret_is_notified_once(app: TestApp) {
        let (owner, former, new) = rotated(&app).await;
        for known in [&[&*new][..], &[&*former, &*new]] {
            let receiver = knowing(known);
            let written = write(&app, &owner, &receiver.base_url()).await;
            let (delivery, attempts) = written.ended(&app).await;
            assert_eq!(delivery.state, DeliveryState::Delivered);
            assert_eq!((attempts.len(), receiver.asked().len()), (1, 1));
            assert_signed(&receiver.asked()[0], &new, 2);
        }
    }

    async fn who_knows_the_former_secret_alone_is_notified_again_at_once(app: TestApp) {
        let (owner, former, new) = rotated(&app).await;
        for status in [401, 403] {
            let statuses = [status, 204];
            let receiver =
                Receiver::answering(move |number| Play::Answer(statuses[number - 1], Vec::new()));
            let written = write(&app, &owner, &receiver.url()).await;
            let (delivery, attempts) = written.ended(&app).await;
            assert_eq!((delivery.state, delivery.trouble), (DeliveryState::Delivered, None));
            let kept: Vec<_> =
                attempts.iter().map(|one| (one.number, one.status, one.trouble)).collect();
            let refused = (1, Some(status), Some(Trouble::Refused));
            assert_eq!(kept, [refused, (2, Some(204), None)]);
            // At once, with the same bytes, and each as an attempt of its own.
            assert_eq!(attempts[0].began_at, attempts[1].began_at);
            let received = receiver.received(2).await;
            assert_eq!(received[0].body, received[1].body);
            assert_signed(&received[0], &new, 2);
            assert_signed(&received[1], &former, 2);
            for (one, (number, may_repeat)) in received.iter().zip([("1", "false"), ("2", "true")]) {
                assert_eq!(one.header("x-service-attempt"), Some(number));
                assert_eq!(one.header("x-service-may-repeat"), Some(may_repeat));
            }
        }
        assert_eq!(notices(&owner).await, 0, "it has heard");
    }

    /// Until the repeat has failed too, nothing is wrong.
    async fn the_owner_is_notified_only_where_the_former_secret_fails_too(app: TestApp) {
        let (owner, ..) = rotated(&app).await;
        let (go, gate) = mpsc::channel::<()>();
        let gate = Mutex::new(gate);
        let receiver = Receiver::answering(move |number| {
            if number == 2 {
                gate.lock().unwrap().recv().unwrap();
            }
            Play::Answer(if number == 1 { 401 } else { 503 }, Vec::new())
        });
        let written = write(&app, &owner, &receiver.url()).await;
        receiver.received(2).await;
        let (delivery, attempts) = written.look(&app).await;
        assert_eq!((delivery.state, delivery.step), (DeliveryState::Pending, 0));
        assert_eq!((attempts.len(), attempts[0].status), (1, Some(401)));
        assert_eq!(notices(&owner).await, 0);
        assert_eq!(due_at(&app), app.now().plus(LEASE).as_micros(), "nobody else begins");
        go.send(()).unwrap();

        let (delivery, attempts) = written.tried(&app, 2).await;
        assert_eq!((delivery.step, delivery.trouble), (1, Some(Trouble::Refused)));
        assert_eq!(attempts[1].status, Some(503));
        assert_eq!(notices(&owner).await, 1);
        let delay = Timestamp::from_micros(due_at(&app)).since(app.now());
        assert!(delay >= DELAYS[0] && delay <= DELAYS[0] + DELAYS[0] / 5, "{delay:?}");
    }

    async fn a_repeat_is_no_step_of_the_schedule(app: TestApp) {
        let owner = app.owner().await;
        secret(&owner).await;
        rotate(&owner, 168).await;
        let receiver = Receiver::with_status(403);
        let written = write(&app, &owner, &receiver.url()).await;
        for step in 1..ATTEMPTS_MAX {
            let (delivery, _) = written.tried(&app, 2 * step as usize).await;
            assert_eq!((delivery.state, delivery.step), (DeliveryState::Pending, step));
            app.clock().advance_to(Timestamp::from_micros(due_at(&app)));
            app.app().webhooks.ring();
        }
        let (delivery, attempts) = written.ended(&app).await;
        assert_eq!((delivery.state, delivery.step), (DeliveryState::Exhausted, ATTEMPTS_MAX));
        assert_eq!(attempts.len(), 2 * ATTEMPTS_MAX as usize);
        assert!((1..).zip(&attempts).all(|(number, attempt)| attempt.number == number));
    }

    /// Only a receiver that does not believe is notified again.
    async fn other_troubles_are_not_repeated(app: TestApp) {
        let (owner, ..) = rotated(&app).await;
        for status in [302, 400, 404, 429, 500] {
            let receiver = Receiver::with_status(status);
            let written = write(&app, &owner, &receiver.url()).await;
            let (delivery, attempts) = written.tried(&app, 1).await;
            assert_eq!((delivery.step, attempts.len()), (1, 1), "{status}");
            assert_eq!(receiver.received(1).await.len(), 1, "{status}");
        }
    }

    async fn who_wants_no_more_at_the_repeat_gets_no_more(app: TestApp) {
        let (owner, ..) = rotated(&app).await;
        let receiver = Receiver::answering(|number| {
            Play::Answer(if number == 1 { 401 } else { 410 }, Vec::new())
        });
        let written = write(&app, &owner, &receiver.url()).await;
        let (delivery, attempts) = written.ended(&app).await;
        assert_eq!((delivery.state, attempts.len()), (DeliveryState::Exhausted, 2));
        assert_eq!(delivery.trouble, Some(Trouble::Gone));
    }

    async fn a_public_library_verifies_with_either_secret(setup: Setup) {
        // It looks at the age of what it receives, so that time must be the wall's.
        let app = setup.in_real_time().start().await;
        let owner = app.owner().await;
        let library = |answer: &serde_json::Value| {
            Webhook::new(&text(&answer["standard_webhooks_secret"])).unwrap()
        };
        let first = library(&owner.get("/me/webhook-secret").await.ok());
        let second = library(&owner.post(PATH, json!({ "overlap_hours": 1 })).await.ok());
        let receiver = Receiver::with_status(200);
        write(&app, &owner, &receiver.url()).await.ended(&app).await;
        let third = library(&owner.post(PATH, json!({ "overlap_hours": 1 })).await.ok());
        write(&app, &owner, &receiver.url()).await.ended(&app).await;
        let fourth = library(&owner.post(PATH, json!({ "overlap_hours": 0 })).await.ok());
        write(&app, &owner, &receiver.url()).await.ended(&app).await;

        let believe = receiver.received(3).await;
        let believe = believe.iter().map(|request| {
            [&first, &second, &third, &fourth].map(|library| verifies(request, library))
        });
        let expected = [
            [true, true, false, false],
            [false, true, true, false],
            [false, false, false, true],
        ];
        assert_eq!(believe.collect::<Vec<_>>(), expected);
    }

    async fn a_second_rotation_ends_what_the_first_had_left(app: TestApp) {
        let (owner, first, second) = rotated(&app).await;
        let third = rotate(&owner, 1).await;
        let receiver = knowing(&[&*first]);
        let written = write(&app, &owner, &receiver.base_url()).await;
        let (delivery, _) = written.tried(&app, 2).await;
        assert_eq!(delivery.state, DeliveryState::Pending);
        for (request, secret) in receiver.asked().iter().zip([&third, &second]) {
            assert_signed(request, secret, 2);
        }
        assert_eq!(kept_former(&app), 1);
    }

    async fn when_the_overlap_is_over_nothing_of_the_former_secret_is_left(mut app: TestApp) {
        let (owner, former, new) = rotated(&app).await;
        app.clock().advance(HOUR);
        let receiver = knowing(&[&*former]);
        let written = write(&app, &owner, &receiver.base_url()).await;
        let (delivery, attempts) = written.tried(&app, 1).await;
        assert_eq!((delivery.step, attempts.len()), (1, 1), "no repeat");
        assert_eq!(receiver.asked().len(), 1);
        assert_signed(&receiver.asked()[0], &new, 1);
        // The first look of a start forgets what has had its day.
        app.restart().await;
        while kept_former(&app) > 0 {
            yield_now().await;
        }
        assert_eq!(app.database().number(
            "select count(*) from webhook_secrets where previous_until is not null"), 0);
    }

    async fn a_second_before_its_end_the_overlap_still_runs(app: TestApp) {
        let (owner, former, _) = rotated(&app).await;
        app.clock().advance(HOUR - std::time::Duration::from_secs(1));
        let receiver = knowing(&[&*former]);
        let written = write(&app, &owner, &receiver.base_url()).await;
        assert_eq!(written.ended(&app).await.0.state, DeliveryState::Delivered);
    }

    async fn an_overlap_of_nothing_ends_the_former_secret_at_once(app: TestApp) {
        let (owner, former, second) = rotated(&app).await;
        let third = rotate(&owner, 0).await;
        assert_eq!(kept_former(&app), 0);
        let receiver = knowing(&[&*former, &*second]);
        let written = write(&app, &owner, &receiver.base_url()).await;
        let (delivery, attempts) = written.tried(&app, 1).await;
        assert_eq!((delivery.step, attempts.len()), (1, 1));
        assert_signed(&receiver.asked()[0], &third, 1);
    }

    /// Between the attempt that was not believed and the end of its repeat, the process is gone.
    async fn a_crash_between_the_two_loses_nothing(mut app: TestApp) {
        let (owner, former, new) = rotated(&app).await;
        let receiver = Receiver::answering(|number| match number {
            1 | 3 => Play::Answer(401, Vec::new()),
            2 => Play::Silence,
            _ => Play::Answer(204, Vec::new()),
        });
        let written = write(&app, &owner, &receiver.url()).await;
        receiver.received(2).await;
        app.crash();
        app.clock().advance(LEASE);
        app.start_again().await;
        let (delivery, attempts) = written.ended(&app).await;
        assert_eq!(delivery.state, DeliveryState::Delivered);
        // What was kept before is there; what was cut short is not in the log, and was received.
        let kept: Vec<_> = attempts.iter().map(|one| (one.number, one.status)).collect();
        assert_eq!(kept, [(1, Some(401)), (2, Some(401)), (3, Some(204))]);
        for (request, (secret, number)) in receiver
            .received(4)
            .await
            .iter()
            .zip([(&new, "1"), (&former, "2"), (&new, "3"), (&former, "4")])
        {
            assert_signed(request, secret, 2);
            assert_eq!(request.header("x-service-attempt"), Some(number));
        }
    }
}
