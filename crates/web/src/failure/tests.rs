use std::num::NonZeroU32;

use domain::money::{Bolivars, Credits};
use domain::refusal::{BadCredentials, LimitFacts};
use domain::time::Timestamp;
use http_body_util::BodyExt;

use super::*;

/// The answer as status, headers and body.
async fn rendered(failure: impl Into<Failure>) -> (u16, HeaderMap, serde_json::Value) {
    let response = failure.into().render(Language::En, "req_1");
    let (parts, body) = response.into_parts();
    let bytes = body.collect().await.unwrap().to_bytes();
    (parts.status.as_u16(), parts.headers, serde_json::from_slice(&bytes).unwrap())
}

#[tokio::test]
async fn a_refusal_has_code_text_and_request() {
    let (status, headers, body) = rendered(Refusal::UserBankNotFound).await;
    assert_eq!(status, 404);
    assert_eq!(headers[CONTENT_TYPE], "application/json");
    assert_eq!(body["error"], "NOT_FOUND");
    assert_eq!(body["request_id"], "req_1");
    assert!(body["message"].as_str().unwrap().starts_with("user_bank not found"));
    assert_eq!(body.as_object().unwrap().len(), 3);
}

#[tokio::test]
async fn details_and_facts_are_there_only_where_there_are_some() {
    let details = vec![Detail::new("amount", ("debe ser un número", "must be a number"))];
    let (_, _, body) = rendered(Refusal::Validation(details)).await;
    let details = serde_json::json!([{"field": "amount", "problem": "must be a number"}]);
    assert_eq!(body["details"], details);
    assert!(body.get("facts").is_none());

    let facts = LimitFacts {
        limit: Credits::new(37),
        used: Credits::new(37),
        remaining: Credits::ZERO,
        resets_at: Timestamp::from_micros(0),
    };
    let (status, _, body) = rendered(Refusal::KeyCreditLimit(facts)).await;
    assert_eq!(status, 403);
    assert_eq!(
        body["facts"],
        serde_json::json!({
            "limit": 37, "used": 37, "remaining": 0, "resets_at": "1970-01-01T00:00:00.000Z",
        })
    );
    let amount = Some(Bolivars::from_hundredths(15_075));
    let (_, _, body) = rendered(Refusal::AmountNotValid { bank_amount: amount }).await;
    assert_eq!(body["facts"], serde_json::json!({"bank_amount": 150.75}));
}

#[tokio::test]
async fn headers_say_how_to_go_on() {
    let (status, headers, _) = rendered(Refusal::Unauthorized(BadCredentials::Missing)).await;
    assert_eq!((status, &headers[WWW_AUTHENTICATE]), (401, &HeaderValue::from_static("Bearer")));

    let too_many = TooMany {
        policy: Policy {
            name: "attempts",
            limit: NonZeroU32::new(10).unwrap(),
            window: Duration::from_secs(60),
        },
        retry_after_s: 6,
        full_after_s: 60,
    };
    let (status, headers, body) = rendered(too_many).await;
    assert_eq!(status, 429);
    assert_eq!(headers[RETRY_AFTER], "6");
    assert_eq!(headers[RATE_LIMIT], "\"attempts\";r=0;t=60");
    assert_eq!(headers[RATE_LIMIT_POLICY], "\"attempts\";q=10;w=60");
    assert!(body["message"].as_str().unwrap().starts_with("too many requests"));

    let (status, headers, _) = rendered(Refusal::BankNotAvailable).await;
    assert_eq!((status, &headers[RETRY_AFTER]), (503, &HeaderValue::from_static("5")));
}

#[tokio::test]
async fn a_fault_reveals_nothing() {
    let (status, _, body) = rendered(Failure::internal("the secret of the database")).await;
    assert_eq!(status, 500);
    assert_eq!(body["error"], "INTERNAL_SERVER_ERROR");
    assert!(!body.to_string().contains("secret"));
}

#[test]
fn a_chain_is_one_line() {
    let number = "x".parse::<i32>().unwrap_err();
    assert_eq!(
        chain(&Error::Internal(Box::new(number))),
        "internal: invalid digit found in string"
    );
}
