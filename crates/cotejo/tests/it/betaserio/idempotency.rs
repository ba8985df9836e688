//! A verification with an `Idempotency-Key`: the same call again gets the same answer.

use std::future::pending;
use std::pin::pin;
use std::time::Duration;

use futures_util::future::{Either, join, select};
use serde_json::{Value, json};
use testkit::principal::verify_path;
use testkit::{Principal, Response, TestApp, both_engines};
use tokio::sync::Notify;

async fn verify(caller: &Principal, bank: &str, key: &str, body: &Value) -> Response {
    let call = caller.request("POST", &verify_path(bank)).header("Idempotency-Key", key);
    call.json(body).send().await
}

both_engines! {
    async fn a_success_is_repeated_byte_for_byte(app: TestApp) {
        let owner = app.owner().await;
        let asked = json!({ "bank_reference": "67890", "amount": 10 });
        let first = verify(&owner.key, &owner.bank, "a-1", &asked).await;
        assert_eq!(first.ok()["data"]["is_new"], true);
        app.clock().advance(Duration::from_hours(1));
        // A key may be quoted, as the standard has it, or bare.
        for key in ["a-1", "\"a-1\""] {
            let again = verify(&owner.key, &owner.bank, key, &asked).await;
            assert_eq!((again.status, &again.body), (200, &first.body));
        }
        assert_eq!(owner.balance().await, 999);
    }

    async fn another_body_is_another_request(app: TestApp) {
        let owner = app.owner().await;
        let ask = |amount: i64| json!({ "bank_reference": "67890", "amount": amount });
        verify(&owner.key, &owner.bank, "a-1", &ask(10)).await.ok();
        let answer = verify(&owner.key, &owner.bank, "a-1", &ask(11)).await;
        answer.refused(422, "IDEMPOTENCY_KEY_REUSED");
        let other_bank = owner.key.link_bank().await;
        let answer = verify(&owner.key, &other_bank, "a-1", &ask(10)).await;
        answer.refused(422, "IDEMPOTENCY_KEY_REUSED");
    }

    async fn every_call_is_an_attempt(app: TestApp) {
        let owner = app.owner().await;
        let ask = |amount: i64| json!({ "bank_reference": "67890", "amount": amount });
        verify(&owner.key, &owner.bank, "a-1", &ask(10)).await.ok();
        app.clock().advance(Duration::from_secs(1));
        verify(&owner.key, &owner.bank, "a-1", &ask(10)).await.ok();
        app.clock().advance(Duration::from_secs(1));
        let reused = verify(&owner.key, &owner.bank, "a-1", &ask(11)).await;
        reused.refused(422, "IDEMPOTENCY_KEY_REUSED");
        let activity = owner.activity_of(&owner.key).await;
        assert_eq!(activity["request_total"], 3);
        let requests = activity["requests"].as_array().unwrap();
        let ends: Vec<_> = requests.iter().map(|entry| entry["status"].as_str().unwrap()).collect();
        assert_eq!(ends, ["refused", "repeat", "confirmed"]);
    }

    async fn keys_of_two_callers_are_two_keys(app: TestApp) {
        let owner = app.owner().await;
        let other = owner.key_with(&["payment_verifications"]).await;
        let asked = json!({ "bank_reference": "67890" });
        let first = verify(&owner.key, &owner.bank, "a-1", &asked).await.ok();
        let second = verify(&other, &owner.bank, "a-1", &asked).await.ok();
        assert_eq!(first["data"]["is_new"], true);
        assert_eq!(second["data"]["is_new"], false);
    }

    async fn after_a_day_the_call_runs_again(app: TestApp) {
        let owner = app.owner().await;
        let asked = json!({ "bank_reference": "67890" });
        verify(&owner.key, &owner.bank, "a-1", &asked).await.ok();
        app.clock().advance(Duration::from_hours(24));
        let again = verify(&owner.key, &owner.bank, "a-1", &asked).await.ok();
        assert_eq!(again["data"]["is_new"], false);
    }

    async fn a_refusal_is_not_kept(app: TestApp) {
        let owner = app.owner().await;
        let asked = json!({ "bank_reference": "9910007" });
        let answer = verify(&owner.key, &owner.bank, "a-1", &asked).await;
        answer.refused(404, "PAYMENT_NOT_FOUND");
        app.clock().advance(Duration::from_secs(30));
        let found = verify(&owner.key, &owner.bank, "a-1", &asked).await;
        assert_eq!(found.ok()["data"]["is_new"], true);
        let again = verify(&owner.key, &owner.bank, "a-1", &asked).await;
        assert_eq!(again.body, found.body);
    }

    async fn a_running_verification_is_joined(app: TestApp) {
        let owner = app.owner().await;
        let asked = json!({ "bank_reference": "9910004" });
        let (clock, start) = (app.clock(), app.now());
        let gives_up_at = start.plus(Duration::from_secs(12));
        let answers_at = start.plus(Duration::from_secs(15));
        let has_given_up = Notify::new();
        let first = async {
            let first = verify(&owner.key, &owner.bank, "a-1", &asked).await;
            has_given_up.notify_one();
            first
        };
        let second = async {
            clock.is_awaited(answers_at).await;
            clock.advance(Duration::from_secs(10));
            let time = async {
                clock.advance_to(gives_up_at);
                has_given_up.notified().await;
                clock.flow(pending()).await
            };
            let second = pin!(verify(&owner.key, &owner.bank, "a-1", &asked));
            match select(second, pin!(time)).await {
                Either::Left((second, _)) => second,
                Either::Right((never, _)) => never,
            }
        };
        let (first, second) = join(first, second).await;
        first.refused(503, "BANK_NOT_AVAILABLE");
        assert_eq!(second.ok()["data"]["is_new"], true);
        assert_eq!(owner.balance().await, 999);
    }

    async fn a_kept_answer_is_not_readable_in_the_database(app: TestApp) {
        let owner = app.owner().await;
        let asked = json!({ "bank_reference": "67890" });
        let body = verify(&owner.key, &owner.bank, "a-1", &asked).await.body;
        assert_eq!(app.database().number("select count(*) from idempotent_answers"), 1);
        let length = "select cast(length(answer) as bigint) from idempotent_answers";
        // A nonce, a tag and the number of the master key come to the body.
        assert!(app.database().number(length) > i64::try_from(body.len()).unwrap());
    }

    async fn a_key_has_at_most_255_characters(app: TestApp) {
        let owner = app.owner().await;
        let asked = json!({ "bank_reference": "67890" });
        for key in ["x".repeat(256), "\"\"".to_owned()] {
            let answer = verify(&owner.key, &owner.bank, &key, &asked).await;
            let body = answer.refused(400, "VALIDATION_ERROR");
            assert_eq!(body["details"][0]["field"], "Idempotency-Key");
        }
        verify(&owner.key, &owner.bank, &"x".repeat(255), &asked).await.ok();
    }
}
