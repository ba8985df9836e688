//! `PATCH` and `DELETE /v1/api-keys/{api_key_id}`, `POST /v1/api-keys/{api_key_id}/rotate`, and keys that end by
//! themselves.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::http::Response;
use testkit::owner::Key;
use testkit::{Owner, TestApp, either_engine};

async fn change(owner: &Owner, key: &Key, body: Value) -> Response {
    owner.patch(&format!("/v1/api-keys/{}", key.id), body).await
}

async fn revoke(owner: &Owner, key: &Key) -> Response {
    owner.delete(&format!("/v1/api-keys/{}", key.id)).await
}

async fn rotate(owner: &Owner, key: &Key) -> Response {
    owner.post(&format!("/v1/api-keys/{}/rotate", key.id), json!({})).await
}

async fn record(owner: &Owner, key: &Key) -> Value {
    owner.get(&format!("/api-keys/{}", key.id)).await.ok()["api_key"].clone()
}

either_engine! {
    async fn what_changes_nothing_leaves_no_line_in_the_audit_trail(app: TestApp) {
        let owner = app.owner().await;
        let key = owner.key_with(&["payment_links"]).await;
        let client = owner.client(true).await;
        let (of_key, of_client) =
            (format!("/v1/api-keys/{}", key.id), format!("/v1/clients/{client}"));
        app.clock().advance(Duration::from_secs(60));
        let lines = "select count(*) from audit where action in ('ChangeKey', 'ChangeClient')";
        for (path, kind, name) in [(of_key, "api_key", "caja"), (of_client, "client", "Sucursal")] {
            let body = json!({ "name": name, "is_active": true });
            let record = owner.patch(&path, body).await.ok()[kind].clone();
            assert_eq!(record["updated_at"], record["created_at"], "{record}");
            assert_eq!(app.database().number(lines), 0, "{kind}");
        }
        owner.patch(&format!("/v1/clients/{client}"), json!({ "name": "Este" })).await.ok();
        assert_eq!(app.database().number(lines), 1);
    }

    async fn what_is_named_changes_and_the_rest_stays(app: TestApp) {
        let owner = app.owner().await;
        let key = owner.key_with(&["payment_links"]).await;
        let mut expected = record(&owner, &key).await;
        app.clock().advance(Duration::from_secs(60));
        expected["updated_at"] = json!("2026-11-20T12:01:00.000Z");
        for (field, value) in [
            ("name", json!("caja 2")),
            ("permissions", json!(["payment_verifications", "movements"])),
            ("expires_at", json!("2026-12-31T04:00:00.000Z")),
            ("expires_at", json!(null)),
            ("is_active", json!(false)),
        ] {
            expected[field] = value.clone();
            let answer = change(&owner, &key, json!({ field: value })).await.ok();
            assert_eq!(answer["api_key"], expected, "{field}");
        }
        assert_eq!(record(&owner, &key).await, expected);
        let answer = change(&owner, &key, json!({ "name": null, "is_active": false })).await.ok();
        assert_eq!(answer["api_key"], expected, "null is absent");
    }

    async fn a_key_does_what_it_may_now(app: TestApp) {
        let owner = app.owner().await;
        let key = owner.key_with(&[]).await;
        let verify = async || key.verify(&owner.bank, json!({ "bank_reference": "67890" })).await;
        verify().await.refused(403, "PERMISSIONS_NOT_CONFIGURED");
        change(&owner, &key, json!({ "permissions": ["payment_verifications"] })).await.ok();
        verify().await.ok();
        change(&owner, &key, json!({ "permissions": ["payment_links"] })).await.ok();
        verify().await.refused(403, "FORBIDDEN");
        change(&owner, &key, json!({ "is_active": false })).await.ok();
        verify().await.refused(403, "API_KEY_IS_NOT_ACTIVE");
        let back = json!({ "is_active": true, "permissions": ["payment_verifications"] });
        change(&owner, &key, back).await.ok();
        verify().await.ok();
    }

    async fn a_key_ends_at_the_instant_that_was_set(app: TestApp) {
        let owner = app.owner().await;
        let body = json!({ "name": "feria", "expires_at": "2026-11-20T12:01:00Z" });
        let key = owner.issue(body).await;
        assert_eq!(record(&owner, &key).await["expires_at"], "2026-11-20T12:01:00.000Z");
        app.clock().advance(Duration::from_millis(59_999));
        key.get("/me").await.ok();
        app.clock().advance(Duration::from_millis(1));
        key.get("/me").await.refused(401, "UNAUTHORIZED");
        // Its owner sees it still, and can give it more time, not less than none.
        change(&owner, &key, json!({ "expires_at": "2026-11-20T12:01:00Z" })).await
            .refused(400, "VALIDATION_ERROR");
        change(&owner, &key, json!({ "expires_at": "2026-11-20T09:00:00-04:00" })).await.ok();
        key.get("/me").await.ok();
        for expires_at in ["2026-11-20T11:00:00Z", "tomorrow", ""] {
            let body = json!({ "name": "feria", "expires_at": expires_at });
            owner.post("/auth/api-key", body).await.refused(400, "VALIDATION_ERROR");
        }
    }

    async fn a_key_issues_none_that_outlives_it(app: TestApp) {
        let owner = app.owner().await;
        let body = json!({
            "name": "sistema", "permissions": ["api_keys"], "expires_at": "2026-11-30T00:00:00Z",
        });
        let issuer = owner.issue(body).await;
        let body = json!({ "name": "caja", "expires_at": "2026-11-30T00:00:01Z" });
        issuer.post("/auth/api-key", body).await.refused(400, "VALIDATION_ERROR");
        let made = issuer.post("/auth/api-key", json!({ "name": "caja" })).await.ok();
        assert_eq!(made["api_key"]["expires_at"], "2026-11-30T00:00:00.000Z");
        let body = json!({ "name": "caja", "expires_at": "2026-11-29T00:00:00Z" });
        let made = issuer.post("/auth/api-key", body).await.ok();
        assert_eq!(made["api_key"]["expires_at"], "2026-11-29T00:00:00.000Z");
    }

    async fn what_is_wrong_is_reported_and_changes_nothing(app: TestApp) {
        let (owner, stranger) = (app.owner().await, app.owner().await);
        let key = owner.key_with(&["payment_links"]).await;
        let before = record(&owner, &key).await;
        let all = json!({
            "name": "", "is_active": 1, "permissions": "payment_links", "expires_at": 5,
        });
        let body = change(&owner, &key, all).await.refused(400, "VALIDATION_ERROR");
        assert_eq!(body["details"].as_array().unwrap().len(), 4, "{body}");
        for name in ["x".repeat(121), "caja\u{7}".to_owned(), "a\u{0}b".to_owned()] {
            change(&owner, &key, json!({ "name": name })).await.refused(400, "VALIDATION_ERROR");
        }
        let old = json!({ "permissions": ["verify_payments"] });
        let body = change(&owner, &key, old).await.refused(400, "UNKNOWN_PERMISSION");
        assert_eq!(body["facts"]["permission"], "payment_verifications");
        change(&stranger, &key, json!({ "name": "mía" })).await.refused(404, "NOT_FOUND");
        revoke(&stranger, &key).await.refused(404, "NOT_FOUND");
        rotate(&stranger, &key).await.refused(404, "NOT_FOUND");
        assert_eq!(record(&owner, &key).await, before);
        key.get("/me").await.ok();
        for id in ["key_00000000000000000000000000", "nothing", "default"] {
            let path = format!("/v1/api-keys/{id}");
            owner.patch(&path, json!({ "name": "x" })).await.refused(404, "NOT_FOUND");
            owner.delete(&path).await.refused(404, "NOT_FOUND");
        }
    }

    async fn the_permissions_of_a_clients_key_are_fixed(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let key = owner.client_key(&client).await;
        let given = json!({ "permissions": ["payment_links"] });
        change(&owner, &key, given).await.refused(409, "CLIENT_PERMISSIONS_FIXED");
        change(&owner, &key, json!({ "permissions": [], "name": "sucursal 2" })).await.ok();
    }

    async fn the_default_key_can_be_named_and_switched_off_and_nothing_else(app: TestApp) {
        let owner = app.owner().await;
        for body in [
            json!({ "permissions": [] }), json!({ "permissions": ["payment_links"] }),
            json!({ "expires_at": "2026-12-01T00:00:00Z" }),
        ] {
            change(&owner, &owner.key, body).await.refused(409, "DEFAULT_KEY_FIXED");
        }
        revoke(&owner, &owner.key).await.refused(409, "DEFAULT_KEY_FIXED");
        change(&owner, &owner.key, json!({ "name": "principal", "expires_at": null })).await.ok();
        change(&owner, &owner.key, json!({ "is_active": false })).await.ok();
        owner.key.get("/me").await.refused(403, "API_KEY_IS_NOT_ACTIVE");
        // By its id it is rotated as by its name.
        let answer = rotate(&owner, &owner.key).await.ok();
        assert_eq!(answer["api_key"]["id"], *owner.key.id);
        owner.key.get("/me").await.refused(401, "UNAUTHORIZED");
    }

    async fn a_key_that_leaked_is_rotated_and_keeps_all_else(app: TestApp) {
        let owner = app.owner().await;
        let key = owner.key_limited_to(3).await;
        key.verify(&owner.bank, json!({ "bank_reference": "67890" })).await.ok();
        let mut expected = record(&owner, &key).await;
        let answer = rotate(&owner, &key).await.ok();
        let rotated = owner.issued(&answer["api_key"]);
        assert_ne!(rotated.text, key.text);
        expected["api_key"] = json!(rotated.text);
        assert_eq!(answer["api_key"], expected);
        key.get("/me").await.refused(401, "UNAUTHORIZED");
        rotated.verify(&owner.bank, json!({ "bank_reference": "167890" })).await.ok();
        assert_eq!(owner.limit_of(&rotated).await["consumed"], 2);
        // A key that is no secret's owner cannot end another, nor itself.
        rotated.post(&format!("/v1/api-keys/{}/rotate", key.id), json!({})).await
            .refused(403, "OWNER_SESSION_REQUIRED");
    }

    async fn a_revoked_key_is_over_for_good_and_its_history_stays(app: TestApp) {
        let owner = app.owner().await;
        let key = owner.key_with(&["payment_verifications"]).await;
        key.verify(&owner.bank, json!({ "bank_reference": "67890" })).await.ok();
        let activity = owner.activity_of(&key).await;
        let answer = revoke(&owner, &key).await.ok();
        assert_eq!(answer["api_key"]["is_active"], false);
        key.get("/me").await.refused(401, "UNAUTHORIZED");
        // The answer to the first request may have been lost.
        revoke(&owner, &key).await.ok();
        let listed = owner.get("/me/api-keys").await.ok();
        assert_eq!(listed["api_keys"].as_array().unwrap().len(), 1, "the default key");
        change(&owner, &key, json!({ "is_active": true })).await.refused(404, "NOT_FOUND");
        rotate(&owner, &key).await.refused(404, "NOT_FOUND");
        key.get("/me").await.refused(401, "UNAUTHORIZED");
        assert_eq!(owner.activity_of(&key).await, activity);
        let trail = "select count(*) from audit where action = 'RevokeKey'";
        assert_eq!(app.database().number(trail), 1);
    }

    async fn the_last_use_is_shown_and_outlives_a_restart(mut app: TestApp) {
        let owner = app.owner().await;
        let (key, unused) = (owner.key_with(&["payment_verifications"]).await, owner.key_with(&[]).await);
        let shown = async |key: &Key| owner.get(&format!("/api-keys/{}", key.id)).await.ok()["api_key"].clone();
        let last_use = async |key: &Key| shown(key).await["last_used_at"].clone();
        key.get("/me").await.ok();
        app.clock().advance(Duration::from_secs(90));
        key.get("/movements/nothing").await.refused(403, "FORBIDDEN");
        assert_eq!(last_use(&key).await, "2026-11-20T12:01:30.000Z", "what it was refused counts");
        assert_eq!(last_use(&unused).await, Value::Null);
        app.restart().await;
        assert_eq!(last_use(&key).await, "2026-11-20T12:01:30.000Z");
        assert_eq!(shown(&key).await["last_used_from"], "127.0.0.1");
        assert_eq!(shown(&unused).await["last_used_from"], Value::Null);
        // What was not admitted is no use of the key.
        owner.deactivate(&key).await;
        app.clock().advance(Duration::from_secs(90));
        key.get("/me").await.refused(403, "API_KEY_IS_NOT_ACTIVE");
        assert_eq!(last_use(&key).await, "2026-11-20T12:01:30.000Z");
        assert_eq!(last_use(&unused).await, Value::Null);
    }
}
