//! What a paid link costs, and whom.

use serde_json::json;
use testkit::{TestApp, either_engine};

use super::{info, make, paid_with, pay, said, status, text};

either_engine! {
    async fn a_paid_link_costs_one_credit_of_the_key_that_made_it(app: TestApp) {
        let owner = app.owner().await;
        let key = owner.key_with(&["payment_links"]).await;
        let id = make(&key, &owner.bank, json!({})).await;
        paid_with(&app.nobody(), &id, "123456").await;
        paid_with(&app.nobody(), &id, "167890").await;
        let activity = owner.activity_of(&key).await;
        assert_eq!((&activity["credit_total"], &activity["request_total"]), (&json!(1), &json!(2)));
        let line = &activity["credits"][0];
        assert_eq!((&line["origin"], &line["amount"]), (&json!("payment_link"), &json!(-1)));
        assert_eq!(activity["requests"][0]["request_type"], "payment_link");
        assert_eq!(owner.limit_of(&owner.key).await["consumed"], 0);
    }

    async fn a_link_outlives_its_key_whose_limit_still_counts(app: TestApp) {
        let owner = app.owner().await;
        let key = owner.key_with(&["payment_links"]).await;
        owner.set_limit(&key, json!(1)).await.ok();
        let (first, second) =
            (make(&key, &owner.bank, json!({})).await, make(&key, &owner.bank, json!({})).await);
        owner.deactivate(&key).await;
        owner.revoke(&key).await;
        assert_eq!(said(&paid_with(&app.nobody(), &first, "167890").await), "Pago confirmado");
        let answer = pay(&app.nobody(), &second, "267890").await;
        assert_eq!(answer.status, 503);
        assert_eq!(said(&text(&answer)), "No podemos confirmar su pago ahora");
        assert_eq!((status(&owner, &second).await.as_str(), owner.balance().await), ("pending", 999));
    }

    async fn where_credits_refuse_the_payer_keeps_the_receipt_and_the_link_stays(app: TestApp) {
        let owner = app.owner_with(0).await;
        let id = make(&owner.key, &owner.bank, json!({})).await;
        let answer = pay(&app.nobody(), &id, "167890").await;
        assert_eq!(answer.status, 503);
        let page = text(&answer);
        assert_eq!(said(&page), "No podemos confirmar su pago ahora");
        assert!(page.contains("guarde su comprobante"), "{page}");
        assert!(!page.contains("crédit"), "nothing of the merchant's affairs: {page}");
        assert_eq!(status(&owner, &id).await, "pending");
        let activity = owner.activity_of(&owner.key).await;
        assert_eq!(activity["requests"][0]["error_code"], "NOT_ENOUGH_CREDITS");
        owner.grant(1).await;
        assert_eq!(said(&paid_with(&app.nobody(), &id, "167890").await), "Pago confirmado");
        assert_eq!(owner.balance().await, 0);
    }

    async fn a_clients_link_counts_against_the_clients_quota(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let key = owner.client_key(&client).await;
        let bank = key.link_bank().await;
        owner.set_quota(&client, json!(1)).await.ok();
        let (first, second) =
            (make(&key, &bank, json!({})).await, make(&key, &bank, json!({})).await);
        assert_eq!(said(&paid_with(&app.nobody(), &first, "167890").await), "Pago confirmado");
        assert_eq!(pay(&app.nobody(), &second, "267890").await.status, 503);
        assert_eq!(owner.limit_of(&key).await["quota_used"], 1);
        assert_eq!(info(&key, &first).await["status"], "paid");
    }

    async fn a_link_counts_against_what_its_key_is_bound_to_when_it_is_paid(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        owner.set_quota(&client, json!(0)).await.ok();
        let key = owner.key_with(&["payment_links"]).await;
        owner.set_limit(&key, json!(0)).await.ok();
        let lasting = json!({ "expiration_time": -1 });
        let (first, second) =
            (make(&key, &owner.bank, lasting.clone()).await, make(&key, &owner.bank, lasting).await);
        let bind = async |client: serde_json::Value| {
            let scope = json!({ "client_owner_id": client, "user_banks": [] });
            owner.put(&format!("/v1/api-keys/{}/scope", key.id), scope).await.ok();
        };
        assert_eq!(pay(&app.nobody(), &first, "167890").await.status, 503);
        // Its own limit is out of force then, and the quota of its client is not.
        bind(json!(client)).await;
        assert_eq!(pay(&app.nobody(), &first, "167890").await.status, 503);
        owner.set_quota(&client, json!(1)).await.ok();
        assert_eq!(said(&paid_with(&app.nobody(), &first, "167890").await), "Pago confirmado");
        assert_eq!(owner.limit_of(&key).await["quota_used"], 1);
        assert_eq!(pay(&app.nobody(), &second, "267890").await.status, 503);
        bind(json!(null)).await;
        assert_eq!(pay(&app.nobody(), &second, "267890").await.status, 503);
        assert_eq!(owner.balance().await, 999);
    }

    async fn what_the_api_has_claimed_pays_no_link(app: TestApp) {
        let owner = app.owner().await;
        let id = make(&owner.key, &owner.bank, json!({})).await;
        let asked = json!({ "bank_reference": "167890", "amount": 150.75 });
        assert_eq!(owner.key.verify(&owner.bank, asked.clone()).await.ok()["data"]["is_new"], true);
        let page = paid_with(&app.nobody(), &id, "00167890").await;
        assert_eq!(said(&page), "Todavía no encontramos su pago");
        assert_eq!((status(&owner, &id).await.as_str(), owner.balance().await), ("pending", 999));
    }

    async fn what_paid_a_link_is_new_to_nobody(app: TestApp) {
        let owner = app.owner().await;
        let id = make(&owner.key, &owner.bank, json!({})).await;
        paid_with(&app.nobody(), &id, "167890").await;
        for body in [
            json!({ "bank_reference": "167890" }),
            json!({ "bank_reference": "167890", "amount": 150.75 }),
        ] {
            let answer = owner.key.verify(&owner.bank, body).await.ok();
            assert_eq!(answer["data"]["is_new"], false);
            assert_eq!(answer["data"]["credit_cost"], 0);
        }
        let other = make(&owner.key, &owner.bank, json!({})).await;
        let page = paid_with(&app.nobody(), &other, "167890").await;
        assert_eq!(said(&page), "Todavía no encontramos su pago");
        assert_eq!(owner.balance().await, 999);
    }
}
