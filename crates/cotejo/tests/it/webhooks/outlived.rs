//! A delivery outlives the process that began it.

use std::sync::Mutex;
use std::sync::mpsc;
use std::time::Duration;

use delivery::LEASE;
use domain::webhooks::DeliveryState;
use futures_util::future::join;
use testkit::receiver::Receiver;
use testkit::scripted::Play;
use testkit::{TestApp, both_engines};

use super::write;

fn silent_at_first() -> Receiver {
    Receiver::answering(|number| match number {
        1 => Play::Silence,
        _ => Play::Answer(200, Vec::new()),
    })
}

both_engines! {
    async fn another_node_takes_over_when_the_lease_is_over(mut app: TestApp) {
        let owner = app.owner().await;
        let receiver = silent_at_first();
        let written = write(&app, &owner, &receiver.url()).await;
        receiver.received(1).await;
        app.crash();
        app.start_again().await;
        // The lease is still that of the one that is gone, and nobody else's.
        app.clock().advance(LEASE - Duration::from_secs(1));
        app.app().webhooks.ring();
        let other = write(&app, &owner, &Receiver::with_status(200).url()).await;
        other.ended(&app).await;
        assert_eq!(written.look(&app).await.1.len(), 0);
        app.clock().advance(Duration::from_secs(1));
        app.app().webhooks.ring();

        let (delivery, attempts) = written.ended(&app).await;
        assert_eq!((delivery.state, attempts.len()), (DeliveryState::Delivered, 1));
        let received = receiver.received(2).await;
        assert_eq!(received[0].body, received[1].body);
        let id = "x-service-event-id";
        assert_eq!(received[0].header(id), received[1].header(id));
    }

    async fn what_was_written_before_a_crash_is_received_after_it(mut app: TestApp) {
        let owner = app.owner().await;
        let receiver = Receiver::with_status(200);
        // Wherever it has come to by then.
        let written = write(&app, &owner, &receiver.url()).await;
        app.crash();
        app.clock().advance(LEASE);
        app.start_again().await;
        let (delivery, _) = written.ended(&app).await;
        assert_eq!(delivery.state, DeliveryState::Delivered);
        let received = receiver.received(1).await;
        assert!(received.iter().all(|one| one.body == received[0].body));
    }

    async fn a_stop_waits_for_what_is_being_sent(mut app: TestApp) {
        let owner = app.owner().await;
        let (go, gate) = mpsc::channel::<()>();
        let gate = Mutex::new(gate);
        let receiver = Receiver::answering(move |_| {
            gate.lock().unwrap().recv().unwrap();
            Play::Answer(200, Vec::new())
        });
        let written = write(&app, &owner, &receiver.url()).await;
        receiver.received(1).await;
        let answer = async { go.send(()).unwrap() };
        join(app.stop(), answer).await;
        app.start_again().await;
        let (delivery, attempts) = written.look(&app).await;
        assert_eq!((delivery.state, attempts.len()), (DeliveryState::Delivered, 1));
    }
}
