//! The bank shows the reference, with something else than was asked.

use serde_json::json;
use testkit::{TestApp, either_engine};

either_engine! {
    async fn the_amount_is_shown_to_a_caller_that_typed_six_digits(app: TestApp) {
        let owner = app.owner().await;
        let asked = json!({ "bank_reference": "9910001", "amount": 150.75 });
        let answer = owner.key.verify(&owner.bank, asked).await;
        let body = answer.refused(400, "PAYMENT_AMOUNT_NOT_VALID");
        assert_eq!(body["facts"], json!({ "bank_amount": 151.75 }));
        assert!(body["message"].as_str().unwrap().starts_with("payment amount not valid"));
        assert_eq!(owner.balance().await, 1_000);
    }

    async fn with_fewer_digits_it_is_not(app: TestApp) {
        let owner = app.owner().await;
        let asked = json!({ "bank_reference": "10001", "amount": 150.75 });
        let answer = owner.key.verify(&owner.bank, asked).await;
        let body = answer.refused(400, "PAYMENT_AMOUNT_NOT_VALID");
        assert!(body.get("facts").is_none(), "{body}");
    }

    async fn the_first_call_fixes_the_amount(app: TestApp) {
        let owner = app.owner().await;
        let ask = |amount: f64| json!({ "bank_reference": "167890", "amount": amount });
        owner.key.verify(&owner.bank, ask(20.0)).await.ok();
        let answer = owner.key.verify(&owner.bank, ask(30.0)).await;
        let body = answer.refused(400, "PAYMENT_AMOUNT_NOT_VALID");
        assert_eq!(body["facts"]["bank_amount"], 20.0);
        assert_eq!(owner.balance().await, 999);
    }

    async fn the_right_amount_is_accepted_afterwards(app: TestApp) {
        let owner = app.owner().await;
        let ask = |amount: f64| json!({ "bank_reference": "9910001", "amount": amount });
        owner.key.verify(&owner.bank, ask(10.0)).await.refused(400, "PAYMENT_AMOUNT_NOT_VALID");
        let answer = owner.key.verify(&owner.bank, ask(11.0)).await.ok();
        assert_eq!(answer["data"]["is_new"], true);
        assert_eq!(answer["data"]["user_bank_payment"]["amount"], 11.0);
    }

    async fn what_went_out_is_no_payment(app: TestApp) {
        let owner = app.owner().await;
        let answer = owner.key.verify(&owner.bank, json!({ "bank_reference": "9910009" })).await;
        answer.refused(400, "IS_NOT_POSITIVE_PAYMENT");
        assert_eq!(owner.balance().await, 1_000);
    }

    async fn what_the_bank_calls_conciliated_is_refused(app: TestApp) {
        let owner = app.owner().await;
        let answer = owner.key.verify(&owner.bank, json!({ "bank_reference": "9910002" })).await;
        answer.refused(409, "PAYMENT_ALREADY_EXISTS");
        let activity = owner.activity_of(&owner.key).await;
        assert_eq!(activity["requests"][0]["status"], "refused");
        assert_eq!(activity["requests"][0]["error_code"], "PAYMENT_ALREADY_EXISTS");
        assert_eq!(activity["credit_total"], 0);
    }
}
