//! What opens nothing any more, and is reported to the owner where somebody shows it.

use std::time::Duration;

use app::refusals;
use serde_json::json;
use testkit::{TestApp, both_engines};

use crate::audit::refused;

const SECOND: Duration = Duration::from_secs(1);

both_engines! {
    async fn the_use_of_a_key_that_was_rotated_is_told_to_the_owner(app: TestApp) {
        let owner = app.owner().await;
        let key = owner.key_with(&["payment_links"]).await;
        let rotate = async || {
            let path = format!("/v1/api-keys/{}/rotate", key.id);
            owner.issued(&owner.post(&path, json!({})).await.ok()["api_key"])
        };
        let ways = || app.database().number("select count(*) from locators where kind = 1");
        let before = ways();
        let second = rotate().await;
        for _ in 0..3 {
            key.get("/me").await.refused(401, "UNAUTHORIZED");
        }
        second.get("/me").await.ok();
        refusals::write(app.app()).await.unwrap();
        let told = refused(&owner, "FormerKey").await;
        assert_eq!(told.len(), 1, "{told:?}");
        assert_eq!((&told[0]["subject"], &told[0]["times"]), (&json!(key.id), &json!(3)));
        assert_eq!((&told[0]["actor"], &told[0]["address"]), (&json!("nobody"), &json!("127.0.0.1")));
        assert!(!told[0].to_string().contains("ck_live_"), "{told:?}");
        // Of the texts before the last one nothing is kept, however often a key is rotated.
        rotate().await;
        key.get("/me").await.refused(401, "UNAUTHORIZED");
        second.get("/me").await.refused(401, "UNAUTHORIZED");
        refusals::write(app.app()).await.unwrap();
        assert_eq!(refused(&owner, "FormerKey").await[0]["times"], 4);
        assert_eq!(ways(), before + 1);
        // What was never a key's is nobody's.
        let unknown = owner.with_bearer("ck_live_00000000000000000000000000000000000000");
        unknown.get("/me").await.refused(401, "UNAUTHORIZED");
        refusals::write(app.app()).await.unwrap();
        assert_eq!(refused(&owner, "FormerKey").await.len(), 1);
    }

    async fn the_use_of_a_key_that_is_over_is_told_to_the_owner(app: TestApp) {
        let owner = app.owner().await;
        let (revoked, key) = (owner.key_with(&[]).await, owner.key_with(&["payment_links"]).await);
        owner.revoke(&revoked).await;
        let ends = app.now().plus(SECOND).to_string();
        let expiring = owner.issue(json!({ "name": "feria", "expires_at": ends })).await;
        expiring.get("/me").await.ok();
        app.clock().advance(SECOND);
        for _ in 0..2 {
            for over in [&revoked, &expiring] {
                over.get("/me").await.refused(401, "UNAUTHORIZED");
            }
            key.get("/me").await.ok();
        }
        refusals::write(app.app()).await.unwrap();
        let told = refused(&owner, "FormerKey").await;
        let mut subjects: Vec<_> = told.iter().map(|one| one["subject"].as_str().unwrap()).collect();
        subjects.sort_unstable();
        let mut expected = [revoked.id.as_str(), expiring.id.as_str()];
        expected.sort_unstable();
        assert_eq!(subjects, expected, "{told:?}");
        assert!(told.iter().all(|one| one["times"] == 2), "{told:?}");
        // A till that goes on with it guesses no password; and a node that never knew the key reports it, too.
        app.invalidate_auth_cache().await;
        for _ in 0..20 {
            revoked.get("/me").await.refused(401, "UNAUTHORIZED");
        }
        refusals::write(app.app()).await.unwrap();
        let told = refused(&owner, "FormerKey").await;
        assert!(told.iter().any(|one| one["times"] == 22), "{told:?}");
        assert_eq!(owner.get("/v1/notices").await.ok()["total"], 0);
    }
}
