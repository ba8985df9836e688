//! `GET /v1/audit`

use std::time::Duration;

use serde_json::{Value, json};
use testkit::{TestApp, both_engines};

const SECOND: Duration = Duration::from_secs(1);

/// What was done, the latest first.
fn actions(answer: &Value) -> Vec<&str> {
    let entries = answer["entries"].as_array().unwrap();
    entries.iter().map(|entry| entry["action"].as_str().unwrap()).collect()
}

both_engines! {
    async fn it_says_who_changed_what_and_from_where(app: TestApp) {
        let owner = app.owner().await;
        app.clock().advance(SECOND);
        let key = owner.key_with(&["payment_links"]).await;
        app.clock().advance(SECOND);
        owner.revoke(&key).await;
        let answer = owner.get("/v1/audit").await.ok();
        assert_eq!(actions(&answer)[..2], ["RevokeKey", "CreateKey"]);
        let revoked = &answer["entries"][0];
        assert_eq!(revoked["subject"], key.id);
        assert!(revoked["actor"].as_str().unwrap().starts_with("ses_"), "{revoked}");
        assert_eq!(revoked["address"], "127.0.0.1");
        assert!(!answer.to_string().contains("ck_live_"), "no secret is in it");
    }

    async fn what_a_key_changed_names_the_key(app: TestApp) {
        let owner = app.owner().await;
        app.clock().advance(SECOND);
        owner.key.delete(&format!("/usersbank/{}/to-trash", owner.bank)).await.ok();
        let answer = owner.get("/v1/audit").await.ok();
        assert_eq!(answer["entries"][0]["action"], "TrashBankAccount");
        assert_eq!(answer["entries"][0]["actor"], owner.key.id);
    }

    async fn it_is_read_in_pages_and_by_days(app: TestApp) {
        let owner = app.owner().await;
        for _ in 0..3 {
            owner.put("/v1/profile", json!({ "public_name": "Tienda" })).await.ok();
        }
        let all = owner.get("/v1/audit").await.ok();
        let second = owner.get("/v1/audit?page=2&limit=2").await.ok();
        assert_eq!(second["total"], all["total"]);
        assert_eq!(second["entries"][0], all["entries"][2]);
        assert_eq!(owner.get("/v1/audit?to=2026-11-19").await.ok()["total"], 0);
        let today = owner.get("/v1/audit?from=2026-11-20&to=2026-11-20").await.ok();
        assert_eq!(today["total"], all["total"]);
    }

    async fn nobody_reads_that_of_another_owner(app: TestApp) {
        let (owner, stranger) = (app.owner().await, app.owner().await);
        owner.put("/v1/profile", json!({ "public_name": "Tienda" })).await.ok();
        assert!(!actions(&stranger.get("/v1/audit").await.ok()).contains(&"SetProfile"));
        owner.key.get("/v1/audit").await.refused(403, "OWNER_SESSION_REQUIRED");
    }
}
