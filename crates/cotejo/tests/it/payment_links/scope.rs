//! Which links a caller reaches: those of the accounts that it reaches.

use serde_json::json;
use testkit::{Principal, TestApp, both_engines};

use crate::pay::{info, make};

/// Everything that can be asked about a link is refused as if there were none.
async fn is_unknown_to(caller: &Principal, id: &str) {
    caller.get(&format!("/paymentlink/{id}/info")).await.refused(404, "NOT_FOUND");
    let path = format!("/paymentlink/{id}/patch");
    for body in [json!({ "amount": 5 }), json!({ "amount": "x" })] {
        caller.request("PATCH", &path).json(&body).send().await.refused(404, "NOT_FOUND");
    }
    for act in ["cancel", "stop", "resume", "reject"] {
        let answer = caller.post(&format!("/v1/paymentlink/{id}/{act}"), json!({})).await;
        answer.refused(404, "NOT_FOUND");
    }
}

async fn listed(caller: &Principal) -> Vec<String> {
    let body = caller.post("/me/payment-links", json!({})).await.ok();
    let links = body["payment_links"].as_array().unwrap();
    assert_eq!(body["total"], links.len());
    links.iter().map(|link| link["id"].as_str().unwrap().to_owned()).collect()
}

both_engines! {
    async fn another_owners_link_does_not_exist(app: TestApp) {
        let (owner, stranger) = (app.owner().await, app.owner().await);
        let id = make(&owner.key, &owner.bank, json!({})).await;
        is_unknown_to(&stranger.key, &id).await;
        is_unknown_to(&stranger, &id).await;
        for id in ["link_00000000000000000000000000", "link_1", &owner.bank] {
            is_unknown_to(&owner.key, id).await;
        }
        assert_eq!(info(&owner, &id).await["status"], "pending");
        assert!(listed(&stranger.key).await.is_empty());
        let body = json!({ "amount": 5, "description": "x", "user_bank_id": owner.bank });
        stranger.key.post("/v1/paymentlink", body).await.refused(404, "NOT_FOUND");
    }

    async fn a_clients_key_reaches_the_clients_links(app: TestApp) {
        let owner = app.owner().await;
        let (client, other) = (owner.client(true).await, owner.client(true).await);
        let (key, others) = (owner.client_key(&client).await, owner.client_key(&other).await);
        let bank = key.link_bank().await;
        let id = make(&key, &bank, json!({})).await;
        let of_owner = make(&owner.key, &owner.bank, json!({})).await;
        is_unknown_to(&others, &id).await;
        is_unknown_to(&key, &of_owner).await;
        assert_eq!(info(&key, &id).await["user_id"], owner.id.as_str());
        assert_eq!(listed(&key).await, std::slice::from_ref(&id));
        assert!(listed(&others).await.is_empty());
        assert_eq!(listed(&owner.key).await.len(), 2);
        // What the owner makes on the client's account is the owner's, and what it keeps with it.
        let unseen = make(&owner.key, &bank, json!({})).await;
        is_unknown_to(&key, &unseen).await;
        assert_eq!(listed(&key).await, [id]);
    }

    async fn a_limited_key_reaches_the_links_of_its_selection(app: TestApp) {
        let owner = app.owner().await;
        let selected = owner.key.link_bank().await;
        let key = owner
            .issue(json!({
                "name": "caja", "user_banks": [selected], "permissions": ["payment_links"],
            }))
            .await;
        let id = make(&key, &selected, json!({})).await;
        let outside = make(&owner.key, &owner.bank, json!({})).await;
        is_unknown_to(&key, &outside).await;
        assert_eq!(listed(&key).await, [id]);
        let body = json!({ "amount": "x", "description": 1, "user_bank_id": owner.bank });
        key.post("/v1/paymentlink", body).await.refused(404, "NOT_FOUND");
    }
}
