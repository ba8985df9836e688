//! What all answers have in common.

use domain::access::Rule;
use http::Method;

use super::world::{World, request};
use crate::endpoints;

#[tokio::test]
async fn every_operation_is_routed_and_hears_nobody_without_credentials() {
    let world = World::new().await;
    for entry in endpoints() {
        let path = entry.path.replace(['{', '}'], "");
        let answer = world.ask(request(entry.method.as_str(), &path, &[], "")).await;
        // What anybody may read is answered; what anybody may do wants a body.
        let expected = match (entry.rule, &entry.method) {
            (Rule::Public, &Method::GET) => 200,
            (Rule::Public, _) => 400,
            // Of the banks here none sends notices of payments by itself.
            (Rule::Hook, _) => 404,
            _ => 401,
        };
        assert_eq!(answer.status, expected, "{} {answer:?}", entry.name);
        if expected == 200 {
            continue;
        }
        assert!(answer.body["message"].is_string() && answer.body["request_id"].is_string());
    }
}

#[tokio::test]
async fn what_is_not_there_is_reported_in_the_common_shape() {
    let world = World::new().await;
    let answer = world.get(&world.key(), "/nothing").await;
    assert_eq!((answer.status, answer.body["error"].as_str()), (404, Some("NOT_FOUND")));
    let answer = world.post(&world.key(), "/me", "").await;
    assert_eq!((answer.status, answer.body["error"].as_str()), (405, Some("METHOD_NOT_SUPPORT")));
    assert_eq!(answer.headers["allow"], "GET,HEAD");
    let answer = world.get(&world.key(), "/userbankpayment/%ff/betaserio").await;
    assert_eq!(answer.body["error"], "METHOD_NOT_SUPPORT");
    let answer = world.post(&world.key(), "/userbankpayment/%ff/betaserio", "").await;
    assert_eq!((answer.status, answer.body["error"].as_str()), (400, Some("BAD_REQUEST")));
}

#[tokio::test]
async fn every_answer_may_be_read_by_a_browser_and_has_a_request_id() {
    let world = World::new().await;
    let answer = world.get(&world.key(), "/me").await;
    assert_eq!(answer.headers["access-control-allow-origin"], "*");
    let id = answer.headers["x-request-id"].to_str().unwrap();
    assert!(id.starts_with("req_"), "{id}");
    let given = request("GET", "/nothing", &[("X-Request-Id", "till-7")], "");
    let answer = world.ask(given).await;
    assert_eq!(answer.headers["x-request-id"], "till-7");
    assert_eq!(answer.headers["access-control-allow-origin"], "*");
    assert_eq!(answer.body["request_id"], "till-7");

    let answer = world.ask(request("OPTIONS", "/auth/api-key", &[], "")).await;
    assert_eq!(answer.status, 200);
    assert_eq!(
        answer.headers["access-control-allow-headers"],
        "appKey, authorization, content-type, idempotency-key"
    );
    assert_eq!(answer.headers["access-control-allow-methods"], "GET, POST, PUT, PATCH, DELETE");
}

#[tokio::test]
async fn bodies_are_bounded_json() {
    let world = World::new().await;
    let key = world.key();
    for (content_type, body, status) in [
        ("application/json", "{\"name\": \"x\"}", 200),
        ("text/plain", "{\"name\": \"x\"}", 415),
        ("text/plain", "", 400),
        ("application/json", "{\"name\"", 400),
        ("application/json", "[]", 400),
    ] {
        let headers = [("appKey", key.as_str()), ("Content-Type", content_type)];
        let answer = world.ask(request("POST", "/auth/api-key", &headers, body)).await;
        assert_eq!(answer.status, status, "{content_type} {body}");
    }
    let long = format!("{{\"name\": \"{}\"}}", "x".repeat(256 * 1024));
    let answer = world.post(&key, "/auth/api-key", &long).await;
    assert_eq!((answer.status, answer.body["error"].as_str()), (413, Some("PAYLOAD_TOO_LARGE")));
}

#[tokio::test]
async fn credentials_are_one_thing_in_one_form() {
    let world = World::new().await;
    let key = world.key();
    let bearer = format!("Bearer {key}");
    for (headers, status) in [
        (vec![("Authorization", bearer.as_str())], 200),
        (vec![("APPKEY", key.as_str())], 200),
        (vec![("Authorization", bearer.as_str()), ("appKey", key.as_str())], 200),
        (vec![("Authorization", bearer.as_str()), ("appKey", "other")], 401),
        (vec![("Authorization", key.as_str())], 401),
        (vec![("Authorization", "Basic YTpi"), ("appKey", key.as_str())], 401),
        (vec![], 401),
    ] {
        let answer = world.ask(request("GET", "/me", &headers, "")).await;
        assert_eq!(answer.status, status, "{headers:?}");
        assert_eq!(answer.headers.contains_key("www-authenticate"), status == 401);
    }
}

#[tokio::test]
async fn guessing_is_slowed_down_and_a_right_key_is_not() {
    let world = World::new().await;
    let wrong = [("appKey", "ck_live_guess")];
    for _ in 0..10 {
        assert_eq!(world.ask(request("GET", "/me", &wrong, "")).await.status, 401);
    }
    let answer = world.ask(request("GET", "/me", &wrong, "")).await;
    assert_eq!(
        (answer.status, answer.body["error"].as_str()),
        (429, Some("REQUEST_LIMIT_REACHED"))
    );
    for header in ["retry-after", "ratelimit", "ratelimit-policy"] {
        assert!(answer.headers.contains_key(header), "{header}");
    }
    assert_eq!(world.get(&world.key(), "/me").await.status, 200);
}
