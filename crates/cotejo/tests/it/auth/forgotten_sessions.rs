//! What the janitor leaves of sessions that are over.

use std::time::Duration;

use domain::ids::{OwnerId, SessionId};
use domain::session::{IDLE_MAX, RETENTION, Session};
use serde_json::json;
use store::{Lane, Meter, sessions};
use testkit::{Owner, TestApp, both_engines};

const SECOND: Duration = Duration::from_secs(1);

/// Starts the service again, and waits until its janitor has looked at everything.
async fn look(app: &mut TestApp) {
    app.restart().await;
    app.clock().is_awaited(app.now().plus(SECOND)).await;
}

fn sessions(app: &TestApp) -> i64 {
    app.database().number("select count(*) from sessions")
}

/// Writes so many sessions past the service, as if the owner had signed in now.
async fn sign_in_often(app: &TestApp, owner: &Owner, count: u16) {
    let id: OwnerId = owner.id.parse().unwrap();
    let session = Session::begin(app.now());
    let job = move |tx: &mut store::tx::Tx<'_>| {
        for number in 0..count {
            let mut bytes = [0; 16];
            bytes[..2].copy_from_slice(&number.to_be_bytes());
            sessions::insert(
                tx,
                (id, None),
                SessionId::from_bytes(bytes),
                (&session, false),
                None,
            )?;
        }
        Ok(())
    };
    app.app().store.write(&Meter::default(), Lane::Admission, id, job).await.unwrap();
}

both_engines! {
    async fn one_that_ran_out_is_kept_for_a_while(mut app: TestApp) {
        let owner = app.owner().await;
        app.clock().advance(IDLE_MAX + RETENTION - SECOND);
        look(&mut app).await;
        assert_eq!(sessions(&app), 1);
        app.clock().advance(SECOND);
        look(&mut app).await;
        assert_eq!(sessions(&app), 0);
        owner.get("/me").await.refused(401, "UNAUTHORIZED");
    }

    async fn one_that_was_ended_is_forgotten_earlier_than_one_that_goes_on(mut app: TestApp) {
        let (gone, mut stays) = (app.owner().await, app.owner().await);
        gone.post("/auth/logout", json!({})).await.ok();
        app.clock().advance(RETENTION - SECOND);
        stays.sign_in_again().await;
        look(&mut app).await;
        assert_eq!(sessions(&app), 3);
        app.clock().advance(SECOND);
        look(&mut app).await;
        assert_eq!(sessions(&app), 2);
        stays.get("/me").await.ok();
    }

    async fn many_go_in_slices_until_all_are_gone(mut app: TestApp) {
        let (owner, other) = (app.owner().await, app.owner().await);
        sign_in_often(&app, &owner, 1_200).await;
        sign_in_often(&app, &other, 3).await;
        app.clock().advance(IDLE_MAX + RETENTION);
        let mut stays = app.owner().await;
        look(&mut app).await;
        assert_eq!(sessions(&app), 1);
        stays.sign_in_again().await;
    }
}
