//! One receiver holds up nobody but itself.

use delivery::{
    NOT_QUICK_MAX, NOT_QUICK_OF_ONE_OWNER_MAX as MOST, OF_ONE_OWNER_TO_ONE_RECEIVER_MAX as PLACES,
};
use domain::webhooks::DeliveryState;
use testkit::receiver::Receiver;
use testkit::scripted::Play;
use testkit::{TestApp, both_engines};

use tokio::task::yield_now;

use super::write;

both_engines! {
    async fn a_dead_receiver_holds_up_nobody_else(app: TestApp) {
        let (first, second) = (app.owner().await, app.owner().await);
        let dead = Receiver::answering(|_| Play::Silence);
        for _ in 0..PLACES + 4 {
            write(&app, &first, &dead.url()).await;
        }
        dead.received(PLACES).await;
        // Another of the same owner, and another owner.
        let (well, other) = (Receiver::with_status(200), Receiver::with_status(200));
        for (owner, receiver) in [(&first, &well), (&second, &other), (&first, &other)] {
            let written = write(&app, owner, &receiver.url()).await;
            let (delivery, _) = written.ended(&app).await;
            assert_eq!(delivery.state, DeliveryState::Delivered);
        }
        assert_eq!(dead.connections(), PLACES, "it has its places and no more");
    }

    async fn dead_receivers_of_many_owners_leave_slots_to_a_quick_one(app: TestApp) {
        let (owner, quick) = (app.owner().await, Receiver::with_status(200));
        write(&app, &owner, &quick.url()).await.ended(&app).await;
        // Each has as many as it may, until those that nobody knows have all that they may.
        let (mut dead, mut taken) = (Vec::new(), 0);
        while taken < NOT_QUICK_MAX {
            let (hostile, before) = (app.owner().await, dead.len());
            for _ in 0..MOST / PLACES {
                let silent = Receiver::answering(|_| Play::Silence);
                for _ in 0..PLACES {
                    write(&app, &hostile, &silent.url()).await;
                }
                dead.push(silent);
            }
            let mine = MOST.min((NOT_QUICK_MAX - taken).div_ceil(2));
            while dead[before..].iter().map(Receiver::connections).sum::<usize>() < mine {
                yield_now().await;
            }
            taken += mine;
        }
        for _ in 0..PLACES {
            let written = write(&app, &owner, &quick.url()).await;
            let (delivery, _) = written.ended(&app).await;
            assert_eq!(delivery.state, DeliveryState::Delivered);
        }
        let connections: usize = dead.iter().map(Receiver::connections).sum();
        assert_eq!(connections, NOT_QUICK_MAX);
    }

    async fn those_that_wait_for_a_place_get_one(app: TestApp) {
        let owner = app.owner().await;
        let receiver = Receiver::with_status(200);
        let mut written = Vec::new();
        for _ in 0..PLACES * 4 {
            written.push(write(&app, &owner, &receiver.url()).await);
        }
        for one in written {
            assert_eq!(one.ended(&app).await.0.state, DeliveryState::Delivered);
        }
        assert_eq!(receiver.received(1).await.len(), PLACES * 4);
    }
}
