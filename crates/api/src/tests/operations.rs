//! Each operation once, through its route.

use serde_json::json;

use super::world::{EMAIL, World, request};

#[tokio::test]
async fn signing_in_opens_a_session_and_reveals_nothing_when_it_fails() {
    let world = World::new().await;
    let session = world.session().await;
    let headers = [("Authorization", session.as_str())];
    let me = world.ask(request("GET", "/me", &headers, "")).await;
    assert_eq!(me.body["user"]["email"], EMAIL);
    assert_eq!(me.body["user"]["credits"], 100);
    assert_eq!(me.body["user"]["id"], world.owner.owner.to_string());

    let mut answers = Vec::new();
    for email in [EMAIL, "nobody@example.com", "nonsense"] {
        let body = json!({"email": email, "password": "wrong"}).to_string();
        let headers = [("X-Request-Id", "same")];
        let answer = world.ask(request("POST", "/auth/login", &headers, &body)).await;
        assert_eq!(answer.status, 401);
        answers.push(answer.body);
    }
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
}

#[tokio::test]
async fn a_key_is_issued_listed_shown_and_used() {
    let world = World::new().await;
    let body = json!({"name": "caja", "permissions": ["payment_verifications"]}).to_string();
    let made = world.post(&world.key(), "/auth/api-key", &body).await;
    assert_eq!(made.status, 200, "{made:?}");
    let record = &made.body["api_key"];
    let text = record["api_key"].as_str().unwrap();
    assert!(text.starts_with("ck_live_") && text.len() == 46);
    assert_eq!(record["permissions"], json!(["payment_verifications"]));
    assert_eq!(record["client_owner_id"], json!(null));

    let id = record["id"].as_str().unwrap();
    let shown = world.get(&world.key(), &format!("/api-keys/{id}")).await;
    assert_eq!(shown.body["api_key"]["name"], "caja");
    assert!(shown.body["api_key"]["api_key"].as_str().unwrap().starts_with("ck_live_…"));
    let listed = world.get(&world.key(), "/me/api-keys").await;
    assert_eq!(listed.body["api_keys"].as_array().unwrap().len(), 2);

    assert_eq!(world.get(text, "/me").await.status, 200);
    assert_eq!(world.get(text, "/me/api-keys").await.status, 403);
    let unknown = world.get(&world.key(), "/api-keys/key_1").await;
    assert_eq!(unknown.status, 404);
}

#[tokio::test]
async fn an_issued_key_is_not_issued_again_for_the_same_idempotency_key() {
    let world = World::new().await;
    let key = world.key();
    let headers = [("appKey", key.as_str()), ("Idempotency-Key", "\"one\"")];
    let body = json!({"name": "caja"}).to_string();
    let send = |body: &str| world.ask(request("POST", "/auth/api-key", &headers, body));
    let made = send(&body).await;
    let again = send(&body).await;
    assert_eq!((again.status, again.body["error"].as_str()), (409, Some("CONFLICT")));
    assert_eq!(again.body["facts"]["id"], made.body["api_key"]["id"]);
    let other = send(&json!({"name": "other"}).to_string()).await;
    assert_eq!((other.status, other.body["error"].as_str()), (422, Some("IDEMPOTENCY_KEY_REUSED")));
    let listed = world.get(&key, "/me/api-keys").await;
    assert_eq!(listed.body["api_keys"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn rotation_ends_the_former_text_and_keeps_everything_else() {
    let world = World::new().await;
    let session = world.session().await;
    let headers = [("Authorization", session.as_str())];
    let path = "/v1/api-keys/default/rotate";
    let rotated = world.ask(request("POST", path, &headers, "{}")).await;
    assert_eq!(rotated.status, 200, "{rotated:?}");
    let record = &rotated.body["api_key"];
    assert_eq!(record["id"], world.owner.api_key_id.to_string());
    assert_eq!(record["default"], true);
    assert_eq!(world.get(&world.key(), "/me").await.status, 401);
    let text = record["api_key"].as_str().unwrap();
    assert_eq!(world.get(text, "/me").await.status, 200);
    let by_key = world.post(text, path, "{}").await;
    assert_eq!(by_key.body["error"], "OWNER_SESSION_REQUIRED");
}

#[tokio::test]
async fn a_payment_is_new_once_and_the_activity_shows_both_calls() {
    let world = World::new().await;
    let body = json!({"bank_reference": "0000067890", "amount": 150.75}).to_string();
    let first = world.post(&world.key(), &world.betaserio(), &body).await;
    assert_eq!(first.status, 200, "{first:?}");
    let message = first.body["message"].as_str().unwrap();
    assert!(message.starts_with("payment confirmed"), "{message}");
    assert_eq!(first.body["data"]["is_new"], true);
    assert_eq!(first.body["data"]["user_credits_total"], 99);
    let second = world.post(&world.key(), &world.betaserio(), &body).await;
    assert_eq!(second.body["data"]["is_new"], false);
    assert_eq!(second.body["data"]["credit_cost"], 0);
    let payment = |answer: &super::world::Answer| {
        answer.body["data"]["user_bank_payment"]["id"].as_str().map(str::to_owned)
    };
    assert_eq!(payment(&first), payment(&second));

    let session = world.session().await;
    let headers = [("Authorization", session.as_str())];
    let path = format!("/v1/api-keys/{}/activity", world.owner.api_key_id);
    let activity = world.ask(request("GET", &path, &headers, "")).await;
    assert_eq!(activity.body["credit_total"], 1);
    assert_eq!(activity.body["request_total"], 2);
    assert_eq!(activity.body["credits"][0]["amount"], -1);
    assert_eq!(activity.body["requests"][0]["status"], "repeat");
    let far = world.ask(request("GET", &format!("{path}?page=2"), &headers, "")).await;
    assert_eq!(far.body["requests"], json!([]));
    let wrong = world.ask(request("GET", &format!("{path}?month=x"), &headers, "")).await;
    assert_eq!(wrong.status, 400);
}

#[tokio::test]
async fn an_answer_that_reaches_nobody_gives_its_first_report_to_the_next_call() {
    let world = World::new().await;
    let body = json!({"bank_reference": "0000067890"}).to_string();
    let key = world.key();
    let headers = [("appKey", key.as_str())];
    drop(world.send(request("POST", &world.betaserio(), &headers, &body)).await);
    tokio::task::yield_now().await;
    let second = world.post(&key, &world.betaserio(), &body).await;
    assert_eq!(second.body["data"]["is_new"], true, "{second:?}");
    let third = world.post(&key, &world.betaserio(), &body).await;
    assert_eq!(third.body["data"]["is_new"], false);
}

#[tokio::test]
async fn the_account_comes_before_the_fields() {
    let world = World::new().await;
    let foreign = "/userbankpayment/bank_00000000000000000000000000/betaserio";
    let answer = world.post(&world.key(), foreign, "{}").await;
    assert_eq!(answer.status, 404);
    assert!(answer.body["message"].as_str().unwrap().starts_with("user_bank not found"));
    let answer = world.post(&world.key(), &world.betaserio(), "{}").await;
    assert_eq!(answer.body["error"], "VALIDATION_ERROR");
    assert_eq!(answer.body["details"][0]["field"], "bank_reference");
}

#[tokio::test]
async fn limits_are_set_shown_and_kept() {
    let world = World::new().await;
    let session = world.session().await;
    let token = session.trim_start_matches("Bearer ");
    let path = format!("/v1/api-keys/{}/credit-limit", world.owner.api_key_id);
    let set = world.put(token, &path, r#"{"monthly_credit_limit": 1}"#).await;
    assert_eq!(set.status, 200, "{set:?}");
    assert_eq!(set.body["remaining"], 1);

    let body = |reference: &str| json!({"bank_reference": reference}).to_string();
    let first = world.post(&world.key(), &world.betaserio(), &body("1167890")).await;
    assert_eq!(first.status, 200);
    let over = world.post(&world.key(), &world.betaserio(), &body("2267890")).await;
    assert_eq!(over.body["error"], "API_KEY_MONTHLY_CREDIT_LIMIT_EXCEEDED");
    assert_eq!(over.body["facts"]["limit"], 1);

    let headers = [("Authorization", session.as_str())];
    let shown = world.ask(request("GET", &path, &headers, "")).await;
    let agreed = json!({"inherited": false, "monthly_credit_limit": 1, "consumed": 1,
        "operations": 1, "quota_used": 1, "remaining": 0});
    for (field, value) in agreed.as_object().unwrap() {
        assert_eq!(shown.body[field], *value, "{field}");
    }
    let none = world.put(token, &path, r#"{"monthly_credit_limit": null}"#).await;
    assert_eq!(none.body["remaining"], json!(null));
    assert_eq!(none.body["consumed"], 1);
    let path = "/v1/clients/cli_00000000000000000000000000/credit-limit";
    let unknown = world.put(token, path, r#"{"monthly_credit_limit": 1}"#).await;
    assert_eq!(unknown.status, 404);
}

#[tokio::test]
async fn accounts_are_linked_and_listed() {
    let world = World::new().await;
    let body = json!({"bank_provider": "BANK_TEST", "user_id": world.owner.owner.to_string()});
    let linked = world.post(&world.key(), "/usersbank", &body.to_string()).await;
    assert_eq!(linked.status, 200, "{linked:?}");
    assert_eq!(linked.body["userbank"], linked.body["usersbank"]);
    let listed = world.get(&world.key(), "/me/usersbank").await;
    assert_eq!(listed.body["user_banks"].as_array().unwrap().len(), 2);
    assert_eq!(listed.body["user_banks"][1], linked.body["userbank"]);
    let facts = &listed.body["user_banks"][0]["verifications_types_available"][0];
    assert_eq!(facts["fields_required"], json!([{"name": "REFERENCE_NUMBER", "type": "STRING"}]));

    let other = json!({"bank_provider": "BANK_OF_NOWHERE"}).to_string();
    let refused = world.post(&world.key(), "/usersbank", &other).await;
    assert_eq!(refused.body["error"], "INVALID_BANK_PROVIDER");
    let foreign = json!({"bank_provider": "BANK_TEST", "user_id": "own_1"}).to_string();
    assert_eq!(world.post(&world.key(), "/usersbank", &foreign).await.status, 403);
}

#[tokio::test]
async fn a_bank_that_is_down_says_when_to_try_again() {
    let world = World::new().await;
    let body = json!({"bank_reference": "0010006"}).to_string();
    let down = world.post(&world.key(), &world.betaserio(), &body).await;
    assert_eq!(down.status, 503, "{down:?}");
    assert!(down.headers.contains_key("retry-after"));
    assert_eq!(world.get(&world.key(), "/v1/verifications/ver_1").await.status, 404);
}
