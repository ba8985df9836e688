//! `POST /v1/api-keys/default/rotate`

use std::time::Duration;

use serde_json::{Value, json};
use testkit::http::Response;
use testkit::{Owner, TestApp, either_engine};

const PATH: &str = "/v1/api-keys/default/rotate";

/// Rotates with an `Idempotency-Key` that is always the same.
async fn rotate_once(owner: &Owner, body: Value) -> Response {
    let call = owner.request("POST", PATH).header("Idempotency-Key", "once");
    call.json(&body).send().await
}

either_engine! {
    async fn only_the_text_and_the_time_of_change_are_new(app: TestApp) {
        let owner = app.owner().await;
        owner.set_limit(&owner.key, json!(7)).await.ok();
        let shown = format!("/api-keys/{}", owner.key.id);
        let before = owner.get(&shown).await.ok()["api_key"].clone();
        app.clock().advance(Duration::from_secs(60));
        let answer = owner.post(PATH, json!({})).await.ok();
        let rotated = owner.issued(&answer["api_key"]);
        assert_ne!(rotated.text, owner.key.text);

        let mut expected = before.clone();
        expected["api_key"] = json!(rotated.text);
        expected["updated_at"] = json!("2026-11-20T12:01:00.000Z");
        // The operator made it, and whoever gets its text is its issuer.
        assert_eq!(expected["issued_by"], json!({ "kind": "operator", "id": null }));
        expected["issued_by"] = json!({ "kind": "owner", "id": null });
        expected["issued_at"] = expected["updated_at"].clone();
        assert_eq!(answer["api_key"], expected);
        owner.key.get("/me").await.refused(401, "UNAUTHORIZED");
        rotated.get("/me").await.ok();
        // No key was made or deleted.
        let listed = owner.get("/me/api-keys").await.ok();
        assert_eq!(listed["api_keys"].as_array().unwrap().len(), 1);
    }

    async fn consumption_and_limit_are_kept(app: TestApp) {
        let owner = app.owner().await;
        owner.set_limit(&owner.key, json!(1)).await.ok();
        owner.key.verify(&owner.bank, json!({ "bank_reference": "167890" })).await.ok();
        let rotated = owner.issued(&owner.post(PATH, json!({})).await.ok()["api_key"]);
        let answer = rotated.verify(&owner.bank, json!({ "bank_reference": "267890" })).await;
        answer.refused(403, "API_KEY_MONTHLY_CREDIT_LIMIT_EXCEEDED");
        assert_eq!(owner.limit_of(&owner.key).await["consumed"], 1);
    }

    async fn a_key_that_is_switched_off_stays_so(app: TestApp) {
        let owner = app.owner().await;
        owner.deactivate(&owner.key).await;
        let rotated = owner.issued(&owner.post(PATH, json!({})).await.ok()["api_key"]);
        rotated.get("/me").await.refused(403, "API_KEY_IS_NOT_ACTIVE");
        owner.key.get("/me").await.refused(401, "UNAUTHORIZED");
    }

    async fn the_same_call_again_rotates_nothing_and_reveals_no_secret(app: TestApp) {
        let mut owner = app.owner().await;
        let rotated = owner.issued(&rotate_once(&owner, json!({})).await.ok()["api_key"]);
        let body = rotate_once(&owner, json!({})).await.refused(409, "CONFLICT");
        assert_eq!(body["facts"]["id"], *owner.key.id);
        rotate_once(&owner, json!({ "else": 1 })).await.refused(422, "IDEMPOTENCY_KEY_REUSED");
        // What the first call answered is good, and still the only one.
        rotated.get("/me").await.ok();
        owner.key.get("/me").await.refused(401, "UNAUTHORIZED");
        app.clock().advance(Duration::from_secs(24 * 60 * 60 + 1));
        owner.sign_in_again().await;
        rotate_once(&owner, json!({})).await.ok();
        rotated.get("/me").await.refused(401, "UNAUTHORIZED");
    }

    async fn every_text_but_the_last_is_over(app: TestApp) {
        let owner = app.owner().await;
        let mut texts = vec![owner.key.clone()];
        for _ in 0..3 {
            let answer = owner.request("POST", PATH).send().await.ok();
            texts.push(owner.issued(&answer["api_key"]));
        }
        let last = texts.pop().unwrap();
        last.get("/me").await.ok();
        for key in texts {
            key.get("/me").await.refused(401, "UNAUTHORIZED");
        }
    }
}
