//! Which accounts a caller may ask about. One out of reach answers like one that does not exist.

use serde_json::json;
use testkit::{Response, TestApp, both_engines};

/// The same answer for everything that is out of reach.
#[track_caller]
fn is_out_of_reach(answer: &Response) {
    let body = answer.refused(404, "NOT_FOUND");
    assert!(body["message"].as_str().unwrap().starts_with("user_bank not found"), "{body}");
    assert!(body.get("details").is_none() && body.get("facts").is_none(), "{body}");
}

both_engines! {
    async fn a_limited_key_reaches_its_selection(app: TestApp) {
        let owner = app.owner().await;
        let other = owner.key.link_bank().await;
        let key = owner.key_for(&[&other]).await;
        let asked = json!({ "bank_reference": "67890" });
        key.verify(&other, asked.clone()).await.ok();
        is_out_of_reach(&key.verify(&owner.bank, asked).await);
    }

    async fn what_is_another_owners_does_not_exist(app: TestApp) {
        let (owner, stranger) = (app.owner().await, app.owner().await);
        let asked = json!({ "bank_reference": "67890" });
        let unknown = "bank_00000000000000000000000000";
        for bank in [stranger.bank.as_str(), unknown, "bank_1", &owner.key.id, "x"] {
            is_out_of_reach(&owner.key.verify(bank, asked.clone()).await);
            is_out_of_reach(&owner.verify(bank, asked.clone()).await);
        }
    }

    async fn the_account_comes_before_the_reference(app: TestApp) {
        let (owner, stranger) = (app.owner().await, app.owner().await);
        for body in [json!({}), json!({ "bank_reference": "x" }), json!({ "amount": "1" })] {
            is_out_of_reach(&owner.key.verify(&stranger.bank, body.clone()).await);
            owner.key.verify(&owner.bank, body).await.refused(400, "VALIDATION_ERROR");
        }
    }

    async fn a_clients_key_reaches_the_clients_accounts(app: TestApp) {
        let owner = app.owner().await;
        let (client, other) = (owner.client(true).await, owner.client(true).await);
        let (key, others) = (owner.client_key(&client).await, owner.client_key(&other).await);
        let (bank, others_bank) = (key.link_bank().await, others.link_bank().await);
        let asked = json!({ "bank_reference": "67890" });
        key.verify(&bank, asked.clone()).await.ok();
        is_out_of_reach(&key.verify(&others_bank, asked.clone()).await);
        is_out_of_reach(&key.verify(&owner.bank, asked.clone()).await);
        // The owner reaches everything.
        owner.key.verify(&others_bank, asked).await.ok();
    }

    async fn a_clients_key_verifies_only_where_the_owner_has_opened_it(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(false).await;
        let key = owner.client_key(&client).await;
        let bank = key.link_bank().await;
        let answer = key.verify(&bank, json!({ "bank_reference": "67890" })).await;
        answer.refused(403, "FORBIDDEN");
    }

    async fn the_permission_comes_before_the_account(app: TestApp) {
        let (owner, stranger) = (app.owner().await, app.owner().await);
        let key = owner.key_with(&["payment_links"]).await;
        let answer = key.verify(&stranger.bank, json!({ "bank_reference": "67890" })).await;
        answer.refused(403, "FORBIDDEN");
        let key = owner.key_with(&[]).await;
        let answer = key.verify(&stranger.bank, json!({ "bank_reference": "67890" })).await;
        answer.refused(403, "PERMISSIONS_NOT_CONFIGURED");
    }

    async fn a_repeat_shows_a_client_only_its_own_words(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let (one, other) = (owner.client_key(&client).await, owner.client_key(&client).await);
        let bank = one.link_bank().await;
        let ask = |source: &str| json!({ "bank_reference": "67890", "source_name": source });
        one.verify(&bank, ask("caja 1")).await.ok();
        let of_client = other.verify(&bank, ask("caja 2")).await.ok();
        assert_eq!(of_client["data"]["user_bank_payment"]["source_name"], "caja 1");
        let of_owner = owner.key.verify(&bank, ask("caja 3")).await.ok();
        assert_eq!(of_owner["data"]["user_bank_payment"]["source_name"], "caja 3");
    }
}
