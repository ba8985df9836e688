//! Fields and parameters that calls take and apply.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::owner::link_bank;
use testkit::{Authenticator, TestApp, either_engine};

use crate::pay::{info, make, paid_with, said, status};

either_engine! {
    async fn a_key_is_made_with_its_limit_which_is_kept(app: TestApp) {
        let owner = app.owner().await;
        app.clock().advance(Duration::from_secs(1));
        let body = json!({
            "name": "caja", "permissions": ["payment_verifications"], "monthly_credit_limit": 1,
        });
        let made = owner.post("/auth/api-key", body).await.ok();
        assert_eq!(made["api_key"]["monthly_credit_limit"], 1);
        let key = owner.issued(&made["api_key"]);
        let shown = owner.get(&format!("/api-keys/{}", key.id)).await.ok();
        assert_eq!(shown["api_key"]["monthly_credit_limit"], 1);
        let trail = owner.get("/v1/audit?limit=1").await.ok();
        assert_eq!(trail["entries"][0]["after"]["monthly_credit_limit"], 1);
        key.verify(&owner.bank, json!({ "bank_reference": "1167890" })).await.ok();
        let second = key.verify(&owner.bank, json!({ "bank_reference": "2267890" })).await;
        second.refused(403, "API_KEY_MONTHLY_CREDIT_LIMIT_EXCEEDED");
    }

    async fn a_clients_key_is_made_without_a_limit_of_its_own(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let body = |limit| json!({
            "name": "sucursal", "client_owner_id": client, "monthly_credit_limit": limit,
        });
        let before = owner.get("/me/api-keys").await.ok();
        owner.post("/auth/api-key", body(json!(5))).await.refused(409, "CREDIT_LIMIT_INHERITED");
        assert_eq!(owner.get("/me/api-keys").await.ok(), before);
        owner.post("/auth/api-key", body(Value::Null)).await.ok();
        let person = owner.client_employee(&client, 1).await;
        let body = json!({ "name": "sucursal", "monthly_credit_limit": 5 });
        person.post("/auth/api-key", body).await.refused(409, "CREDIT_LIMIT_INHERITED");
    }

    async fn a_client_is_made_with_its_quota_and_accounts_or_not_at_all(app: TestApp) {
        let owner = app.owner().await;
        let (one, other) = (link_bank(&owner).await, link_bank(&owner).await);
        let body = |banks: Value| json!({
            "name": "Sucursal", "payments_enabled": true, "monthly_credit_limit": 1,
            "user_banks": banks,
        });
        let made = owner.post("/v1/clients", body(json!([one, one]))).await.ok();
        let client = &made["client"];
        assert_eq!((&client["monthly_credit_limit"], &client["user_banks"]), (&json!(1), &json!([one])));
        let id = client["id"].as_str().unwrap();
        assert_eq!(&owner.get(&format!("/v1/clients/{id}")).await.ok()["client"], client);
        let key = owner.client_key(id).await;
        key.verify(&one, json!({ "bank_reference": "1167890" })).await.ok();
        let second = key.verify(&one, json!({ "bank_reference": "2267890" })).await;
        second.refused(403, "CLIENT_MONTHLY_CREDIT_LIMIT_EXCEEDED");

        // Another client has the first, and nothing is made of the rest.
        let stranger = app.owner().await;
        for banks in [json!([other, one]), json!([other, stranger.bank])] {
            owner.post("/v1/clients", body(banks)).await.refused(400, "ACCOUNT_NOT_IN_CLIENT");
        }
        assert_eq!(owner.get("/v1/clients").await.ok()["total"], 1);
        let accounts = owner.get("/me/usersbank").await.ok();
        let left = accounts["user_banks"].as_array().unwrap().iter();
        let left = left.filter(|account| account["client_owner_id"].is_null());
        assert_eq!(left.count(), 2);
    }

    async fn an_employee_gives_a_client_neither_quota_nor_accounts(app: TestApp) {
        let owner = app.owner().await;
        let employee = owner.employee(1, &["clients:write"]).await;
        let body = json!({
            "name": "Sucursal", "monthly_credit_limit": 5, "user_banks": [owner.bank],
        });
        let refused = employee.post("/v1/clients", body).await.refused(400, "VALIDATION_ERROR");
        let details = refused["details"].as_array().unwrap();
        let named = |number: usize, field: &str, call: &str| {
            let detail = &details[number];
            detail["field"] == field && detail["problem"].as_str().unwrap().contains(call)
        };
        assert!(named(0, "monthly_credit_limit", "PUT /v1/clients/{client_id}/credit-limit"));
        assert!(named(1, "user_banks", "PUT /v1/usersbank/{bank_id}/client"));
        let body = json!({ "name": "Sucursal", "monthly_credit_limit": null, "user_banks": [] });
        employee.post("/v1/clients", body).await.ok();
    }

    async fn the_payment_of_a_link_is_found_by_the_link(app: TestApp) {
        let owner = app.owner().await;
        let (paid, open) = (
            make(&owner.key, &owner.bank, json!({})).await,
            make(&owner.key, &owner.bank, json!({})).await,
        );
        assert_eq!(said(&paid_with(&app.nobody(), &paid, "167890").await), "Pago confirmado");
        owner.key.verify(&owner.bank, json!({ "bank_reference": "1167890" })).await.ok();
        let payments = async |query: &str| {
            let listed = owner.key.get(&format!("/v1/payments{query}")).await.ok();
            listed["payments"].as_array().unwrap().clone()
        };
        assert_eq!(payments("").await.len(), 2);
        let of_link = payments(&format!("?payment_link_id={paid}")).await;
        assert_eq!((of_link.len(), &of_link[0]["payment_link_id"]), (1, &json!(paid)));
        assert!(payments(&format!("?payment_link_id={open}")).await.is_empty());
        assert!(payments(&format!("?payment_link_id={paid}&to=2026-11-19")).await.is_empty());
        let stranger = app.owner().await;
        let listed = stranger.key.get(&format!("/v1/payments?payment_link_id={paid}")).await.ok();
        assert_eq!(listed["payments"], json!([]));
    }

    async fn a_pending_link_takes_another_name_receiver_end_and_metadata(app: TestApp) {
        let owner = app.owner().await;
        let link = make(&owner.key, &owner.bank, json!({})).await;
        let patch = async |body: Value| {
            owner.key.patch(&format!("/paymentlink/{link}/patch"), body).await
        };
        app.clock().advance(Duration::from_secs(3_600));
        let body = json!({
            "name": "Octavo", "webhook_url": "https://tienda.example/a?b=%20", "expiration_time": 10,
            "metadata": { "pedido": 8 },
        });
        let changed = patch(body.clone()).await.ok()["paymentlink"].clone();
        for (field, value) in body.as_object().unwrap() {
            assert_eq!(changed[field], *value, "{field}");
        }
        assert_eq!(changed["expires_at"], "2026-11-20T13:10:00.000Z");
        assert_eq!(info(&owner.key, &link).await, changed);
        let endless = patch(json!({ "expiration_time": -1, "name": "" })).await.ok();
        let endless = &endless["paymentlink"];
        assert_eq!((&endless["expires_at"], &endless["name"]), (&Value::Null, &json!("Pedido 7")));
        for (body, code) in [
            (json!({ "webhook_url": "ftp://a.example" }), "VALIDATION_ERROR"),
            (json!({ "expiration_time": 0 }), "VALIDATION_ERROR"),
            (json!({ "metadata": { "a": "x".repeat(17_000) } }), "VALIDATION_ERROR"),
        ] {
            patch(body).await.refused(400, code);
        }
        patch(json!({ "expiration_time": 1 })).await.ok();
        app.clock().advance(Duration::from_secs(61));
        assert_eq!(status(&owner.key, &link).await, "expired");
        patch(json!({ "expiration_time": 10 })).await.refused(409, "CONFLICT");
        assert_eq!(app.audit().await, []);
    }
}

either_engine! {
    async fn a_quota_at_a_clients_creation_asks_for_a_code_of_whom_has_a_factor(app: TestApp) {
        let owner = app.owner().await;
        Authenticator::of(&app, &owner, &owner.password).await;
        app.tamper("update sessions set proved_at = 1 where proved_at is not null").await;
        app.invalidate_auth_cache().await;
        let body = |limit| json!({ "name": "Sucursal", "monthly_credit_limit": limit });
        owner.post("/v1/clients", body(json!(5))).await.refused(403, "STEP_UP_REQUIRED");
        owner.post("/v1/clients", body(Value::Null)).await.ok();
    }

    async fn a_filter_value_that_no_link_has_finds_none(app: TestApp) {
        let owner = app.owner().await;
        make(&owner.key, &owner.bank, json!({})).await;
        for filter in [json!({ "status": "open" }), json!({ "type": "other", "page": 2 })] {
            let listed = owner.key.post("/me/payment-links", filter).await.ok();
            assert_eq!((&listed["payment_links"], &listed["total"]), (&json!([]), &json!(0)));
        }
    }
}
