//! A bank that is slower than a caller waits: the search goes on, and its result is not lost.

use std::time::Duration;

use domain::verification::JOIN_POLL;
use futures_util::future::join3;
use serde_json::{Value, json};
use testkit::{Owner, TestApp, both_engines};

use crate::slow_bank::{
    ANSWER, LOST_REFERENCE, SLOW, SLOW_REFERENCE, about, finish, outwait, time_out, time_out_call,
};

async fn status(owner: &Owner, id: &str) -> Value {
    owner.key.get(&format!("/v1/verifications/{id}")).await.ok()["verification"]["status"].clone()
}

both_engines! {
    async fn the_caller_is_answered_in_time_and_the_next_call_gets_the_first_report(app: TestApp) {
        let owner = app.owner().await;
        let id = time_out(&app, &owner.key, &owner.bank, SLOW_REFERENCE).await;
        assert_eq!(status(&owner, &id).await, "asking");
        let limit = owner.limit_of(&owner.key).await;
        assert_eq!((&limit["consumed"], &limit["quota_used"]), (&json!(0), &json!(1)));

        finish(&app).await;
        assert_eq!(status(&owner, &id).await, "confirmed");
        assert_eq!(owner.balance().await, 999);
        let answer = owner.key.verify(&owner.bank, about(SLOW_REFERENCE)).await.ok();
        assert_eq!(answer["data"]["is_new"], true);
        assert_eq!(answer["data"]["credit_cost"], 1);
        let answer = owner.key.verify(&owner.bank, about(SLOW_REFERENCE)).await.ok();
        assert_eq!(answer["data"]["is_new"], false);
        assert_eq!(owner.balance().await, 999);
    }

    async fn a_call_of_tomorrow_is_the_same_call_after_midnight(app: TestApp) {
        let owner = app.owner().await;
        // A few seconds before midnight in Caracas. Clients send the day of UTC, which is tomorrow.
        app.clock().advance(Duration::from_hours(16) - Duration::from_secs(5));
        let asked = json!({ "bank_reference": SLOW_REFERENCE, "fecha_pago": "2026-11-21" });
        time_out_call(&app, &owner.key, &owner.bank, asked.clone()).await;
        finish(&app).await;
        let answer = owner.key.verify(&owner.bank, asked.clone()).await.ok();
        assert_eq!(answer["data"]["is_new"], true);
        let answer = owner.key.verify(&owner.bank, asked).await.ok();
        assert_eq!(answer["data"]["is_new"], false);
        assert_eq!(owner.balance().await, 999);
    }

    async fn a_repeat_joins_the_search_that_still_runs(app: TestApp) {
        let owner = app.owner().await;
        time_out(&app, &owner.key, &owner.bank, SLOW_REFERENCE).await;
        app.clock().advance(SLOW - ANSWER - Duration::from_secs(1));
        let answer = app.clock().flow(owner.key.verify(&owner.bank, about("0-9910004"))).await.ok();
        // The answer that says that it is new says its cost.
        assert_eq!((&answer["data"]["is_new"], &answer["data"]["credit_cost"]), (&json!(true), &json!(1)));
        assert_eq!(owner.balance().await, 999);
        assert_eq!(app.database().number("select count(*) from verifications"), 1);
    }

    async fn a_call_that_joins_the_search_in_vain_is_an_attempt_too(app: TestApp) {
        let owner = app.owner().await;
        let (start, asked) = (app.now(), about(SLOW_REFERENCE));
        let patience = async {
            for instant in [SLOW, ANSWER, JOIN_POLL] {
                app.clock().is_awaited(start.plus(instant)).await;
            }
            app.clock().advance(ANSWER);
        };
        let ask = || owner.key.verify(&owner.bank, asked.clone());
        let (first, second, ()) = join3(ask(), ask(), patience).await;
        let [first, second] = [first, second].map(|answer| {
            let body = answer.refused(503, "BANK_NOT_AVAILABLE");
            body["facts"]["verification_id"].clone()
        });
        assert_eq!(first, second);
        finish(&app).await;
        let activity = owner.activity_of(&owner.key).await;
        assert_eq!(activity["request_total"], 2);
        let ends: Vec<_> = activity["requests"].as_array().unwrap().iter().map(|entry| {
            (entry["status"].as_str().unwrap(), entry["error_code"].as_str())
        }).collect();
        assert_eq!(ends, [("confirmed", None), ("refused", Some("BANK_NOT_AVAILABLE"))]);
    }

    async fn another_question_about_it_gets_no_first_report(app: TestApp) {
        let owner = app.owner().await;
        let till = owner.key_with(&["payment_verifications"]).await;
        time_out(&app, &owner.key, &owner.bank, SLOW_REFERENCE).await;
        finish(&app).await;
        let answer = till.verify(&owner.bank, about(SLOW_REFERENCE)).await.ok();
        assert_eq!(answer["data"]["is_new"], false);
        let answer = owner.key.verify(&owner.bank, about(SLOW_REFERENCE)).await.ok();
        assert_eq!(answer["data"]["is_new"], true);
    }

    async fn a_bank_that_never_answers_is_given_up(app: TestApp) {
        let owner = app.owner().await;
        let start = app.now();
        let id = time_out(&app, &owner.key, &owner.bank, LOST_REFERENCE).await;
        outwait(&app, start, start.plus(ANSWER)).await;
        app.settle().await;
        assert_eq!(status(&owner, &id).await, "unknown");
        assert_eq!(owner.limit_of(&owner.key).await["quota_used"], 0);
        assert_eq!(owner.balance().await, 1_000);
    }

    async fn the_credit_of_a_running_search_is_held(app: TestApp) {
        let owner = app.owner_with(1).await;
        time_out(&app, &owner.key, &owner.bank, SLOW_REFERENCE).await;
        // It is not spent, and it cannot be spent twice.
        assert_eq!(owner.balance().await, 1);
        let answer = owner.key.verify(&owner.bank, about("67890")).await;
        answer.refused(402, "NOT_ENOUGH_CREDITS");
        finish(&app).await;
        assert_eq!(owner.balance().await, 0);
    }
}
