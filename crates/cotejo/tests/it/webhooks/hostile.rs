//! Receivers that mean harm, seen from the delivery: each attempt ends at the deadline or before, with
//! the right words, in one place, and the receiver is notified again once it behaves.

use domain::webhooks::{DeliveryState, Phase, Trouble};
use egress::DEADLINE;
use testkit::receiver::Receiver;
use testkit::scripted::Play;
use testkit::{TestApp, either_engine};

use super::{due_at, write};

fn head(rest: &str) -> Vec<u8> {
    format!("HTTP/1.1 200 OK\r\n{rest}\r\n").into_bytes()
}

/// Does so at first, and answers as it should from then on.
fn hostile_once(play: Play) -> Receiver {
    Receiver::answering(move |number| match number {
        1 => play.clone(),
        _ => Play::Answer(204, Vec::new()),
    })
}

/// Moves the clock to when the one delivery is due, and has it begin.
fn advance_to_due(app: &TestApp) {
    app.clock().advance_to(domain::time::Timestamp::from_micros(due_at(app)));
    app.app().webhooks.ring();
}

/// Makes a delivery fail once against such a receiver, and returns the trouble.
async fn trouble_with(app: &TestApp, play: Play, is_over_by_itself: bool) -> Trouble {
    let owner = app.owner().await;
    let receiver = hostile_once(play);
    let written = write(app, &owner, &receiver.url()).await;
    receiver.received(1).await;
    if !is_over_by_itself {
        app.clock().advance(DEADLINE);
    }
    let (delivery, attempts) = written.tried(app, 1).await;
    assert!(attempts[0].duration <= DEADLINE);
    assert!(attempts[0].sent.as_deref().is_some_and(|sent| sent.starts_with("POST /hook?shop=7 ")));
    assert_eq!(receiver.connections(), 1, "one place, and one request");
    let trouble = delivery.trouble.unwrap();
    assert_eq!(attempts[0].trouble, Some(trouble));
    advance_to_due(app);
    let (delivery, attempts) = written.ended(app).await;
    assert_eq!((delivery.state, attempts.len()), (DeliveryState::Delivered, 2));
    trouble
}

/// Delivers to such a receiver, and returns what is kept of its answer.
async fn answer_kept(app: &TestApp, play: Play) -> Vec<u8> {
    let owner = app.owner().await;
    let receiver = hostile_once(play);
    let written = write(app, &owner, &receiver.url()).await;
    let (delivery, attempts) = written.ended(app).await;
    assert_eq!((delivery.state, attempts.len()), (DeliveryState::Delivered, 1));
    attempts[0].answer.clone()
}

either_engine! {
    async fn silence_ends_at_the_deadline(app: TestApp) {
        let interim = b"HTTP/1.1 102 Processing\r\n\r\n".to_vec();
        for said in [Vec::new(), b"HTTP/1.1 200 OK\r\nx-slow: ".to_vec(), interim] {
            let trouble = trouble_with(&app, Play::Stall(said), false).await;
            assert_eq!(trouble, Trouble::Timeout(Phase::Waiting));
        }
        // A body that drips: whether its head had arrived by then is chance.
        let dripping = [head("content-length: 100\r\n"), b"d".to_vec()].concat();
        let trouble = trouble_with(&app, Play::Stall(dripping), false).await;
        let expected = [Phase::Waiting, Phase::Reading].map(Trouble::Timeout);
        assert!(expected.contains(&trouble), "{trouble:?}");
    }

    async fn floods_and_resets_end_before_the_deadline(app: TestApp) {
        let interim = format!("HTTP/1.1 103 -\r\nx: {}\r\n\r\n", "y".repeat(2_000)).into_bytes();
        let redirect = b"HTTP/1.1 307 -\r\nlocation: http://169.254.169.254/\r\n\r\n".to_vec();
        for (play, trouble) in [
            (Play::Endless(Vec::new(), interim), Trouble::Flooded),
            (Play::Endless(head("")[..17].to_vec(), b"a: b\r\n".repeat(99)), Trouble::HeadTooLong),
            (Play::Bytes(Vec::new()), Trouble::Reset),
            (Play::Bytes(b"HTTP/1.1 2".to_vec()), Trouble::Reset),
            (Play::Bytes(head("content-length: 9\r\n")), Trouble::Reset),
            (Play::Bytes(b"220 mail ready\r\n\r\n".to_vec()), Trouble::Malformed),
            (Play::Bytes(redirect), Trouble::Redirected),
        ] {
            assert_eq!(trouble_with(&app, play, true).await, trouble);
        }
    }

    async fn little_is_kept_of_what_is_poured(app: TestApp) {
        let bomb = head("content-encoding: gzip\r\ncontent-length: 999999999\r\n");
        for (first, again) in [
            (head(""), vec![b'x'; 1_000]),
            (head("transfer-encoding: chunked\r\n"), b"5\r\nxxxxx\r\n".to_vec()),
            (bomb, vec![b'x'; 1_000]),
        ] {
            let kept = answer_kept(&app, Play::Endless(first, again)).await;
            assert_eq!(kept, vec![b'x'; store::deliveries::ANSWER_KEPT_MAX]);
        }
    }

    /// An answer that came ahead of its question is not the answer to the next event.
    async fn an_answer_ahead_of_its_question_delivers_nothing(app: TestApp) {
        let owner = app.owner().await;
        let ok = b"HTTP/1.1 204 -\r\n\r\n";
        let receiver = Receiver::answering(move |number| match number {
            1 => Play::Stall(ok.repeat(2)),
            _ => Play::Answer(500, Vec::new()),
        });
        let first = write(&app, &owner, &receiver.url()).await;
        assert_eq!(first.ended(&app).await.0.state, DeliveryState::Delivered);
        let second = write(&app, &owner, &receiver.url()).await;
        let (delivery, attempts) = second.tried(&app, 1).await;
        assert_eq!((delivery.trouble, attempts[0].status), (Some(Trouble::Refused), Some(500)));
        assert_eq!((attempts[0].is_reused, receiver.connections()), (false, 2));
    }

    /// A connection that ends when its second request is there: that may have been received, so that
    /// the log shows a failed attempt, and the next one says that it may repeat.
    async fn what_may_have_arrived_is_sent_again_by_the_schedule_alone(app: TestApp) {
        let owner = app.owner().await;
        let receiver = Receiver::answering(|number| match number {
            2 => Play::Bytes(Vec::new()),
            _ => Play::Answer(204, Vec::new()),
        });
        let first = write(&app, &owner, &receiver.url()).await;
        assert!(!first.ended(&app).await.1[0].is_reused);
        let second = write(&app, &owner, &receiver.url()).await;
        let (delivery, attempts) = second.tried(&app, 1).await;
        assert_eq!((delivery.trouble, attempts[0].is_reused), (Some(Trouble::Reset), true));
        assert_eq!((receiver.received(2).await.len(), receiver.connections()), (2, 1));
        advance_to_due(&app);
        assert_eq!(second.ended(&app).await.0.state, DeliveryState::Delivered);
        assert_eq!(receiver.received(3).await[2].header("x-service-may-repeat"), Some("true"));
    }
}
