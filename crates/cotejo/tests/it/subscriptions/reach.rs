//! Who sees which subscriptions.

use serde_json::{Value, json};
use testkit::{Setup, either_engine};

use super::{act, begin, id, make};

either_engine! {
    async fn a_clients_key_makes_and_sees_its_clients_own(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let (client, other) = (owner.client(true).await, owner.client(true).await);
        let (key, stranger) = (owner.client_key(&client).await, owner.client_key(&other).await);
        let (bank, _) = (key.link_bank().await, stranger.link_bank().await);
        let of_client = id(&make(&key, &bank, json!({})).await);
        app.clock().advance(std::time::Duration::from_millis(1));
        // On the account of the client, by the owner.
        let of_owner = id(&make(&owner.key, &bank, json!({})).await);
        let listed = async |caller: &testkit::Principal| {
            let answer = caller.post("/me/subscriptions", json!({})).await.ok();
            answer["subscriptions"].as_array().unwrap().iter().map(id).collect::<Vec<_>>()
        };
        assert_eq!(listed(&key).await, [of_client.as_str()]);
        assert_eq!(listed(&stranger).await, [""; 0]);
        assert_eq!(listed(&owner.key).await, [of_owner.as_str(), of_client.as_str()]);
        for caller in [&*key, &*stranger] {
            let details = caller.get(&format!("/subscriptions/{of_owner}/details")).await;
            details.refused(404, "NOT_FOUND");
            let cycles = caller.get(&format!("/v1/subscriptions/{of_owner}/cycles")).await;
            cycles.refused(404, "NOT_FOUND");
            for what in ["cancelbyowner", "undo-cancel", "pause", "resume", "cycles/1/link", "cycles/1/waive", "payer-page"] {
                act(caller, &of_owner, what, json!({})).await.refused(404, "NOT_FOUND");
            }
            act(caller, &of_owner, "price", json!({ "productPrice": 1 })).await.refused(404, "NOT_FOUND");
            let policy = json!({ "unpaidPolicy": "end" });
            act(caller, &of_owner, "unpaid-policy", policy).await.refused(404, "NOT_FOUND");
        }
        let state: Value = key.get(&format!("/subscriptions/{of_client}/details")).await.ok();
        assert_eq!(state["data"]["subscription"]["status"], "pending");
        act(&key, &of_client, "cancelbyowner", json!({})).await.ok();
    }

    async fn a_key_without_the_permission_makes_none(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let key = owner.key_with(&["payment_links"]).await;
        let answer = key.post("/v1/subscription/make", super::wanted(&owner.bank, &json!({}))).await;
        answer.refused(403, "FORBIDDEN");
        let permitted = owner.key_with(&["subscriptions"]).await;
        make(&permitted, &owner.bank, json!({})).await;
    }
}
