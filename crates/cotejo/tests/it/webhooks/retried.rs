//! What is sent again, when, and for how long.

use std::collections::BTreeSet;
use std::time::Duration;

use domain::time::Timestamp;
use domain::webhooks::{ATTEMPTS_MAX, DELAYS, DeliveryState, Phase, Trouble};
use egress::DEADLINE;
use testkit::receiver::{Receiver, is_signed};
use testkit::scripted::Play;
use testkit::{TestApp, either_engine};

use super::{due_at, secret, write};

/// Moves the clock to when the one delivery is due, and has it begin.
fn advance_to_due(app: &TestApp) {
    app.clock().advance_to(Timestamp::from_micros(due_at(app)));
    app.app().webhooks.ring();
}

/// How long from now on the one delivery waits.
fn delay(app: &TestApp) -> Duration {
    Timestamp::from_micros(due_at(app)).since(app.now())
}

either_engine! {
    async fn a_receiver_that_fails_is_notified_again_by_the_schedule(app: TestApp) {
        let owner = app.owner().await;
        let receiver = Receiver::with_status(500);
        // Asked for now, since the session will be over by the end.
        let secret = secret(&owner).await;
        let written = write(&app, &owner, &receiver.url()).await;
        for (number, least) in (1..).zip(DELAYS) {
            let (delivery, attempts) = written.tried(&app, number).await;
            assert_eq!(delivery.state, DeliveryState::Pending);
            assert_eq!(attempts[number - 1].trouble, Some(Trouble::Refused));
            let delay = delay(&app);
            assert!(delay >= least && delay <= least + least / 5, "{number}: {delay:?}");
            advance_to_due(&app);
        }
        let (delivery, attempts) = written.ended(&app).await;
        assert_eq!(delivery.state, DeliveryState::Exhausted);
        assert_eq!(attempts.len(), ATTEMPTS_MAX as usize);
        assert_eq!(app.database().number("select count(*) from due where kind = 2"), 0);

        // The same bytes and the same id each time, and each time signed anew.
        let received = receiver.received(attempts.len()).await;
        for (one, attempt) in received.iter().zip(&attempts) {
            assert_eq!(one.body, received[0].body);
            assert_eq!(one.header("x-service-attempt"), Some(&*attempt.number.to_string()));
            let may_repeat = if attempt.number > 1 { "true" } else { "false" };
            assert_eq!(one.header("x-service-may-repeat"), Some(may_repeat));
            assert_eq!(one.header("x-service-event-id"), received[0].header("x-service-event-id"));
            let seconds = attempt.began_at.as_seconds().to_string();
            assert_eq!(one.header("x-service-timestamp"), Some(&*seconds));
            assert!(is_signed(one, &secret, "Service"));
        }
        let signatures: BTreeSet<_> =
            received.iter().map(|one| one.header("x-service-signature")).collect();
        assert_eq!(signatures.len(), received.len());
    }

    async fn a_receiver_that_recovers_is_notified_no_more(app: TestApp) {
        let owner = app.owner().await;
        let receiver = Receiver::answering(|number| {
            Play::Answer(if number == 1 { 503 } else { 204 }, Vec::new())
        });
        let written = write(&app, &owner, &receiver.url()).await;
        written.tried(&app, 1).await;
        advance_to_due(&app);
        let (delivery, attempts) = written.ended(&app).await;
        assert_eq!((delivery.state, delivery.trouble), (DeliveryState::Delivered, None));
        let statuses: Vec<_> = attempts.iter().map(|attempt| attempt.status).collect();
        assert_eq!(statuses, [Some(503), Some(204)]);
        app.clock().advance(DELAYS.iter().sum());
        app.settle().await;
        assert_eq!(receiver.requests(), 2);
    }

    /// Without a bell, as when another node has written the event.
    async fn what_nobody_rings_for_is_found_within_a_second(app: TestApp) {
        let owner = app.owner().await;
        let receiver = Receiver::answering(|number| {
            Play::Answer(if number == 1 { 500 } else { 200 }, Vec::new())
        });
        let written = write(&app, &owner, &receiver.url()).await;
        written.tried(&app, 1).await;
        app.clock().advance_to(Timestamp::from_micros(due_at(&app)));
        let began = app.now();
        app.clock().flow(written.ended(&app)).await;
        let repeated_at = written.look(&app).await.1[1].began_at;
        assert!(repeated_at.since(began) <= Duration::from_secs(1));
    }

    async fn gone_is_gone(app: TestApp) {
        let owner = app.owner().await;
        let written = write(&app, &owner, &Receiver::with_status(410).url()).await;
        let (delivery, attempts) = written.ended(&app).await;
        assert_eq!(delivery.state, DeliveryState::Exhausted);
        assert_eq!((delivery.trouble, attempts.len()), (Some(Trouble::Gone), 1));
    }

    async fn a_receiver_may_ask_for_more_time(app: TestApp) {
        let owner = app.owner().await;
        for (asked, least) in [("1", 10), ("3600", 3_600), ("99999999", 86_400)] {
            let answer = format!("HTTP/1.1 429 -\r\nretry-after: {asked}\r\n\r\n").into_bytes();
            let receiver = Receiver::answering(move |_| Play::Bytes(answer.clone()));
            let written = write(&app, &owner, &receiver.url()).await;
            written.tried(&app, 1).await;
            let (delay, least) = (delay(&app), Duration::from_secs(least));
            assert!(delay >= least && delay <= least + least / 5, "{asked}: {delay:?}");
            app.database().execute("delete from due where kind = 2");
        }
    }

    async fn a_redirect_is_a_failure_and_is_not_followed(app: TestApp) {
        let owner = app.owner().await;
        let elsewhere = Receiver::with_status(200);
        let answer = format!("HTTP/1.1 302 -\r\nlocation: {}\r\n\r\n", elsewhere.url());
        let receiver = Receiver::answering(move |_| Play::Bytes(answer.clone().into_bytes()));
        let written = write(&app, &owner, &receiver.url()).await;
        let (delivery, attempts) = written.tried(&app, 1).await;
        assert_eq!(delivery.trouble, Some(Trouble::Redirected));
        assert_eq!((attempts[0].status, elsewhere.connections()), (Some(302), 0));
    }

    async fn a_receiver_that_never_answers_ends_at_the_deadline(app: TestApp) {
        let owner = app.owner().await;
        let receiver = Receiver::answering(|number| match number {
            1 => Play::Silence,
            _ => Play::Answer(200, Vec::new()),
        });
        let written = write(&app, &owner, &receiver.url()).await;
        receiver.received(1).await;
        app.clock().advance(DEADLINE);
        let (delivery, attempts) = written.tried(&app, 1).await;
        assert_eq!(delivery.trouble, Some(Trouble::Timeout(Phase::Waiting)));
        assert_eq!((attempts[0].status, attempts[0].duration), (None, DEADLINE));
        advance_to_due(&app);
        assert_eq!(written.ended(&app).await.0.state, DeliveryState::Delivered);
    }

    async fn a_row_that_cannot_be_read_keeps_nothing_else_from_being_sent(mut app: TestApp) {
        app.expect_disorder();
        let owner = app.owner().await;
        let receiver = Receiver::answering(|number| Play::Answer(if number == 1 { 500 } else { 200 }, Vec::new()));
        let written = write(&app, &owner, &receiver.url()).await;
        written.tried(&app, 1).await;
        let due_at = Timestamp::from_micros(due_at(&app));
        app.database().execute(
            "insert into due (owner_id, kind, subject_id, due_at, fence, tries) \
             select owner_id, 2, substr(subject_id, 1, 3), 9000000000000000, 1, 1 from due where kind = 2",
        );
        // A process that starts looks through all that waits.
        app.restart().await;
        app.clock().advance_to(due_at);
        app.app().webhooks.ring();
        let (delivery, _) = written.ended(&app).await;
        assert_eq!(delivery.state, DeliveryState::Delivered);
    }
}
