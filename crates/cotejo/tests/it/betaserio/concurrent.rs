//! Many calls at once, in real time.

use futures_util::future::{join, join_all};
use serde_json::{Value, json};
use testkit::{Owner, Principal, Response, Setup, both_engines};

/// How many call at once about one movement.
const TILLS: usize = 50;

/// Fifty ways to ask about the same movement: spellings of the reference, and facts beside it.
fn questions(reference: &str) -> Vec<Value> {
    (0..TILLS)
        .map(|n| {
            let spelled = match n % 4 {
                0 => reference.to_owned(),
                1 => format!("{}{reference}", "0".repeat(n % 20)),
                2 => format!("0-{reference}"),
                _ => format!(" {reference}."),
            };
            let mut body = json!({ "bank_reference": spelled, "source_name": format!("caja {n}") });
            if n % 3 == 1 {
                body["amount"] = json!(100);
            }
            if n % 5 == 2 {
                body["phone_pagador"] = json!(format!("0414{n:07}"));
            }
            body
        })
        .collect()
}

/// How many answers ended so.
fn count(answers: &[Response], status: u16, code: &str) -> usize {
    answers.iter().filter(|answer| answer.end() == (status, code.to_owned())).count()
}

/// To how many it was reported as new, and the payments that were reported.
fn first_reports(answers: &[Response]) -> (usize, Vec<String>) {
    let bodies: Vec<Value> =
        answers.iter().filter(|answer| answer.status == 200).map(Response::ok).collect();
    let new = bodies.iter().filter(|body| body["data"]["is_new"] == true).count();
    let mut payments: Vec<String> = bodies
        .iter()
        .map(|body| body["data"]["user_bank_payment"]["id"].as_str().unwrap().to_owned())
        .collect();
    payments.sort();
    payments.dedup();
    (new, payments)
}

async fn ask_all(caller: &Principal, bank: &str, questions: Vec<Value>) -> Vec<Response> {
    join_all(questions.into_iter().map(|body| caller.verify(bank, body))).await
}

/// Asks for two hundred different payments, and meanwhile looks that no more is used than may be.
async fn rush(owner: &Owner, caller: &testkit::Key, bank: &str, limit: i64) -> Vec<Response> {
    let questions = (1..=200).map(|n| json!({ "bank_reference": format!("{n}67890") }));
    let done = std::cell::Cell::new(false);
    let calls = async {
        let answers = ask_all(caller, bank, questions.collect()).await;
        done.set(true);
        answers
    };
    let watch = async {
        while !done.get() {
            let record = owner.limit_of(caller).await;
            let used = record["quota_used"].as_i64().unwrap();
            assert!((0..=limit).contains(&used), "{record}");
            let balance = owner.balance().await;
            assert!(balance >= 0, "{balance}");
        }
    };
    join(calls, watch).await.0
}

both_engines! {
    async fn fifty_tills_and_one_movement(setup: Setup) {
        let app = setup.in_real_time().start().await;
        let owner = app.owner().await;
        let answers = ask_all(&owner.key, &owner.bank, questions("9967890")).await;
        assert_eq!(count(&answers, 200, ""), TILLS, "{:?}", ends(&answers));
        let (new, payments) = first_reports(&answers);
        assert_eq!((new, payments.len()), (1, 1));
        assert_eq!(owner.balance().await, 999);
        let costs: i64 =
            answers.iter().map(|answer| answer.ok()["data"]["credit_cost"].as_i64().unwrap()).sum();
        assert_eq!(costs, 1);
        assert_eq!(app.database().number("select count(*) from payments"), 1);
        assert_eq!(owner.activity_of(&owner.key).await["request_total"], TILLS);
    }

    async fn fifty_tills_with_keys_of_their_own(setup: Setup) {
        let app = setup.in_real_time().start().await;
        let owner = app.owner().await;
        let keys = join_all((0..5).map(|_| owner.key_with(&["payment_verifications"]))).await;
        let calls = questions("9967890").into_iter().enumerate();
        let calls = calls.map(|(n, body)| keys[n % keys.len()].verify(&owner.bank, body));
        let answers = join_all(calls).await;
        assert_eq!(count(&answers, 200, ""), TILLS, "{:?}", ends(&answers));
        assert_eq!(first_reports(&answers).0, 1);
        assert_eq!(first_reports(&answers).1.len(), 1);
        assert_eq!(owner.balance().await, 999);
    }

    async fn a_limit_of_one_and_fifty_spellings_of_one_question(setup: Setup) {
        let app = setup.in_real_time().start().await;
        let owner = app.owner().await;
        let key = owner.key_limited_to(1).await;
        let spelled = |n: usize| "0".repeat(n % 30) + "9967890";
        let spellings = (0..TILLS).map(|n| json!({ "bank_reference": spelled(n) }));
        let answers = ask_all(&key, &owner.bank, spellings.collect()).await;
        // A caller that asks the same as the one that was charged repeats it, whatever the limit.
        assert_eq!(count(&answers, 200, ""), TILLS, "{:?}", ends(&answers));
        assert_eq!(first_reports(&answers).0, 1);
        assert_eq!(owner.balance().await, 999);
    }

    async fn a_limit_of_one_and_fifty_questions_about_one_movement(setup: Setup) {
        let app = setup.in_real_time().start().await;
        let owner = app.owner().await;
        let key = owner.key_limited_to(1).await;
        let answers = ask_all(&key, &owner.bank, questions("9967890")).await;
        // Other facts are another question: before the movement is claimed it needs room of its
        // own, and afterwards it is a repeat.
        let confirmed = count(&answers, 200, "");
        let refused = count(&answers, 403, "API_KEY_MONTHLY_CREDIT_LIMIT_EXCEEDED");
        assert_eq!(confirmed + refused, TILLS, "{:?}", ends(&answers));
        assert_eq!((first_reports(&answers).0, first_reports(&answers).1.len()), (1, 1));
        assert_eq!(owner.balance().await, 999);
        let again = ask_all(&key, &owner.bank, questions("9967890")).await;
        assert_eq!((count(&again, 200, ""), first_reports(&again).0), (TILLS, 0));
    }

    async fn two_hundred_calls_and_a_limit_of_37(setup: Setup) {
        let app = setup.in_real_time().start().await;
        let owner = app.owner().await;
        let key = owner.key_limited_to(37).await;
        let answers = rush(&owner, &key, &owner.bank, 37).await;
        assert_eq!(count(&answers, 200, ""), 37, "{:?}", ends(&answers));
        assert_eq!(count(&answers, 403, "API_KEY_MONTHLY_CREDIT_LIMIT_EXCEEDED"), 163);
        let limit = owner.limit_of(&key).await;
        assert_eq!((&limit["quota_used"], &limit["remaining"]), (&json!(37), &json!(0)));
        assert_eq!(owner.balance().await, 1_000 - 37);
    }

    async fn two_hundred_calls_and_a_clients_quota_of_37(setup: Setup) {
        let app = setup.in_real_time().start().await;
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let key = owner.client_key(&client).await;
        let bank = key.link_bank().await;
        owner.set_quota(&client, json!(37)).await.ok();
        let answers = rush(&owner, &key, &bank, 37).await;
        assert_eq!(count(&answers, 200, ""), 37, "{:?}", ends(&answers));
        assert_eq!(count(&answers, 403, "CLIENT_MONTHLY_CREDIT_LIMIT_EXCEEDED"), 163);
        assert_eq!(owner.limit_of(&key).await["quota_used"], 37);
    }

    async fn two_hundred_calls_and_37_credits(setup: Setup) {
        let app = setup.in_real_time().start().await;
        let owner = app.owner_with(37).await;
        let answers = rush(&owner, &owner.key, &owner.bank, 37).await;
        assert_eq!(count(&answers, 200, ""), 37, "{:?}", ends(&answers));
        assert_eq!(count(&answers, 402, "NOT_ENOUGH_CREDITS"), 163);
        assert_eq!(owner.balance().await, 0);
    }
}

fn ends(answers: &[Response]) -> Vec<(u16, String)> {
    let mut ends: Vec<_> = answers.iter().map(Response::end).collect();
    ends.sort();
    ends.dedup();
    ends
}
