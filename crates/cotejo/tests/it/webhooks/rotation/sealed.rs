//! What is kept of two secrets, and what nobody can do with it.

use app::{Meter, webhook_secrets};
use domain::webhooks::DeliveryState;
use serde_json::json;
use testkit::{Owner, TestApp, either_engine};

use super::super::{secret, write};
use super::{PATH, assert_signed, knowing, rotate};

async fn opens(app: &TestApp, owner: &Owner) -> bool {
    let owner = owner.id.parse().unwrap();
    webhook_secrets::of(app.app(), &Meter::default(), owner).await.is_ok()
}

either_engine! {
    async fn what_is_kept_of_either_opens_in_its_own_place_alone(app: TestApp) {
        let (owner, other) = (app.owner().await, app.owner().await);
        for one in [&owner, &other] {
            secret(one).await;
            rotate(one, 24).await;
            assert!(opens(&app, one).await);
        }
        let readable = "select count(*) from webhook_secrets \
                        where length(previous) < 80 or previous = secret";
        assert_eq!(app.database().number(readable), 0);
        for tampering in [
            // The one for the other, and another owner's.
            "update webhook_secrets set previous = secret",
            "update webhook_secrets set previous = \
             (select previous from webhook_secrets order by owner_id asc limit 1)",
            "update webhook_secrets set previous = secret, secret = previous",
        ] {
            app.database().execute(tampering);
            let opened = [opens(&app, &owner).await, opens(&app, &other).await];
            assert!(opened != [true, true], "{tampering}");
            for one in [&owner, &other] {
                rotate(one, 0).await;
                assert!(opens(&app, one).await, "rotating without an overlap puts it right");
                rotate(one, 24).await;
            }
        }
    }

    async fn what_does_not_open_is_not_carried_over(app: TestApp) {
        let owner = app.owner().await;
        secret(&owner).await;
        app.database().execute("update webhook_secrets set secret = owner_id");
        let answer = owner.post(PATH, json!({ "overlap_hours": 24 })).await;
        answer.refused(500, "INTERNAL_SERVER_ERROR");
        let new = rotate(&owner, 0).await;
        let receiver = knowing(&[&*new]);
        let written = write(&app, &owner, &receiver.base_url()).await;
        assert_eq!(written.ended(&app).await.0.state, DeliveryState::Delivered);
        assert_signed(&receiver.asked()[0], &new, 1);
    }
}
