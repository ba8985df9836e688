//! A payment that the bank does not show, or not yet.

use std::time::Duration;

use serde_json::json;
use testkit::{TestApp, either_engine};

either_engine! {
    async fn it_may_still_appear_and_costs_nothing(app: TestApp) {
        let owner = app.owner().await;
        let asked = json!({ "bank_reference": "123456" });
        let answer = owner.key.verify(&owner.bank, asked.clone()).await;
        let message = answer.refused(404, "PAYMENT_NOT_FOUND")["message"].clone();
        let message = message.as_str().unwrap();
        assert!(message.starts_with("payment not found"), "{message}");
        assert!(message.contains("puede aparecer"), "{message}");

        assert_eq!(owner.balance().await, 1_000);
        let limit = owner.limit_of(&owner.key).await;
        assert_eq!((&limit["quota_used"], &limit["operations"]), (&json!(0), &json!(0)));
        let activity = owner.activity_of(&owner.key).await;
        assert_eq!((&activity["credit_total"], &activity["credits"]), (&json!(0), &json!([])));
        assert_eq!(activity["requests"][0]["status"], "not_found");
        assert_eq!(activity["requests"][0]["error_code"], "PAYMENT_NOT_FOUND");
    }

    async fn the_bank_is_asked_again_every_time(app: TestApp) {
        let owner = app.owner().await;
        let asked = json!({ "bank_reference": "9910007" });
        owner.key.verify(&owner.bank, asked.clone()).await.refused(404, "PAYMENT_NOT_FOUND");
        app.clock().advance(Duration::from_secs(29));
        owner.key.verify(&owner.bank, asked.clone()).await.refused(404, "PAYMENT_NOT_FOUND");
        app.clock().advance(Duration::from_secs(1));
        let answer = owner.key.verify(&owner.bank, asked).await.ok();
        assert_eq!(answer["data"]["is_new"], true);
        assert_eq!(owner.balance().await, 999);
        assert_eq!(owner.activity_of(&owner.key).await["request_total"], 3);
    }
}
