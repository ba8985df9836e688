//! A payment that was verified before: the same payment again, at no cost.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::{TestApp, either_engine};

/// Returns whether the payment was called new, what it cost, and its id.
fn result_of(answer: &Value) -> (bool, i64, &str) {
    let data = &answer["data"];
    (
        data["is_new"].as_bool().unwrap(),
        data["credit_cost"].as_i64().unwrap(),
        data["user_bank_payment"]["id"].as_str().unwrap(),
    )
}

either_engine! {
    async fn every_spelling_of_it_is_the_same_payment(app: TestApp) {
        let owner = app.owner().await;
        let asked = json!({ "bank_reference": "1167890", "amount": 20.5 });
        let first = owner.key.verify(&owner.bank, asked).await.ok();
        let (is_new, cost, id) = result_of(&first);
        assert_eq!((is_new, cost), (true, 1));
        for asked in [
            json!({ "bank_reference": "1167890", "amount": 20.5 }),
            json!({ "bank_reference": "000001167890", "amount": 20.5 }),
            json!({ "bank_reference": "11-67.890", "amount": 20.500001 }),
            json!({ "bank_reference": "1167890" }),
            json!({ "bank_reference": "1167890", "phone_pagador": "04141234567" }),
        ] {
            let again = owner.key.verify(&owner.bank, asked).await.ok();
            assert_eq!(result_of(&again), (false, 0, id));
            assert_eq!(again["data"]["user_credits_total"], 999);
            // What the payment itself cost, and what was asked first, stay what they were.
            assert_eq!(again["data"]["user_bank_payment"], first["data"]["user_bank_payment"]);
        }
        let limit = owner.limit_of(&owner.key).await;
        assert_eq!((&limit["consumed"], &limit["operations"]), (&json!(1), &json!(1)));
    }

    async fn another_reference_is_another_payment(app: TestApp) {
        let owner = app.owner().await;
        for reference in ["67890", "167890", "1167890"] {
            let asked = json!({ "bank_reference": reference });
            let answer = owner.key.verify(&owner.bank, asked).await.ok();
            assert_eq!((result_of(&answer).0, result_of(&answer).1), (true, 1), "{reference}");
        }
    }

    async fn another_key_is_shown_what_it_asked_itself(app: TestApp) {
        let owner = app.owner().await;
        let other = owner.key_with(&["payment_verifications"]).await;
        let ask = |source: &str| json!({ "bank_reference": "67890", "source_name": source });
        let first = owner.key.verify(&owner.bank, ask("caja 1")).await.ok();
        let second = other.verify(&owner.bank, ask("caja 2")).await.ok();
        assert_eq!(result_of(&second), (false, 0, result_of(&first).2));
        assert_eq!(second["data"]["user_bank_payment"]["source_name"], "caja 2");
        let same_key = owner.key.verify(&owner.bank, ask("caja 3")).await.ok();
        assert_eq!(same_key["data"]["user_bank_payment"]["source_name"], "caja 1");
    }

    async fn it_is_answered_whatever_limit_and_balance(app: TestApp) {
        let owner = app.owner_with(1).await;
        let key = owner.key_limited_to(1).await;
        let asked = json!({ "bank_reference": "67890" });
        key.verify(&owner.bank, asked.clone()).await.ok();
        assert_eq!(owner.balance().await, 0);
        let again = key.verify(&owner.bank, asked.clone()).await.ok();
        assert_eq!((result_of(&again).0, result_of(&again).1), (false, 0));
        owner.set_limit(&key, json!(0)).await.ok();
        assert_eq!(result_of(&key.verify(&owner.bank, asked).await.ok()).1, 0);
    }

    async fn it_is_known_for_good(app: TestApp) {
        let owner = app.owner().await;
        let asked = json!({ "bank_reference": "67890" });
        let first = owner.key.verify(&owner.bank, asked.clone()).await.ok();
        app.clock().advance(Duration::from_hours(24 * 90));
        let again = owner.key.verify(&owner.bank, asked).await.ok();
        assert_eq!(result_of(&again), (false, 0, result_of(&first).2));
    }

    async fn it_is_an_activity_entry_too(app: TestApp) {
        let owner = app.owner().await;
        for _ in 0..2 {
            owner.key.verify(&owner.bank, json!({ "bank_reference": "67890" })).await.ok();
        }
        let activity = owner.activity_of(&owner.key).await;
        assert_eq!(activity["request_total"], 2);
        assert_eq!(activity["credit_total"], 1);
        let of_repeat = &activity["requests"][0];
        assert_eq!(of_repeat["status"], "repeat");
        assert_eq!(of_repeat["error_code"], Value::Null);
    }

    async fn a_restart_forgets_nothing(mut app: TestApp) {
        let owner = app.owner().await;
        let asked = json!({ "bank_reference": "67890" });
        let first = owner.key.verify(&owner.bank, asked.clone()).await.ok();
        app.restart().await;
        let again = owner.key.verify(&owner.bank, asked).await.ok();
        assert_eq!(result_of(&again), (false, 0, result_of(&first).2));
    }
}
