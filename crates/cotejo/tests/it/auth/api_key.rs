//! `POST /auth/api-key`, `GET /me/api-keys` and `GET /api-keys/{api_key_id}`

use std::time::Duration;

use serde_json::{Value, json};
use testkit::{TestApp, either_engine};

/// A key's text with all but its ends hidden.
fn masked(text: &str) -> String {
    format!("ck_live_…{}", text.get(text.len() - 4..).unwrap())
}

fn ids(answer: &Value) -> Vec<&str> {
    let keys = answer["api_keys"].as_array().unwrap();
    keys.iter().map(|key| key["id"].as_str().unwrap()).collect()
}

either_engine! {
    async fn the_text_is_shown_once(app: TestApp) {
        let owner = app.owner().await;
        let asked = json!({
            "name": "caja 1",
            "user_banks": [owner.bank],
            "permissions": ["payment_links", "payment_verifications"],
        });
        let answer = owner.post("/auth/api-key", asked).await.ok();
        let key = owner.issued(&answer["api_key"]);
        assert!(key.id.starts_with("key_"));
        assert!(key.text.starts_with("ck_live_") && key.text.len() == "ck_live_".len() + 38);
        let mut record = json!({
            "id": key.id,
            "name": "caja 1",
            "api_key": key.text,
            "user_id": owner.id,
            "default": false,
            "is_active": true,
            "client_owner_id": null,
            "user_banks": [owner.bank],
            "permissions": ["payment_verifications", "payment_links"],
            "monthly_credit_limit": null,
            "created_at": "2026-11-20T12:00:00.000Z",
            "updated_at": "2026-11-20T12:00:00.000Z",
            "expires_at": null,
            "issued_by": { "kind": "owner", "id": null },
            "issued_at": "2026-11-20T12:00:00.000Z",
                "last_used_at": null,
                "last_used_from": null,
        });
        assert_eq!(answer["api_key"], record);

        record["api_key"] = json!(masked(&key.text));
        let shown = owner.get(&format!("/api-keys/{}", key.id)).await.ok();
        assert_eq!(shown["api_key"], record);
        let listed = owner.get("/me/api-keys").await.ok();
        assert!(listed["api_keys"].as_array().unwrap().contains(&record), "{listed}");
    }

    async fn a_key_without_permissions_has_none(app: TestApp) {
        let owner = app.owner().await;
        let key = owner.issue(json!({ "name": "caja", "user_banks": null })).await;
        key.get("/me").await.ok();
        let answer = key.verify(&owner.bank, json!({ "bank_reference": "67890" })).await;
        answer.refused(403, "PERMISSIONS_NOT_CONFIGURED");
    }

    async fn permissions_have_names_of_a_catalogue(app: TestApp) {
        let owner = app.owner().await;
        for (name, right) in [
            ("verify_payments", json!({ "permission": "payment_verifications" })),
            ("generate_pay_link", json!({ "permission": "payment_links" })),
            ("everything", Value::Null),
        ] {
            let asked = json!({ "name": "caja", "permissions": [name] });
            let body = owner.post("/auth/api-key", asked).await.refused(400, "UNKNOWN_PERMISSION");
            assert_eq!(body["facts"], right, "{name}");
        }
    }

    async fn it_is_made_for_the_callers_owner_alone(app: TestApp) {
        let (owner, stranger) = (app.owner().await, app.owner().await);
        let ask = |user: &str| json!({ "name": "caja", "user_id": user });
        owner.post("/auth/api-key", ask(&owner.id)).await.ok();
        owner.post("/auth/api-key", ask(&stranger.id)).await.refused(403, "FORBIDDEN");
    }

    async fn a_clients_key_is_bound_to_it(app: TestApp) {
        let (owner, stranger) = (app.owner().await, app.owner().await);
        let client = owner.client(false).await;
        let asked = json!({ "name": "sucursal", "client_owner_id": client });
        let answer = owner.post("/auth/api-key", asked.clone()).await.ok();
        assert_eq!(answer["api_key"]["client_owner_id"], client);
        assert_eq!(answer["api_key"]["permissions"], json!([]));
        stranger.post("/auth/api-key", asked).await.refused(404, "NOT_FOUND");
        let fixed = json!({
            "name": "x", "client_owner_id": client, "permissions": ["payment_verifications"],
        });
        owner.post("/auth/api-key", fixed).await.refused(409, "CLIENT_PERMISSIONS_FIXED");
    }

    async fn a_selection_names_accounts_of_the_scope(app: TestApp) {
        let (owner, stranger) = (app.owner().await, app.owner().await);
        let client = owner.client(true).await;
        let bank = owner.client_key(&client).await.link_bank().await;
        let ask = |client: Option<&str>, bank: &str| {
            json!({ "name": "caja", "client_owner_id": client, "user_banks": [bank] })
        };
        owner.post("/auth/api-key", ask(Some(&client), &bank)).await.ok();
        for (client, bank) in [
            (Some(client.as_str()), owner.bank.as_str()),
            (None, &stranger.bank),
            (None, "bank_00000000000000000000000000"),
            (None, "nothing"),
        ] {
            let answer = owner.post("/auth/api-key", ask(client, bank)).await;
            answer.refused(400, "ACCOUNT_NOT_IN_CLIENT");
        }
    }

    async fn a_key_issues_no_more_than_it_has(app: TestApp) {
        let owner = app.owner().await;
        let issuer = owner.key_with(&["api_keys", "payment_verifications"]).await;
        let ask = |permission: &str| json!({ "name": "caja", "permissions": [permission] });
        issuer.post("/auth/api-key", ask("payment_verifications")).await.ok();
        issuer.post("/auth/api-key", ask("statistics")).await.refused(403, "FORBIDDEN");
        issuer.post("/auth/api-key", ask("api_keys")).await.refused(403, "OWNER_SESSION_REQUIRED");
        owner.key.post("/auth/api-key", ask("statistics")).await.ok();

        // One that is limited could escape its limits by issuing another.
        owner.set_limit(&issuer, json!(5)).await.ok();
        let answer = issuer.post("/auth/api-key", ask("payment_verifications")).await;
        answer.refused(403, "KEY_SCOPE_RESTRICTED");
    }

    async fn a_listing_shows_what_the_caller_may_see(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let mut keys = vec![owner.key.clone()];
        for body in [
            json!({ "name": "sucursal 1", "client_owner_id": client }),
            json!({ "name": "sucursal 2", "client_owner_id": client }),
            json!({ "name": "caja", "user_banks": [owner.bank], "permissions": ["integrations"] }),
            json!({ "name": "panel", "permissions": ["integrations"] }),
        ] {
            app.clock().advance(Duration::from_millis(1));
            keys.push(owner.issue(body).await);
        }
        let all: Vec<_> = keys.iter().map(|key| key.id.as_str()).collect();
        for caller in [&*owner, &*owner.key, &*keys[4]] {
            assert_eq!(ids(&caller.get("/me/api-keys").await.ok()), all);
        }
        assert_eq!(ids(&keys[1].get("/me/api-keys").await.ok()), all[1..3]);
        assert_eq!(ids(&keys[3].get("/me/api-keys").await.ok()), all[3..4]);
        let path = format!("/api-keys/{}", keys[4].id);
        keys[1].get(&path).await.refused(404, "NOT_FOUND");
        keys[3].get(&path).await.refused(404, "NOT_FOUND");
        // Revoked ones are gone from it.
        owner.revoke(&keys[2]).await;
        assert_eq!(ids(&keys[1].get("/me/api-keys").await.ok()), all[1..2]);
        owner.get(&format!("/api-keys/{}", keys[2].id)).await.refused(404, "NOT_FOUND");
    }

    async fn another_owners_keys_do_not_exist(app: TestApp) {
        let (owner, stranger) = (app.owner().await, app.owner().await);
        for id in [stranger.key.id.as_str(), "key_00000000000000000000000000", "nothing"] {
            owner.get(&format!("/api-keys/{id}")).await.refused(404, "NOT_FOUND");
        }
    }

    async fn the_same_call_again_does_not_show_the_text_again(app: TestApp) {
        let owner = app.owner().await;
        let create = |name: &str| {
            let call = owner.request("POST", "/auth/api-key").header("Idempotency-Key", "k-1");
            call.json(&json!({ "name": name })).send()
        };
        let made = create("caja").await.ok();
        let body = create("caja").await.refused(409, "CONFLICT");
        assert_eq!(body["facts"], json!({ "id": made["api_key"]["id"] }));
        create("otra").await.refused(422, "IDEMPOTENCY_KEY_REUSED");
        assert_eq!(ids(&owner.get("/me/api-keys").await.ok()).len(), 2);
    }

    async fn a_name_is_needed(app: TestApp) {
        let owner = app.owner().await;
        for name in [json!(null), json!(""), json!("  "), json!(1), json!("x".repeat(121))] {
            let answer = owner.post("/auth/api-key", json!({ "name": name })).await;
            let body = answer.refused(400, "VALIDATION_ERROR");
            assert_eq!(body["details"][0]["field"], "name");
        }
    }
}
