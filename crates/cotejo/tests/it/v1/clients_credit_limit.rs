//! `PUT /v1/clients/{client_id}/credit-limit`

use serde_json::{Value, json};
use testkit::{TestApp, both_engines};

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
