//! `GET|PUT /v1/api-keys/{api_key_id}/credit-limit`

use serde_json::{Value, json};
use testkit::{Key, TestApp, both_engines};

fn path(key: &Key) -> String {
    format!("/v1/api-keys/{}/credit-limit", key.id)
}

both_engines! {
    async fn the_record_shows_the_limit_and_its_use(app: TestApp) {
        let owner = app.owner().await;
        let mut record = owner.set_limit(&owner.key, json!(10.0)).await.ok();
        assert!(record["message"].take().is_string());
        let mut expected = json!({
            "message": null,
            "month": "2026-11",
            "inherited": false,
            "monthly_credit_limit": 10,
            "consumed": 0,
            "operations": 0,
            "quota_used": 0,
            "remaining": 10,
        });
        assert_eq!(record, expected);

        owner.key.verify(&owner.bank, json!({ "bank_reference": "67890" })).await.ok();
        let mut record = owner.limit_of(&owner.key).await;
        record["message"].take();
        for field in ["consumed", "operations", "quota_used"] {
            expected[field] = json!(1);
        }
        expected["remaining"] = json!(9);
        assert_eq!(record, expected);
    }

    async fn without_a_limit_no_remainder_is_shown(app: TestApp) {
        let owner = app.owner().await;
        owner.key.verify(&owner.bank, json!({ "bank_reference": "67890" })).await.ok();
        let record = owner.set_limit(&owner.key, Value::Null).await.ok();
        assert_eq!(record["monthly_credit_limit"], Value::Null);
        assert_eq!(record["remaining"], Value::Null);
        assert_eq!(record["consumed"], 1);
        // Lowered below what was used, nothing is left, and never less than nothing.
        let record = owner.set_limit(&owner.key, json!(0)).await.ok();
        assert_eq!((&record["remaining"], &record["consumed"]), (&json!(0), &json!(1)));
    }

    async fn other_months_have_their_own_use_under_the_limit_of_now(app: TestApp) {
        let owner = app.owner().await;
        owner.set_limit(&owner.key, json!(10)).await.ok();
        owner.key.verify(&owner.bank, json!({ "bank_reference": "67890" })).await.ok();
        let record = owner.get(&format!("{}?month=2026-10", path(&owner.key))).await.ok();
        assert_eq!(record["month"], "2026-10");
        assert_eq!(record["monthly_credit_limit"], 10);
        assert_eq!((&record["consumed"], &record["remaining"]), (&json!(0), &json!(10)));
        for month in ["", "2026", "2026-13", "2026-1", "november", "2026-11-01"] {
            let answer = owner.get(&format!("{}?month={month}", path(&owner.key))).await;
            let body = answer.refused(400, "VALIDATION_ERROR");
            assert_eq!(body["details"][0]["field"], "month");
        }
    }

    async fn a_clients_key_shows_the_quota_and_cannot_override_it(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let key = owner.client_key(&client).await;
        owner.set_limit(&key, json!(5)).await.refused(409, "CREDIT_LIMIT_INHERITED");
        owner.set_quota(&client, json!(3)).await.ok();
        let record = owner.limit_of(&key).await;
        assert_eq!(record["inherited"], true);
        assert_eq!(record["monthly_credit_limit"], 3);
    }

    async fn the_limit_must_be_said_and_be_a_whole_number(app: TestApp) {
        let owner = app.owner().await;
        owner.set_limit(&owner.key, json!(4)).await.ok();
        for body in [
            json!({}),
            json!({ "limit": 1 }),
            json!({ "monthly_credit_limit": -1 }),
            json!({ "monthly_credit_limit": 1.5 }),
            json!({ "monthly_credit_limit": "1" }),
            json!({ "monthly_credit_limit": true }),
            json!({ "monthly_credit_limit": 1e30 }),
        ] {
            let answer = owner.put(&path(&owner.key), body).await;
            let body = answer.refused(400, "VALIDATION_ERROR");
            assert_eq!(body["details"][0]["field"], "monthly_credit_limit");
        }
        assert_eq!(owner.limit_of(&owner.key).await["monthly_credit_limit"], 4);
    }

    async fn another_owners_key_does_not_exist(app: TestApp) {
        let (owner, stranger) = (app.owner().await, app.owner().await);
        owner.get(&path(&stranger.key)).await.refused(404, "NOT_FOUND");
        owner.set_limit(&stranger.key, json!(0)).await.refused(404, "NOT_FOUND");
        owner.get("/v1/api-keys/nothing/credit-limit").await.refused(404, "NOT_FOUND");
        let of_stranger = stranger.limit_of(&stranger.key).await;
        assert_eq!(of_stranger["monthly_credit_limit"], Value::Null);
    }
}
