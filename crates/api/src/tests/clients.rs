//! What is different for the keys of a client.

use serde_json::json;

use super::world::{World, request};

/// A world with a client and a key of that client: its id, its text, and the client's id.
async fn with_client_key() -> (World, String, String, String) {
    let world = World::new().await;
    let client = world.client().await.to_string();
    let body = json!({"name": "caja", "client_owner_id": client}).to_string();
    let made = world.post(&world.key(), "/auth/api-key", &body).await;
    assert_eq!(made.status, 200, "{made:?}");
    let record = &made.body["api_key"];
    assert_eq!((&record["client_owner_id"], &record["permissions"]), (&json!(client), &json!([])));
    let text = |field: &str| record[field].as_str().unwrap().to_owned();
    (world, text("id"), text("api_key"), client)
}

#[tokio::test]
async fn what_a_clients_key_is_given_is_fixed() {
    let (world, _, _, client) = with_client_key().await;
    let own = world.owner.user_bank.unwrap().to_string();
    for (field, value, code) in [
        ("permissions", json!(["movements"]), "CLIENT_PERMISSIONS_FIXED"),
        ("user_banks", json!([own]), "ACCOUNT_NOT_IN_CLIENT"),
        ("client_owner_id", json!("cli_00000000000000000000000000"), "NOT_FOUND"),
        ("user_id", json!("own_00000000000000000000000000"), "FORBIDDEN"),
    ] {
        let mut body = json!({"name": "x", "client_owner_id": client});
        body[field] = value;
        let answer = world.post(&world.key(), "/auth/api-key", &body.to_string()).await;
        assert_eq!(answer.body["error"], code, "{field} {answer:?}");
    }
    // What was refused left nothing behind.
    let listed = world.get(&world.key(), "/me/api-keys").await;
    assert_eq!(listed.body["api_keys"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn a_client_sees_its_own_and_nothing_of_the_owner() {
    let (world, id, key, _) = with_client_key().await;
    let me = world.get(&key, "/me").await;
    assert_eq!(me.body["user"]["id"], world.owner.owner.to_string());
    assert!(me.body["user"].get("credits").is_none());
    let listed = world.get(&key, "/me/api-keys").await;
    assert_eq!(listed.body["api_keys"].as_array().unwrap().len(), 1);
    assert_eq!(listed.body["api_keys"][0]["id"], id);
    let default = format!("/api-keys/{}", world.owner.api_key_id);
    assert_eq!(world.get(&key, &default).await.status, 404);
    assert_eq!(world.get(&key, "/me/usersbank").await.body["user_banks"], json!([]));
    let issue = world.post(&key, "/auth/api-key", r#"{"name": "x"}"#).await;
    assert_eq!(issue.status, 403);
}

#[tokio::test]
async fn a_client_links_verifies_and_shares_its_quota() {
    let (world, id, key, client) = with_client_key().await;
    let linked = world.post(&key, "/usersbank", r#"{"bank_provider": "BANK_TEST"}"#).await;
    assert_eq!(linked.status, 200, "{linked:?}");
    let bank = linked.body["userbank"]["id"].as_str().unwrap();
    let path = format!("/userbankpayment/{bank}/betaserio");
    let own = world.post(&key, &world.betaserio(), r#"{"bank_reference": "1167890"}"#).await;
    assert_eq!(own.status, 404);

    let session = world.session().await;
    let token = session.trim_start_matches("Bearer ");
    let quota = format!("/v1/clients/{client}/credit-limit");
    let set = world.put(token, &quota, r#"{"monthly_credit_limit": 1}"#).await;
    assert_eq!((&set.body["remaining"], &set.body["inherited"]), (&json!(1), &json!(false)));

    let first = world.post(&key, &path, r#"{"bank_reference": "1167890"}"#).await;
    assert_eq!(first.body["data"]["is_new"], true, "{first:?}");
    assert!(first.body["data"].get("user_credits_total").is_none());
    let over = world.post(&key, &path, r#"{"bank_reference": "2267890"}"#).await;
    assert_eq!(over.body["error"], "CLIENT_MONTHLY_CREDIT_LIMIT_EXCEEDED");

    let limit = format!("/v1/api-keys/{id}/credit-limit");
    let headers = [("Authorization", session.as_str())];
    let shown = world.ask(request("GET", &limit, &headers, "")).await;
    let agreed = json!({"inherited": true, "monthly_credit_limit": 1, "consumed": 1,
        "operations": 1, "quota_used": 1, "remaining": 0});
    for (field, value) in agreed.as_object().unwrap() {
        assert_eq!(shown.body[field], *value, "{field}");
    }
    let own_limit = world.put(token, &limit, r#"{"monthly_credit_limit": 5}"#).await;
    assert_eq!(own_limit.body["error"], "CREDIT_LIMIT_INHERITED");
    let raised = world.put(token, &quota, r#"{"monthly_credit_limit": null}"#).await;
    assert_eq!((&raised.body["consumed"], &raised.body["operations"]), (&json!(1), &json!(1)));
}
