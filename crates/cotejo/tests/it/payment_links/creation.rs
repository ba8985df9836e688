//! Making a link and changing it.

use serde_json::{Value, json};
use testkit::{Owner, Response, TestApp, either_engine};

use crate::pay::{AMOUNT, begin_slowly, info, make, paid_with};

async fn create(owner: &Owner, more: Value) -> Response {
    let mut body =
        json!({ "amount": AMOUNT, "description": "Pedido 7", "user_bank_id": owner.bank });
    for (field, value) in more.as_object().unwrap() {
        body[field] = value.clone();
    }
    owner.key.post("/v1/paymentlink", body).await
}

async fn patch(owner: &Owner, id: &str, body: Value) -> Response {
    let path = format!("/paymentlink/{id}/patch");
    owner.key.request("PATCH", &path).json(&body).send().await
}

either_engine! {
    async fn a_link_has_every_field(app: TestApp) {
        let owner = app.owner().await;
        let made = create(&owner, json!({
            "name": "Caja 1",
            "currency": "VES",
            "webhook_url": "https://shop.example/hook?tienda=7&b=%20",
            "redirect_url": "http://shop.example/gracias",
            "expiration_time": 60,
            "rate_expiration_time": 30,
            "metadata": { "orden": "A-7", "n": [1, null] },
            "type": "api",
            "payment_link_origin": "woocommerce",
            "notification_by_whastapp": true,
        }));
        let link = made.await.ok()["paymentlink"].clone();
        let id = link["id"].as_str().unwrap();
        assert!(id.starts_with("link_") && id.len() == 31, "{id}");
        let now = app.now().to_string();
        let expected = json!({
            "id": id, "name": "Caja 1", "amount": 150.75, "currency": "VEF",
            "description": "Pedido 7", "webhook_url": "https://shop.example/hook?tienda=7&b=%20",
            "webhook_method": "POST", "status": "pending",
            "url": format!("http://{}/pay/{id}", app.nobody().address()),
            "redirect_url": "http://shop.example/gracias", "with_subscription_id": null,
            "type": "api", "payment_link_origin": "api", "user_id": owner.id,
            "user_bank_id": owner.bank, "rate_exchange": 1.0, "rate_expiration_time": 30,
            "rate_updated_at": null, "expiration_time": 60,
            "expires_at": app.now().plus(std::time::Duration::from_secs(3_600)).to_string(),
            "metadata": { "orden": "A-7", "n": [1, null] }, "livemode": false,
            "created_at": now, "updated_at": now,
        });
        assert_eq!(link, expected);
        assert_eq!(info(&owner, id).await, expected);
    }

    async fn ids_do_not_reveal_their_time(app: TestApp) {
        let owner = app.owner().await;
        let mut ids = Vec::new();
        for _ in 0..20 {
            ids.push(make(&owner.key, &owner.bank, json!({})).await);
        }
        assert!(!ids.is_sorted());
    }

    async fn the_same_request_again_is_answered_alike(app: TestApp) {
        let owner = app.owner().await;
        let body = json!({ "amount": 5, "description": "x", "user_bank_id": owner.bank });
        let send = |key: &str, body: &Value| {
            let call = owner.key.request("POST", "/v1/paymentlink").header("idempotency-key", key);
            call.json(body).send()
        };
        let first = send("orden-7", &body).await;
        first.ok();
        let again = send("\"orden-7\"", &body).await;
        assert_eq!(first.body, again.body);
        let mut other = body.clone();
        other["amount"] = json!(6);
        send("orden-7", &other).await.refused(422, "IDEMPOTENCY_KEY_REUSED");
        assert_ne!(send("orden-8", &body).await.body, first.body);
        assert_eq!(app.database().number("select count(*) from payment_links"), 2);
        // What was refused is not kept.
        let wrong = json!({ "amount": 0, "description": "x", "user_bank_id": owner.bank });
        send("orden-9", &wrong).await.refused(400, "IS_NOT_POSITIVE_AMOUNT");
        send("orden-9", &body).await.ok();
    }

    async fn fields_that_do_not_do_are_named(app: TestApp) {
        let owner = app.owner().await;
        for (more, field) in [
            (json!({ "amount": null }), "amount"),
            (json!({ "amount": "150" }), "amount"),
            (json!({ "description": null }), "description"),
            (json!({ "description": "a\u{0}b" }), "description"),
            (json!({ "description": "Pedido \u{7}7" }), "description"),
            (json!({ "name": "Pedido\u{7f}7" }), "name"),
            (json!({ "redirect_url": "https://\u{455}hop.example/" }), "redirect_url"),
            (json!({ "description": "" }), "description"),
            (json!({ "description": " \t" }), "description"),
            (json!({ "type": "other" }), "type"),
            (json!({ "type": "subscription" }), "type"),
            (json!({ "type": [] }), "type"),
            (json!({ "user_bank_id": null }), "user_bank_id"),
            (json!({ "webhook_url": "file:///etc/passwd" }), "webhook_url"),
            (json!({ "webhook_url": "https://user:secret@shop.example" }), "webhook_url"),
            (json!({ "redirect_url": "javascript:alert(1)" }), "redirect_url"),
            (json!({ "metadata": "x" }), "metadata"),
            (json!({ "expiration_time": 0 }), "expiration_time"),
        ] {
            let body = create(&owner, more.clone()).await.refused(400, "VALIDATION_ERROR");
            assert_eq!(body["details"][0]["field"], field, "{more}");
        }
        create(&owner, json!({ "amount": -1 })).await.refused(400, "IS_NOT_POSITIVE_AMOUNT");
        let unknown = json!({ "user_bank_id": "bank_00000000000000000000000000" });
        create(&owner, unknown).await.refused(404, "NOT_FOUND");
        assert_eq!(app.database().number("select count(*) from payment_links"), 0);
    }

    async fn a_pending_link_changes_and_a_paid_one_does_not(app: TestApp) {
        let owner = app.owner().await;
        let id = make(&owner.key, &owner.bank, json!({})).await;
        let body = json!({ "description": "Pedido 8", "redirect_url": "https://a.example/" });
        let changed = patch(&owner, &id, body).await.ok()["paymentlink"].clone();
        assert_eq!((&changed["amount"], &changed["description"]), (&json!(150.75), &json!("Pedido 8")));
        patch(&owner, &id, json!({ "amount": 0 })).await.refused(400, "IS_NOT_POSITIVE_AMOUNT");
        patch(&owner, &id, json!({ "amount": [] })).await.refused(400, "VALIDATION_ERROR");
        patch(&owner, &id, json!({ "description": " " })).await.refused(400, "VALIDATION_ERROR");
        assert_eq!(info(&owner, &id).await, changed);
        paid_with(&app.nobody(), &id, "167890").await;
        patch(&owner, &id, json!({ "amount": 5 })).await.refused(409, "CONFLICT");
        assert_eq!(info(&owner, &id).await["amount"], 150.75);
    }

    async fn nothing_becomes_dearer_under_a_payer_who_is_being_checked(app: TestApp) {
        let owner = app.owner().await;
        let id = make(&owner.key, &owner.bank, json!({})).await;
        begin_slowly(&app, &id, "110004").await;
        patch(&owner, &id, json!({ "amount": 999 })).await.refused(409, "REQUEST_IN_PROGRESS");
        app.clock().advance(crate::slow_bank::SLOW);
        app.settle().await;
        assert_eq!(info(&owner, &id).await["status"], "paid");
    }
}
