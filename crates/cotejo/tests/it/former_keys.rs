//! What opens nothing any more, and is reported to the owner where somebody shows it.

use std::time::Duration;

use app::refusals;
use serde_json::json;
use testkit::{TestApp, either_engine};

use crate::audit::refused;

const SECOND: Duration = Duration::from_secs(1);

either_engine! {
    async fn the_use_of_a_rotated_key_is_reported_to_the_owner(app: TestApp) {
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
        let entries = refused(&owner, "FormerKey").await;
        assert_eq!(entries.len(), 1, "{entries:?}");
        assert_eq!((&entries[0]["subject"], &entries[0]["times"]), (&json!(key.id), &json!(3)));
        assert_eq!((&entries[0]["actor"], &entries[0]["address"]), (&json!("nobody"), &json!("127.0.0.1")));
        assert!(!entries[0].to_string().contains("ck_live_"), "{entries:?}");
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

    async fn the_use_of_a_revoked_or_expired_key_is_reported_to_the_owner(app: TestApp) {
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
        let entries = refused(&owner, "FormerKey").await;
        let mut subjects: Vec<_> = entries.iter().map(|one| one["subject"].as_str().unwrap()).collect();
        subjects.sort_unstable();
        let mut expected = [revoked.id.as_str(), expiring.id.as_str()];
        expected.sort_unstable();
        assert_eq!(subjects, expected, "{entries:?}");
        assert!(entries.iter().all(|one| one["times"] == 2), "{entries:?}");
        // A till that goes on with it guesses no password; and a node that never knew the key reports it, too.
        app.invalidate_auth_cache().await;
        for _ in 0..20 {
            revoked.get("/me").await.refused(401, "UNAUTHORIZED");
        }
        refusals::write(app.app()).await.unwrap();
        let entries = refused(&owner, "FormerKey").await;
        assert!(entries.iter().any(|one| one["times"] == 22), "{entries:?}");
        assert_eq!(owner.get("/v1/notices").await.ok()["total"], 0);
    }
}
