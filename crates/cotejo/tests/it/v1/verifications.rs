//! `GET /v1/verifications/{verification_id}`

use serde_json::{Value, json};
use testkit::{Owner, TestApp, both_engines};

use crate::slow_bank::{SLOW_REFERENCE, about, finish, time_out};

/// The path of a verification that its caller was asked to look after.
async fn open(app: &TestApp, owner: &Owner, bank: &str) -> String {
    format!("/v1/verifications/{}", time_out(app, &owner.key, bank, SLOW_REFERENCE).await)
}

both_engines! {
    async fn it_shows_how_far_it_is(app: TestApp) {
        let owner = app.owner().await;
        let path = open(&app, &owner, &owner.bank).await;
        let mut expected = json!({
            "id": path.rsplit('/').next().unwrap(),
            "user_bank_id": owner.bank,
            "status": "asking",
            "error_code": null,
            "credit_cost": 0,
            "created_at": "2026-11-20T12:00:00.000Z",
            "ended_at": null,
            "user_bank_payment": null,
            "livemode": false,
        });
        assert_eq!(owner.key.get(&path).await.ok()["verification"], expected);

        finish(&app).await;
        let shown = owner.key.get(&path).await.ok();
        let payment = &shown["verification"]["user_bank_payment"];
        expected["status"] = json!("confirmed");
        expected["credit_cost"] = json!(1);
        expected["ended_at"] = json!("2026-11-20T12:00:15.000Z");
        assert_eq!(payment["created_at"], "2026-11-20T12:00:15.000Z");
        assert_eq!((&payment["bank_reference_id"], &payment["credit_cost"]), (&json!(SLOW_REFERENCE), &json!(1)));
        expected["user_bank_payment"] = payment.clone();
        assert_eq!(shown["verification"], expected);
        // Looking at it is not a report: the next call has the first report.
        let answer = owner.key.verify(&owner.bank, about(SLOW_REFERENCE)).await.ok();
        assert_eq!(answer["data"]["is_new"], true);
        assert_eq!(&answer["data"]["user_bank_payment"], payment);
    }

    async fn it_is_shown_to_who_reaches_its_account(app: TestApp) {
        let (owner, stranger) = (app.owner().await, app.owner().await);
        let client = owner.client(true).await;
        let of_client = owner.client_key(&client).await;
        let other = owner.key.link_bank().await;
        let limited = owner.key_for(&[&other]).await;
        let path = open(&app, &owner, &owner.bank).await;
        for caller in [&*owner, &*owner.key, &*owner.key_with(&["payment_verifications"]).await] {
            caller.get(&path).await.ok();
        }
        for caller in [&*stranger, &*stranger.key, &*of_client, &*limited] {
            caller.get(&path).await.refused(404, "NOT_FOUND");
        }
        finish(&app).await;
        limited.get(&open(&app, &owner, &other).await).await.ok();
        finish(&app).await;
    }

    async fn an_unknown_one_does_not_exist(app: TestApp) {
        let owner = app.owner().await;
        for id in ["ver_00000000000000000000000000", "nothing", &owner.bank] {
            let answer = owner.key.get(&format!("/v1/verifications/{id}")).await;
            let body = answer.refused(404, "NOT_FOUND");
            assert_eq!(body.get("facts"), None::<&Value>);
        }
    }
}
