//! The store is away as an attempt ends, and comes back or not.

use std::sync::Mutex;
use std::sync::mpsc::{Sender, channel};

use delivery::{LEASE, RECORD_RETRY_DELAY};
use domain::webhooks::DeliveryState;
use testkit::database::Database;
use testkit::receiver::Receiver;
use testkit::scripted::Play;
use testkit::{TestApp, both_engines};

use super::write;

/// No attempt can be kept that was answered so.
fn take_away(app: &TestApp, status: u16) {
    let from = "create trigger away before insert on webhook_attempts for each row";
    app.database().execute(&match app.database() {
        Database::Sqlite(_) => {
            format!("{from} when new.status = {status} begin select raise(abort, 'away'); end")
        }
        // As a server says it that has no memory left.
        Database::Postgres(_) => format!(
            "create function away() returns trigger language plpgsql as \
             'begin raise exception using errcode = ''53200''; end'; \
             {from} when (new.status = {status}) execute function away()"
        ),
    });
}

fn bring_back(app: &TestApp) {
    app.database().execute(match app.database() {
        Database::Sqlite(_) => "drop trigger away",
        Database::Postgres(_) => "drop function away cascade",
    });
}

/// A receiver that answers only when it is released.
fn held() -> (Receiver, Sender<()>) {
    let (go, gate) = channel();
    let gate = Mutex::new(gate);
    let receiver = Receiver::answering(move |_| {
        gate.lock().unwrap().recv().unwrap();
        Play::Answer(200, Vec::new())
    });
    (receiver, go)
}

both_engines! {
    async fn what_came_of_an_attempt_is_kept_when_the_store_is_back(app: TestApp) {
        let owner = app.owner().await;
        let (receiver, go) = held();
        let written = write(&app, &owner, &receiver.url()).await;
        receiver.received(1).await;
        take_away(&app, 200);
        go.send(()).unwrap();
        for _ in 0..3 {
            // It could not be kept, and is going to be tried again.
            app.clock().is_awaited(app.now().plus(RECORD_RETRY_DELAY)).await;
            assert_eq!(written.look(&app).await.1.len(), 0);
            app.clock().advance(RECORD_RETRY_DELAY);
        }
        app.clock().is_awaited(app.now().plus(RECORD_RETRY_DELAY)).await;
        bring_back(&app);
        // With a clock that goes on: others sleep as long, so that one more try may begin its pause only now.
        let (delivery, attempts) = app.clock().flow(written.ended(&app)).await;
        assert_eq!((delivery.state, attempts.len()), (DeliveryState::Delivered, 1));
        // And nobody finds it due when its lease is over.
        app.settle().await;
        app.clock().advance(LEASE);
        app.app().webhooks.ring();
        let other = write(&app, &owner, &Receiver::with_status(200).url()).await;
        // With a clock that goes on, so that looks come after looks.
        app.clock().flow(other.ended(&app)).await;
        assert_eq!(receiver.requests(), 1);
    }

    async fn one_that_cannot_be_kept_holds_up_no_other(app: TestApp) {
        let owner = app.owner().await;
        let (broken, well) = (Receiver::with_status(201), Receiver::with_status(200));
        take_away(&app, 201);
        let lost = write(&app, &owner, &broken.url()).await;
        app.clock().is_awaited(app.now().plus(RECORD_RETRY_DELAY)).await;
        let others = [write(&app, &owner, &well.url()).await, write(&app, &owner, &well.url()).await];
        well.received(others.len()).await;
        for other in others {
            while other.look(&app).await.0.state == DeliveryState::Pending {
                app.clock().is_awaited(app.now().plus(RECORD_RETRY_DELAY)).await;
                app.clock().advance(RECORD_RETRY_DELAY);
            }
        }
        assert!(app.now() < lost.look(&app).await.0.created_at.plus(LEASE));
        assert_eq!(lost.look(&app).await.1.len(), 0);
        app.clock().is_awaited(app.now().plus(RECORD_RETRY_DELAY)).await;
        bring_back(&app);
        app.clock().advance(RECORD_RETRY_DELAY);
        let (delivery, attempts) = lost.ended(&app).await;
        assert_eq!((delivery.state, attempts.len()), (DeliveryState::Delivered, 1));
        assert_eq!(broken.requests(), 1);
    }

    async fn what_cannot_be_kept_while_its_lease_holds_is_received_again(app: TestApp) {
        let owner = app.owner().await;
        let receiver = Receiver::with_status(200);
        take_away(&app, 200);
        let began_at = app.now();
        let written = write(&app, &owner, &receiver.url()).await;
        while app.now() < began_at.plus(LEASE) {
            app.clock().is_awaited(app.now().plus(RECORD_RETRY_DELAY)).await;
            app.clock().advance(RECORD_RETRY_DELAY);
        }
        app.app().webhooks.ring();
        // Until then: what is kept late, while nobody else has it, is kept all the same.
        let received = app.clock().flow(receiver.received(2)).await;
        bring_back(&app);
        let (delivery, attempts) = app.clock().flow(written.ended(&app)).await;
        assert_eq!((delivery.state, attempts.len()), (DeliveryState::Delivered, 1));
        let said: Vec<_> = received.iter().map(|one| one.header("x-service-may-repeat")).collect();
        assert_eq!(said, [Some("false"), Some("true")]);
    }

    async fn a_stop_waits_for_the_store_to_be_back(mut app: TestApp) {
        let owner = app.owner().await;
        let receiver = Receiver::with_status(200);
        take_away(&app, 200);
        let written = write(&app, &owner, &receiver.url()).await;
        app.clock().is_awaited(app.now().plus(RECORD_RETRY_DELAY)).await;
        bring_back(&app);
        let clock = app.clock().clone();
        clock.flow(app.stop()).await;
        app.start_again().await;
        let (delivery, attempts) = written.look(&app).await;
        assert_eq!((delivery.state, attempts.len()), (DeliveryState::Delivered, 1));
        assert_eq!(receiver.requests(), 1);
    }
}
