//! `PUT /v1/api-keys/{api_key_id}/scope`

use std::time::Duration;

use serde_json::{Value, json};
use testkit::http::Response;
use testkit::owner::{Key, link_bank};
use testkit::{Owner, TestApp, both_engines};

async fn set(owner: &Owner, key: &Key, client: impl Into<Value>, banks: Value) -> Response {
    let body = json!({ "client_owner_id": client.into(), "user_banks": banks });
    owner.put(&format!("/v1/api-keys/{}/scope", key.id), body).await
}

async fn record(owner: &Owner, key: &Key) -> Value {
    owner.get(&format!("/api-keys/{}", key.id)).await.ok()["api_key"].clone()
}

/// The accounts that a key lists.
async fn reached(key: &Key) -> usize {
    key.get("/me/usersbank").await.ok()["user_banks"].as_array().unwrap().len()
}

both_engines! {
    async fn the_scope_is_replaced_and_the_record_answered(app: TestApp) {
        let owner = app.owner().await;
        let key = owner.key_with(&["bank_accounts_manage", "api_keys"]).await;
        let before = record(&owner, &key).await;
        app.clock().advance(Duration::from_secs(60));
        let answer = set(&owner, &key, Value::Null, json!([owner.bank, owner.bank])).await.ok();
        let mut expected = before.clone();
        expected["user_banks"] = json!([owner.bank]);
        expected["updated_at"] = json!("2026-11-20T12:01:00.000Z");
        assert_eq!(answer["api_key"], expected);
        assert_eq!(record(&owner, &key).await, expected);
        // With a selection it issues no keys and links no accounts.
        let (issue, link) = (json!({ "name": "otra" }), json!({ "bank_provider": "BANK_TEST" }));
        key.post("/auth/api-key", issue.clone()).await.refused(403, "KEY_SCOPE_RESTRICTED");
        key.post("/usersbank", link.clone()).await.refused(403, "KEY_SCOPE_RESTRICTED");
        // `[]` takes the selection away.
        let answer = set(&owner, &key, Value::Null, json!([])).await.ok();
        assert_eq!(answer["api_key"]["user_banks"], json!([]));
        assert_eq!(answer["api_key"]["permissions"], before["permissions"], "the same client: none");
        key.post("/auth/api-key", issue).await.ok();
        key.post("/usersbank", link).await.ok();
    }

    async fn a_new_account_is_in_no_selection_until_the_owner_adds_it(app: TestApp) {
        let owner = app.owner().await;
        let key = owner.key_with(&["payment_verifications"]).await;
        set(&owner, &key, Value::Null, json!([owner.bank])).await.ok();
        let new = link_bank(&owner).await;
        assert_eq!(reached(&key).await, 1);
        key.verify(&new, json!({ "bank_reference": "67890" })).await.refused(404, "NOT_FOUND");
        set(&owner, &key, Value::Null, json!([owner.bank, new])).await.ok();
        assert_eq!(reached(&key).await, 2);
        key.verify(&new, json!({ "bank_reference": "67890" })).await.ok();
    }

    async fn a_key_that_is_bound_or_comes_free_has_no_permissions(app: TestApp) {
        let owner = app.owner().await;
        let (one, other) = (owner.client(true).await, owner.client(true).await);
        let key = owner.key_with(&["payment_verifications"]).await;
        let answer = set(&owner, &key, one.as_str(), json!([])).await.ok();
        assert_eq!(answer["api_key"]["client_owner_id"], *one);
        assert_eq!(answer["api_key"]["permissions"], json!([]));
        // The account is not the client's.
        assert_eq!(reached(&key).await, 0);
        key.verify(&owner.bank, json!({ "bank_reference": "67890" })).await.refused(404, "NOT_FOUND");
        let own = link_bank(&key).await;
        assert_eq!(reached(&key).await, 1);
        key.verify(&own, json!({ "bank_reference": "67890" })).await.ok();

        // Another client has other accounts, and none of the former's.
        set(&owner, &key, other.as_str(), json!([])).await.ok();
        key.verify(&own, json!({ "bank_reference": "67890" })).await.refused(404, "NOT_FOUND");
        // One that comes free may do nothing until its owner says what.
        set(&owner, &key, Value::Null, json!([])).await.ok();
        let answer = key.verify(&own, json!({ "bank_reference": "67890" })).await;
        answer.refused(403, "PERMISSIONS_NOT_CONFIGURED");
    }

    async fn a_limit_is_out_of_force_while_the_key_is_bound(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        owner.set_quota(&client, json!(5)).await.ok();
        let key = owner.key_limited_to(0).await;
        assert_eq!(record(&owner, &key).await["monthly_credit_limit"], 0);
        set(&owner, &key, client.as_str(), json!([])).await.ok();
        assert_eq!(record(&owner, &key).await["monthly_credit_limit"], Value::Null);
        let limit = owner.limit_of(&key).await;
        assert_eq!((&limit["inherited"], &limit["monthly_credit_limit"]), (&json!(true), &json!(5)));
        let bank = link_bank(&key).await;
        key.verify(&bank, json!({ "bank_reference": "67890" })).await.ok();
        owner.set_limit(&key, json!(9)).await.refused(409, "CREDIT_LIMIT_INHERITED");

        set(&owner, &key, Value::Null, json!([])).await.ok();
        assert_eq!(record(&owner, &key).await["monthly_credit_limit"], 0, "back in force");
        let permissions = json!({ "permissions": ["payment_verifications"] });
        owner.patch(&format!("/v1/api-keys/{}", key.id), permissions).await.ok();
        let answer = key.verify(&owner.bank, json!({ "bank_reference": "167890" })).await;
        answer.refused(403, "API_KEY_MONTHLY_CREDIT_LIMIT_EXCEEDED");
    }

    async fn what_a_key_cannot_be_bound_or_limited_to_is_refused_and_nothing_changes(app: TestApp) {
        let (owner, stranger) = (app.owner().await, app.owner().await);
        let client = owner.client(true).await;
        let key = owner.key_with(&["payment_verifications"]).await;
        let before = record(&owner, &key).await;
        let trashed = link_bank(&owner).await;
        owner.delete(&format!("/usersbank/{trashed}/to-trash")).await.ok();
        for banks in [
            json!([stranger.bank]), json!([trashed]), json!(["nothing"]),
            json!(["bank_00000000000000000000000000"]), json!([owner.bank, stranger.bank]),
        ] {
            let refused = set(&owner, &key, Value::Null, banks).await;
            refused.refused(400, "ACCOUNT_NOT_IN_CLIENT");
        }
        // The owner's account is not the client's.
        let refused = set(&owner, &key, client.as_str(), json!([owner.bank])).await;
        refused.refused(400, "ACCOUNT_NOT_IN_CLIENT");
        let foreign = stranger.client(true).await;
        for client in [foreign.as_str(), "cli_00000000000000000000000000", "nothing", ""] {
            set(&owner, &key, client, json!([])).await.refused(404, "NOT_FOUND");
        }
        let path = format!("/v1/api-keys/{}/scope", key.id);
        for body in [
            json!({}), json!({ "client_owner_id": null }), json!({ "user_banks": [] }),
            json!({ "client_owner_id": 1, "user_banks": [] }),
            json!({ "client_owner_id": null, "user_banks": "all" }),
            json!({ "client_owner_id": null, "user_banks": [1] }),
        ] {
            owner.put(&path, body).await.refused(400, "VALIDATION_ERROR");
        }
        assert_eq!(record(&owner, &key).await, before);
        let scope = json!({ "client_owner_id": null, "user_banks": [] });
        stranger.put(&path, scope.clone()).await.refused(404, "NOT_FOUND");
        owner.revoke(&key).await;
        owner.put(&path, scope).await.refused(404, "NOT_FOUND");
    }

    async fn the_default_key_keeps_its_scope(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        for (client, banks) in [(Value::Null, json!([])), (json!(client), json!([owner.bank]))] {
            set(&owner, &owner.key, client, banks).await.refused(403, "DEFAULT_KEY_SCOPE_FIXED");
        }
        owner.key.verify(&owner.bank, json!({ "bank_reference": "67890" })).await.ok();
    }

    async fn an_account_in_the_trash_stays_in_a_selection_and_opens_nothing(app: TestApp) {
        let owner = app.owner().await;
        let second = link_bank(&owner).await;
        let key = owner.key_for(&[&second]).await;
        assert_eq!(reached(&key).await, 1);
        owner.delete(&format!("/usersbank/{second}/to-trash")).await.ok();
        assert_eq!(reached(&key).await, 0, "no selection would be all accounts");
        assert_eq!(record(&owner, &key).await["user_banks"], json!([second]));
        key.verify(&owner.bank, json!({ "bank_reference": "67890" })).await.refused(404, "NOT_FOUND");
    }
}
