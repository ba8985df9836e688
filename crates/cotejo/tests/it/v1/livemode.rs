//! Test money never looks like money: every answer that names something of the test bank says so.

use api::endpoints;
use serde_json::{Value, json};
use testkit::bank::SimulatedBank;
use testkit::{Setup, either_engine};

use crate::dashboard::test_mode::{Shop, Things};
use crate::payment_links::accept::{OWED, shown};

/// Operations that say it by other means, or are the same for either kind of money, and why.
const OTHERS: [(&str, &str); 7] = [
    ("ListBankAccounts", "an account says its provider"),
    ("ShowAccountSettings", "how an account is set, which holds no money"),
    ("ShowCredits", "test payments cost credits like others"),
    ("ShowActivity", "test payments cost credits like others"),
    ("ShowEmployeeActivity", "test payments cost credits like others"),
    ("ListAudit", "who did what, whatever the money"),
    ("ShowEvidence", "a proof holds the body that was sent, which says it"),
];

/// The kinds of money of which the objects in an answer are that name one of these things, each by the nearest `livemode`
/// around it; nothing where there is none.
fn kinds(answer: &Value, things: &Things, around: Option<bool>, found: &mut Vec<Option<bool>>) {
    match answer {
        Value::Object(fields) => {
            let livemode = fields.get("livemode").and_then(Value::as_bool).or(around);
            // A place in a list is that of whatever is there.
            let named = fields.iter().filter(|(name, _)| *name != "next");
            let mut named = named.filter_map(|(_, value)| value.as_str());
            if named.any(|id| things.has(id)) {
                found.push(livemode);
            }
            for value in fields.values() {
                kinds(value, things, livemode, found);
            }
        }
        Value::Array(items) => {
            for item in items {
                kinds(item, things, around, found);
            }
        }
        _ => {}
    }
}

/// True if the schema, or one in it, has a field `livemode`.
fn has_livemode(document: &Value, schema: &Value, depth: u32) -> bool {
    if depth == 0 {
        return false;
    }
    let in_it = |one: &Value| has_livemode(document, one, depth - 1);
    match schema {
        Value::Object(fields) => {
            let named = fields.get("$ref").and_then(Value::as_str);
            let named = named.and_then(|name| document.pointer(name.trim_start_matches('#')));
            let properties = fields.get("properties").and_then(Value::as_object);
            properties.is_some_and(|properties| properties.contains_key("livemode"))
                || named.is_some_and(in_it)
                || fields.values().any(in_it)
        }
        Value::Array(items) => items.iter().any(in_it),
        _ => false,
    }
}

either_engine! {
    async fn every_answer_that_names_test_money_says_so(setup: Setup) {
        let bank = SimulatedBank::open().await;
        let app = setup.with_bank(&bank).start().await;
        let Shop { owner, test, real, .. } = Shop::new(&app, &bank).await;
        let document = app.nobody().get("/openapi.json").await.json();
        let (mut wrong, mut unseen) = (Vec::new(), Vec::new());
        for entry in endpoints() {
            let is_list = entry.method == "POST" && ["ListLinks", "ListSubscriptions"].contains(&entry.name);
            if entry.method != "GET" && !is_list {
                continue;
            }
            let method = entry.method.as_str().to_lowercase();
            let schema = &document["paths"][entry.path][&method]["responses"]["200"];
            let is_other = OTHERS.iter().any(|(name, _)| *name == entry.name);
            for (things, livemode) in [(&test, false), (&real, true)] {
                let mut path = things.path(entry.path);
                if entry.name == "ShowStatistics" {
                    path.push_str(&format!("?group_by=bank&livemode={livemode}"));
                }
                if entry.name == "ListReceipts" {
                    path.push_str(&format!("?livemode={livemode}"));
                }
                // What is about something else has nothing to name.
                if path.contains('{') {
                    continue;
                }
                let answer = match is_list {
                    true => owner.post(&path, json!({})).await,
                    false => owner.get(&path).await,
                };
                let is_json = answer.header("content-type").is_some_and(|it| it.contains("json"));
                if answer.status != 200 || !is_json {
                    continue;
                }
                let mut found = Vec::new();
                kinds(&answer.json(), things, None, &mut found);
                if !is_other && found.iter().any(|kind| *kind != Some(livemode)) {
                    wrong.push(format!("{} {livemode}: {found:?}", entry.name));
                }
                if found.is_empty() && has_livemode(&document, schema, 12) {
                    unseen.push(format!("{} {livemode}: {answer:?}", entry.name));
                }
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
        assert!(unseen.is_empty(), "nothing was there to be told apart: {unseen:#?}");
    }

    async fn money_of_the_test_bank_that_a_person_accepts_says_that_it_is_none(setup: Setup) {
        let app = setup.start().await;
        let owner = app.owner().await;
        let movement = shown(&app, &owner, "7654321", OWED).await;
        let accepted = owner.post(&format!("/v1/movements/{movement}/accept"), json!({})).await.ok();
        assert_eq!(accepted["message"], "payment confirmed: prueba, no es dinero");
        assert_eq!(accepted["data"]["livemode"], false);
        // It counts as no sum of money, however that is grouped.
        for group_by in ["day", "hour", "bank", "payer_bank", "currency", "person"] {
            let sums = owner.get(&format!("/v1/statistics?group_by={group_by}")).await.ok();
            assert_eq!((&sums["statistics"], &sums["has_test_payments"]), (&json!([]), &json!(true)));
        }
    }
}
