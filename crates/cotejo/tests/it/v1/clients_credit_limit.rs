//! `GET|PUT /v1/clients/{client_id}/credit-limit`, and the use of a client's quota in its record

use serde_json::{Value, json};
use testkit::owner::link_bank;
use testkit::{Owner, TestApp, both_engines};

/// The use of a client's quota, as its record and the list show it alike.
async fn usage(owner: &Owner, client: &str) -> Value {
    let shown = owner.get(&format!("/v1/clients/{client}")).await.ok()["client"].clone();
    let listed = owner.get("/v1/clients").await.ok()["clients"].as_array().unwrap().clone();
    assert!(listed.contains(&shown), "{listed:?}");
    shown["usage"].clone()
}

both_engines! {
    async fn it_answers_the_record_of_the_client(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let (one, other) = (owner.client_key(&client).await, owner.client_key(&client).await);
        let bank = one.link_bank().await;
        one.verify(&bank, json!({ "bank_reference": "167890" })).await.ok();
        other.verify(&bank, json!({ "bank_reference": "267890" })).await.ok();
        let mut record = owner.set_quota(&client, json!(5)).await.ok();
        assert!(record["message"].take().is_string());
        assert_eq!(record, json!({
            "message": null,
            "month": "2026-11",
            "inherited": false,
            "monthly_credit_limit": 5,
            "consumed": 2,
            "operations": 2,
            "quota_used": 2,
            "remaining": 3,
        }));
        let record = owner.set_quota(&client, Value::Null).await.ok();
        assert_eq!((&record["consumed"], &record["remaining"]), (&json!(2), &Value::Null));
    }

    async fn it_is_shown_as_it_was_set_and_used(app: TestApp) {
        let owner = app.owner().await;
        let (client, other) = (owner.client(true).await, owner.client(true).await);
        let resets_at = "2026-12-01T04:00:00.000Z";
        let none = json!({ "used": 0, "remaining": null, "resets_at": resets_at });
        assert_eq!(usage(&owner, &client).await, none);
        let path = format!("/v1/clients/{client}/credit-limit");
        let mut set = owner.set_quota(&client, json!(2)).await.ok();
        let mut shown = owner.get(&path).await.ok();
        assert!(set["message"].take().is_string() && shown["message"].take().is_string());
        assert_eq!(shown, set);
        let key = owner.client_key(&client).await;
        let bank = key.link_bank().await;
        key.verify(&bank, json!({ "bank_reference": "167890" })).await.ok();
        let shown = owner.get(&path).await.ok();
        assert_eq!((&shown["quota_used"], &shown["remaining"]), (&json!(1), &json!(1)));
        let used = json!({ "used": 1, "remaining": 1, "resets_at": resets_at });
        assert_eq!(usage(&owner, &client).await, used);
        assert_eq!(usage(&owner, &other).await, none);
        let changed = owner.patch(&format!("/v1/clients/{client}"), json!({ "name": "Norte" })).await.ok();
        assert_eq!(changed["client"]["usage"], used);
        let before = owner.get(&format!("{path}?month=2026-10")).await.ok();
        assert_eq!((&before["month"], &before["consumed"]), (&json!("2026-10"), &json!(0)));
        owner.get(&format!("{path}?month=10")).await.refused(400, "VALIDATION_ERROR");
        owner.get("/v1/clients/nothing/credit-limit").await.refused(404, "NOT_FOUND");
    }

    async fn a_clients_person_sees_its_own_quota_and_nobody_elses(app: TestApp) {
        let owner = app.owner().await;
        let (client, other) = (owner.client(true).await, owner.client(true).await);
        owner.set_quota(&client, json!(3)).await.ok();
        let marta = owner.client_employee(&client, 1).await;
        let bank = link_bank(&marta).await;
        marta.verify(&bank, json!({ "bank_reference": "67890" })).await.ok();
        let path = format!("/v1/clients/{client}/credit-limit");
        let shown = marta.get(&path).await.ok();
        assert_eq!((&shown["monthly_credit_limit"], &shown["remaining"]), (&json!(3), &json!(2)));
        assert!(!shown.to_string().contains("999"), "nothing of the owner's credits: {shown}");
        marta.get(&format!("/v1/clients/{other}/credit-limit")).await.refused(404, "NOT_FOUND");
        marta.put(&path, json!({ "monthly_credit_limit": null })).await.refused(403, "OWNER_SESSION_REQUIRED");
        // A key is told when it has used it up.
        let key = owner.client_key(&client).await;
        key.get(&path).await.refused(403, "OWNER_SESSION_REQUIRED");
        let luis = owner.employee(2, &["clients:read"]).await;
        assert_eq!(luis.get(&path).await.ok()["remaining"], 2);
        let eva = owner.employee(3, &["integrations:read"]).await;
        eva.get(&path).await.refused(403, "FORBIDDEN");
    }

    async fn it_must_be_said_and_be_a_whole_number(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let path = format!("/v1/clients/{client}/credit-limit");
        for body in [json!({}), json!({ "monthly_credit_limit": -1 })] {
            owner.put(&path, body).await.refused(400, "VALIDATION_ERROR");
        }
    }

    async fn another_owners_client_does_not_exist(app: TestApp) {
        let (owner, stranger) = (app.owner().await, app.owner().await);
        let client = stranger.client(true).await;
        owner.set_quota(&client, json!(0)).await.refused(404, "NOT_FOUND");
        owner.set_quota("nothing", json!(0)).await.refused(404, "NOT_FOUND");
    }
}
