//! Browsers may call from any page, with a key and without cookies.

use testkit::{Response, TestApp, either_engine};

#[track_caller]
fn says(answer: &Response, name: &str, value: &str) {
    assert_eq!(answer.header(name), Some(value), "{answer:?}");
}

either_engine! {
    async fn a_browser_may_ask_what_any_caller_may(app: TestApp) {
        for path in ["/userbankpayment/bank_1/betaserio", "/me", "/auth/login", "/nowhere"] {
            let call = app.nobody().request("OPTIONS", path);
            let call = call.header("origin", "https://shop.example");
            let call = call.header("access-control-request-method", "POST");
            let answer = call.header("access-control-request-headers", "appKey").send().await;
            assert_eq!(answer.status, 200, "{path}");
            says(&answer, "access-control-allow-origin", "*");
            says(&answer, "access-control-allow-methods", "GET, POST, PUT, PATCH, DELETE");
            says(
                &answer,
                "access-control-allow-headers",
                "appKey, authorization, content-type, idempotency-key",
            );
            assert_eq!(answer.header("access-control-allow-credentials"), None);
        }
    }

    async fn every_answer_may_be_read_by_the_page(app: TestApp) {
        let owner = app.owner().await;
        for answer in [
            owner.get("/me").await,
            owner.get("/nowhere").await,
            app.nobody().get("/me").await,
            owner.put("/me", serde_json::json!({})).await,
        ] {
            says(&answer, "access-control-allow-origin", "*");
            says(
                &answer,
                "access-control-expose-headers",
                "Retry-After, RateLimit, RateLimit-Policy, X-Request-Id",
            );
        }
    }
}
