//! A bank that does not answer the question: never "not found".

use serde_json::json;
use testkit::{TestApp, either_engine};

either_engine! {
    async fn a_bank_that_is_down_says_nothing_of_the_payment(app: TestApp) {
        let owner = app.owner().await;
        for reference in ["9910006", "9910010"] {
            let asked = json!({ "bank_reference": reference });
            let answer = owner.key.verify(&owner.bank, asked).await;
            let body = answer.refused(503, "BANK_NOT_AVAILABLE");
            // The search is over: there is none to wait for.
            assert!(body.get("facts").is_none(), "{body}");
            let activity = owner.activity_of(&owner.key).await;
            assert_eq!(activity["requests"][0]["status"], "unknown");
            assert_eq!(activity["requests"][0]["error_code"], "BANK_NOT_AVAILABLE");
        }
        assert_eq!(owner.balance().await, 1_000);
        assert_eq!(owner.limit_of(&owner.key).await["quota_used"], 0);
    }

    async fn wrong_credentials_at_the_bank_are_the_owners_to_correct(app: TestApp) {
        let owner = app.owner().await;
        let answer = owner.key.verify(&owner.bank, json!({ "bank_reference": "9910008" })).await;
        answer.refused(400, "USER_BANCK_BAD_PASSWORD");
        assert_eq!(owner.balance().await, 1_000);
        let activity = owner.activity_of(&owner.key).await;
        assert_eq!(activity["requests"][0]["error_code"], "USER_BANCK_BAD_PASSWORD");
    }

    async fn every_failed_attempt_is_in_the_activity(app: TestApp) {
        let owner = app.owner().await;
        for _ in 0..3 {
            let asked = json!({ "bank_reference": "9910006" });
            owner.key.verify(&owner.bank, asked).await.refused(503, "BANK_NOT_AVAILABLE");
        }
        let activity = owner.activity_of(&owner.key).await;
        assert_eq!((&activity["request_total"], &activity["credit_total"]), (&json!(3), &json!(0)));
    }
}
