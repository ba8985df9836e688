//! What an operation does about fields and parameters that it does not take: every operation of the list, by its class.

mod nested;
mod sent_back;
mod taken_now;

use std::collections::BTreeMap;

use api::endpoints;
use serde_json::{Value, json};
use testkit::{Response, TestApp, either_engine};

use crate::world::{World, has_fields};

/// A field and a parameter that no operation takes.
const MADE_UP: &str = "made_up";

/// The calls whose shapes were described, or are those of programs that others have written; and what each must not lose.
/// All others are ours.
const TOLERANT: &[(&str, &[&str])] = &[
    ("CancelSubscription", &[]),
    ("ChangeBankSecret", &[]),
    ("ChangeLink", &["status", "user_bank_id"]),
    ("CreateKey", &[]),
    ("CreateLink", &["status"]),
    ("LinkBankAccount", &[]),
    ("ListBankAccounts", &[]),
    ("ListLinks", &[]),
    ("ListMovements", &[]),
    ("ListMyKeys", &[]),
    ("ListNotifications", &[]),
    ("ListPlatforms", &[]),
    ("ListSubscriptions", &[]),
    ("MakeSubscription", &["status"]),
    ("Me", &[]),
    ("NextInvoiceNumber", &[]),
    ("PayOutChange", &[]),
    ("PayOutChangeOfAccount", &[]),
    ("RotateDefaultKey", &[]),
    ("SetClientCreditLimit", &[]),
    ("SetCreditLimit", &[]),
    ("SetKeyScope", &["monthly_credit_limit", "permissions"]),
    ("ShowActivity", &[]),
    ("ShowCreditLimit", &[]),
    ("ShowExchangeRate", &[]),
    ("ShowKey", &[]),
    ("ShowLink", &[]),
    ("ShowLinkByShortPath", &[]),
    ("ShowPlan", &[]),
    ("ShowSubscription", &[]),
    ("ShowWebhookSecret", &[]),
    ("TakeBankNotice", &[]),
    ("TrashBankAccount", &[]),
    ("Verify", &[]),
];

/// The problem of the only field that is wrong.
#[track_caller]
fn problem(answer: &Response, place: &str, field: &str) -> String {
    assert_eq!(answer.end(), (400, "VALIDATION_ERROR".to_owned()), "{place}: {}", answer.text());
    let details = answer.json()["details"].as_array().unwrap().clone();
    let fields: Vec<_> = details.iter().map(|detail| &detail["field"]).collect();
    assert_eq!(fields, [field], "{place}");
    details[0]["problem"].as_str().unwrap().to_owned()
}

fn with(body: &Value, field: &str, value: Value) -> Value {
    let mut body = body.clone();
    body[field] = value;
    body
}

#[test]
fn every_operation_is_ours_unless_its_shape_is_described() {
    let declared = endpoints();
    let named = declared.iter().filter(|endpoint| !endpoint.is_strict).map(|endpoint| {
        let mut fields: Vec<_> = endpoint.elsewhere.iter().map(|(field, _)| *field).collect();
        fields.sort_unstable();
        (endpoint.name, fields)
    });
    let expected = TOLERANT.iter().map(|(name, fields)| (*name, fields.to_vec()));
    assert_eq!(BTreeMap::from_iter(named), BTreeMap::from_iter(expected));
}

#[test]
fn every_call_that_a_refusal_names_is_one_that_there_is() {
    let declared = endpoints();
    for endpoint in &declared {
        for (field, calls) in endpoint.elsewhere {
            for call in *calls {
                let (method, path) = call.split_once(' ').unwrap();
                let is_there = declared
                    .iter()
                    .any(|other| other.method.as_str() == method && other.path == path);
                assert!(is_there, "{} names {call} for {field}", endpoint.name);
            }
        }
    }
}

either_engine! {
    async fn a_call_of_ours_refuses_what_it_does_not_know_by_name_and_changes_nothing(app: TestApp) {
        let world = World::new(&app).await;
        let before = world.written();
        for endpoint in endpoints().iter().filter(|endpoint| endpoint.is_strict) {
            let example = world.example(endpoint);
            // What opens a session, or mails somebody, is held back by address if it is asked too often.
            app.clock().advance(std::time::Duration::from_secs(6));
            let answer = world.send(endpoint, &format!("?{MADE_UP}=1"), &example).await;
            let said = problem(&answer, endpoint.name, MADE_UP);
            assert!(said.starts_with("no es un parámetro de esta llamada, que "), "{said}");
            if has_fields(endpoint) {
                let body = with(&example, MADE_UP, json!(1));
                let answer = world.send(endpoint, "", &body).await;
                let said = problem(&answer, endpoint.name, MADE_UP);
                assert!(said.starts_with("no es un campo de esta llamada, que "), "{said}");
            }
            for (field, calls) in endpoint.elsewhere {
                let answer = world.send(endpoint, "", &with(&example, field, json!({ "a": 1 }))).await;
                let said = problem(&answer, endpoint.name, field);
                assert!(calls.iter().all(|call| said.contains(call)), "{said}");
            }
            if endpoint.method.as_str() == "PATCH" {
                for body in [json!({}), json!({ MADE_UP: null })] {
                    problem(&world.send(endpoint, "", &body).await, endpoint.name, "body");
                }
            }
            assert_eq!(world.written(), before, "{}", endpoint.name);
        }
    }

    async fn a_described_call_refuses_only_what_it_must_not_lose(app: TestApp) {
        let world = World::new(&app).await;
        let before = world.written();
        for endpoint in endpoints().iter().filter(|endpoint| !endpoint.is_strict) {
            for (field, calls) in endpoint.elsewhere {
                let body = with(&world.example(endpoint), field, json!(["made up"]));
                let answer = world.send(endpoint, "", &body).await;
                let said = problem(&answer, endpoint.name, field);
                assert!(calls.iter().all(|call| said.contains(call)), "{said}");
                assert_eq!(world.written(), before, "{}", endpoint.name);
            }
        }
    }
}
