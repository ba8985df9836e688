//! Accounts at a bank that wants more than one secret: what it declares is all that the service knows of it.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use bank::{
    Access, Asking, Bank, Capabilities, Checking, CredentialFact, Field, Format, Label, Question,
    Requirement,
};
use domain::matching::{MovementKind, Rule};
use domain::time::Timestamp;
use domain::verification::{Answer, Failure};
use serde_json::{Value, json};

use super::world::{World, request};

const fn text(name: &'static str, field: Field, is_secret: bool) -> CredentialFact {
    CredentialFact {
        name,
        field,
        label: Label { es: "lo que dio el banco", en: "what the bank gave you" },
        is_secret,
        format: Format::Text,
        max_len: 12,
        is_required: is_secret,
    }
}

static CAPABILITIES: Capabilities = Capabilities {
    provider: "MADE_UP",
    wire_name: "VE_BAN_MADE_UP",
    platform: "Banco imaginario",
    bank_code: Some("0199"),
    livemode: false,
    rule: Rule::Exact,
    questions: &[&[Requirement::ReferenceNumber]],
    payer_facts: &[],
    days_back: 2,
    deadline: Duration::from_secs(60),
    credentials: &[
        CredentialFact {
            name: "account",
            field: Field::Metadata("ACCOUNT_NUMBER"),
            label: Label { es: "el número de la cuenta", en: "the account's number" },
            is_secret: false,
            format: Format::AccountNumber,
            max_len: 20,
            is_required: true,
        },
        text("client_id", Field::Username, true),
        text("client_secret", Field::Password, true),
        text("working_key", Field::Metadata("WORKING_KEY"), true),
        text("terminal", Field::Metadata("TERMINAL"), false),
    ],
    verifies: &MovementKind::ALL,
    has_same_bank_references: false,
};

/// A bank that takes everything but one secret, and remembers what it was shown.
#[derive(Debug, Default)]
struct MadeUp {
    shown: Mutex<Vec<Value>>,
}

impl MadeUp {
    fn last(&self) -> Value {
        self.shown.lock().unwrap().last().cloned().unwrap_or_default()
    }

    fn count(&self) -> usize {
        self.shown.lock().unwrap().len()
    }

    fn show(&self, access: Access<'_>) -> Result<(), Failure> {
        let facts = access.credentials.iter();
        let shown: Value =
            facts.map(|(name, text)| (name.to_owned(), Value::from(text.expose()))).collect();
        let is_wrong = shown["client_secret"] == "wrong";
        self.shown.lock().unwrap().push(shown);
        if is_wrong { Err(Failure::RejectedCredentials) } else { Ok(()) }
    }
}

impl Bank for MadeUp {
    fn capabilities(&self) -> &'static Capabilities {
        &CAPABILITIES
    }

    fn ask<'a>(&'a self, question: Question<'a>) -> Asking<'a> {
        let access = question.access.ok_or(Failure::RejectedCredentials);
        let shown = access.and_then(|access| self.show(access));
        Box::pin(std::future::ready(match shown {
            Ok(()) => Answer::Shown { sightings: Vec::new(), is_complete: true },
            Err(failure) => Answer::Failed(failure),
        }))
    }

    fn check_access<'a>(&'a self, access: Access<'a>, _: Timestamp) -> Checking<'a> {
        Box::pin(std::future::ready(self.show(access)))
    }
}

/// A service that has this bank besides.
async fn world() -> (World, Arc<MadeUp>) {
    let bank = Arc::new(MadeUp::default());
    let world = World::with_bank(Some(Arc::clone(&bank) as Arc<dyn Bank>)).await;
    (world, bank)
}

fn body() -> Value {
    json!({
        "bank_provider": "VE_BAN_MADE_UP",
        "username": "made-up-id",
        "password": "first",
        "metadata": [
            { "key_name": "account_number", "key_value": "01990000890000000001" },
            { "key_name": "working_key", "key_value": "made-up-key" },
            { "key_name": "colour", "key_value": "nothing that the bank wants" },
        ],
    })
}

#[tokio::test]
async fn an_account_keeps_all_that_its_bank_declares_and_changes_one_of_it() {
    let (world, bank) = world().await;
    let linked = world.post(&world.key(), "/usersbank", &body().to_string()).await;
    assert_eq!(linked.status, 200, "{linked:?}");
    let declared = |secret: &str| json!({ "client_id": "made-up-id", "client_secret": secret, "working_key": "made-up-key" });
    assert_eq!(bank.last(), declared("first"));
    for secret in ["made-up-key", "first"] {
        assert!(!linked.body.to_string().contains(secret), "{linked:?}");
    }

    let id = linked.body["userbank"]["id"].as_str().unwrap().to_owned();
    let session = world.session().await;
    let change = async |secret: &str| {
        let path = format!("/v1/usersbank/{id}/change-secret");
        let body = json!({ "secret": secret }).to_string();
        world.ask(request("PUT", &path, &[("Authorization", &session)], &body)).await
    };
    // The others are as they were.
    assert_eq!(change("second").await.status, 200);
    assert_eq!(bank.last(), declared("second"));
    // What the bank does not take is not kept, and what it does not declare is not asked about.
    assert_eq!(change("wrong").await.body["error"], "USER_BANCK_BAD_PASSWORD");
    let asked = bank.count();
    assert_eq!(change("longer than 12").await.body["error"], "VALIDATION_ERROR");
    assert_eq!(bank.count(), asked);

    let verify = format!("/userbankpayment/{id}/betaserio");
    let body = json!({ "bank_reference": "123456" }).to_string();
    world.post(&world.key(), &verify, &body).await;
    assert_eq!((bank.count(), bank.last()), (asked + 1, declared("second")));
}

#[tokio::test]
async fn every_fact_that_is_missing_or_wrong_is_reported_by_its_field_and_the_bank_is_not_asked() {
    let (world, bank) = world().await;
    let refused = async |body: Value| {
        let answer = world.post(&world.key(), "/usersbank", &body.to_string()).await;
        assert_eq!((answer.status, &answer.body["error"]), (400, &json!("VALIDATION_ERROR")));
        answer.body.to_string()
    };
    let said = refused(json!({ "bank_provider": "VE_BAN_MADE_UP" })).await;
    for message in [
        "debe ser el número de la cuenta, que este banco exige",
        "es obligatorio: lo que dio el banco",
        "debe tener WORKING_KEY: lo que dio el banco",
    ] {
        assert!(said.contains(message), "{message}: {said}");
    }
    // One that is not required is not missed.
    assert!(!said.contains("TERMINAL"), "{said}");
    let mut long = body();
    long["metadata"][1]["key_value"] = json!("1234567890abc");
    let said = refused(long).await;
    assert!(said.contains("a lo más 12 caracteres"), "{said}");
    assert!(!said.contains("1234567890abc"), "{said}");
    assert_eq!(bank.count(), 0);
}

#[tokio::test]
async fn a_caller_that_tries_secrets_by_linking_is_counted_in_whichever_field_they_come() {
    let (world, bank) = world().await;
    let mut last = 200;
    for tried in 0..100 {
        let mut body = body();
        body["password"] = json!("wrong");
        body["username"] = json!(format!("id-{tried}"));
        last = world.post(&world.key(), "/usersbank", &body.to_string()).await.status;
        if last == 429 {
            break;
        }
    }
    let asked = bank.count();
    assert_eq!(last, 429, "{asked}");
    let mut without = body();
    without.as_object_mut().unwrap().remove("password");
    assert_eq!(world.post(&world.key(), "/usersbank", &without.to_string()).await.status, 429);
    assert_eq!(bank.count(), asked);
    // The sandbox wants no secret, so nothing is tried there.
    let sandbox = json!({ "bank_provider": "BANK_TEST" }).to_string();
    assert_eq!(world.post(&world.key(), "/usersbank", &sandbox).await.status, 200);
}

#[tokio::test]
async fn the_list_of_banks_says_what_an_account_is_linked_with() {
    let (world, _) = world().await;
    let listed = world.get(&world.key(), "/v1/platforms").await;
    let mut platforms = listed.body.as_array().unwrap().iter();
    let ours = platforms.find(|platform| platform["id"] == "MADE_UP").unwrap();
    let facts = ours["credentials"].as_array().unwrap().iter().map(|fact| {
        (fact["field"].as_str().unwrap(), fact["key_name"].as_str(), fact["is_secret"] == true)
    });
    assert_eq!(
        facts.collect::<Vec<_>>(),
        [
            ("metadata", Some("ACCOUNT_NUMBER"), false),
            ("username", None, true),
            ("password", None, true),
            ("metadata", Some("WORKING_KEY"), true),
            ("metadata", Some("TERMINAL"), false),
        ]
    );
}
