//! How long contents are kept, and what stays.

use domain::webhooks::{ATTEMPTS_MAX, DeliveryState};
use testkit::receiver::Receiver;
use testkit::{TestApp, both_engines};

use super::export::{export, verify};
use super::{DAY, found, go_on, next_day, received_on_retry, work_until};
use crate::webhooks::feed::feed;
use crate::webhooks::write;

/// Deliveries whose contents were deleted.
const PRUNED: &str = "select count(*) from webhook_deliveries where pruned_at is not null";

/// Rows that have any contents.
const FULL: &str = "select (select count(*) from webhook_deliveries \
                    where length(body) > 0 or length(url) > 0) + (select count(*) from \
                    webhook_attempts where sent is not null or answer_head is not null \
                    or length(answer) > 0)";

both_engines! {
    async fn contents_go_after_their_time_and_the_proof_stays(app: TestApp) {
        let owner = app.owner().await;
        let written = received_on_retry(&app, &owner).await;
        next_day(&app, 1).await;
        assert_eq!((app.database().number(PRUNED), app.database().number(FULL)), (0, 3));
        app.clock().advance(DAY * 90);
        work_until(&app, PRUNED, 1).await;
        assert_eq!(app.database().number(FULL), 0);

        let found = found(&app).await;
        assert_eq!((found.pruned, found.attempts, found.differences), (1, 2, Vec::new()));
        let (delivery, attempts) = written.look(&app).await;
        assert!(delivery.pruned_at.is_some());
        assert_eq!((delivery.state, attempts[1].status), (DeliveryState::Delivered, Some(200)));
        let proof = export(&app, written);
        assert!(proof["event"]["body_base64"].is_null());
        assert!(verify(&proof).is_some(), "{proof}");
    }

    async fn the_feed_shows_what_is_left(app: TestApp) {
        let mut owner = app.owner().await;
        let written = received_on_retry(&app, &owner).await;
        let before = feed(&owner, "").await["events"][0].clone();
        assert!(before["body"].is_string());
        next_day(&app, 1).await;
        app.clock().advance(DAY * 90);
        work_until(&app, PRUNED, 1).await;
        owner.sign_in_again().await;
        let after = feed(&owner, "").await["events"][0].clone();
        assert_eq!((&after["id"], &after["body"]), (&before["id"], &serde_json::Value::Null));
        assert_eq!(after["id"], written.id.to_string());
        assert_eq!((&after["body_sha256"], &after["state"]), (&before["body_sha256"], &before["state"]));
        assert!(after["contents_deleted_at"].is_string(), "{after}");
    }

    async fn what_is_still_to_be_sent_is_passed_over_until_it_ends(app: TestApp) {
        let owner = app.owner().await;
        let receiver = Receiver::with_status(500);
        let open = write(&app, &owner, &receiver.url()).await;
        open.tried(&app, 1).await;
        // Not due before the others have had their time.
        app.database().execute(&format!(
            "update due set due_at = {} where kind = 2",
            app.now().plus(DAY * 92).as_micros()
        ));
        let well = Receiver::with_status(200);
        let done = write(&app, &owner, &well.url()).await;
        done.ended(&app).await;
        app.clock().advance(DAY * 91);
        work_until(&app, PRUNED, 1).await;
        assert!(done.look(&app).await.0.pruned_at.is_some());
        let (delivery, attempts) = open.look(&app).await;
        assert_eq!((delivery.pruned_at, delivery.event.url), (None, receiver.url()));
        assert!(attempts[0].sent.is_some());

        for number in 2..=ATTEMPTS_MAX as usize {
            go_on(&app);
            open.tried(&app, number).await;
        }
        assert_eq!(open.ended(&app).await.0.state, DeliveryState::Exhausted);
        app.clock().advance(DAY);
        work_until(&app, PRUNED, 2).await;
        assert_eq!(found(&app).await.differences, []);
    }
}
