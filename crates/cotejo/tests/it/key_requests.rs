//! How many requests of one key are accepted in a minute, where the operator has set a limit.

use std::time::Duration;

use serde_json::json;
use testkit::{Response, Setup, TestApp, either_engine};

fn limits(answer: &Response) -> (Option<&str>, Option<&str>) {
    (answer.header("ratelimit"), answer.header("ratelimit-policy"))
}

const POLICY: Option<&str> = Some("\"requests\";q=3;w=60");

either_engine! {
    async fn a_key_without_a_limit_is_always_answered_and_shown_none(app: TestApp) {
        let owner = app.owner().await;
        for _ in 0..100 {
            let answer = owner.key.get("/me").await;
            assert_eq!((answer.status, limits(&answer)), (200, (None, None)));
        }
    }

    async fn every_answer_to_a_key_shows_what_is_left(setup: Setup) {
        let app = setup.key_requests_per_minute(3).start().await;
        let owner = app.owner().await;
        let key = owner.key_with(&["payment_verifications"]).await;
        let answer = key.get("/me").await;
        assert_eq!((answer.status, limits(&answer)), (200, (Some("\"requests\";r=2;t=20"), POLICY)));
        // A refusal of what was asked shows it as well.
        let answer = key.verify("bank_1", json!({})).await;
        answer.refused(404, "NOT_FOUND");
        assert_eq!(limits(&answer), (Some("\"requests\";r=1;t=40"), POLICY));
        key.get("/me").await.ok();

        let answer = key.get("/me").await;
        let body = answer.refused(429, "REQUEST_LIMIT_REACHED");
        assert!(body["message"].as_str().unwrap().starts_with("too many requests"), "{body}");
        assert_eq!(answer.header("retry-after"), Some("20"));
        assert_eq!(limits(&answer), (Some("\"requests\";r=0;t=60"), POLICY));
        // Nothing was done.
        key.verify(&owner.bank, json!({ "bank_reference": "67890" })).await
            .refused(429, "REQUEST_LIMIT_REACHED");
        assert_eq!(owner.balance().await, 1_000);

        app.clock().advance(Duration::from_secs(19));
        key.get("/me").await.refused(429, "REQUEST_LIMIT_REACHED");
        app.clock().advance(Duration::from_secs(1));
        key.verify(&owner.bank, json!({ "bank_reference": "67890" })).await.ok();
        key.get("/me").await.refused(429, "REQUEST_LIMIT_REACHED");
    }

    async fn keys_are_counted_apart_and_sessions_are_not(setup: Setup) {
        let app = setup.key_requests_per_minute(3).start().await;
        let owner = app.owner().await;
        let key = owner.key_with(&["payment_verifications"]).await;
        for _ in 0..3 {
            key.get("/me").await.ok();
        }
        // Both forms of its header are the same key.
        key.by_app_key().get("/me").await.refused(429, "REQUEST_LIMIT_REACHED");
        owner.key.get("/me").await.ok();
        for _ in 0..10 {
            let answer = owner.get("/me").await;
            assert_eq!((answer.status, limits(&answer)), (200, (None, None)));
        }
    }

    async fn what_a_key_may_not_do_is_counted_too(setup: Setup) {
        let app = setup.key_requests_per_minute(3).start().await;
        let owner = app.owner().await;
        let key = owner.key_with(&["payment_links"]).await;
        for left in ["2;t=20", "1;t=40", "0;t=60"] {
            let answer = key.verify(&owner.bank, json!({ "bank_reference": "67890" })).await;
            answer.refused(403, "FORBIDDEN");
            let left = format!("\"requests\";r={left}");
            assert_eq!(limits(&answer), (Some(left.as_str()), POLICY));
        }
        key.get("/me").await.refused(429, "REQUEST_LIMIT_REACHED");
    }

    async fn a_key_that_has_ended_is_refused_as_such_however_often_it_asked(setup: Setup) {
        let app = setup.key_requests_per_minute(3).start().await;
        let owner = app.owner().await;
        let key = owner.key_with(&["payment_verifications"]).await;
        for _ in 0..3 {
            key.get("/me").await.ok();
        }
        owner.revoke(&key).await;
        let answer = key.get("/me").await;
        answer.refused(401, "UNAUTHORIZED");
        assert_eq!(limits(&answer), (None, None));
    }
}
