//! The examples of the guide are what is really sent.

use std::collections::BTreeMap;

use domain::time::Timestamp;
use serde_json::{Value, json};
use testkit::receiver::Receiver;
use testkit::{Setup, either_engine};

use super::{PATH, charge, events_of, listen};
use crate::webhooks::write;

const GUIDE: &str = include_str!("../../../../../../docs/guide/credits-events.md");

/// The last second of November 2026 in Caracas, and the midnight after it.
const LATE: Timestamp = Timestamp::from_micros(1_796_097_599_000_000);
const DECEMBER: Timestamp = Timestamp::from_micros(1_796_097_600_000_000);

/// The JSON that the guide shows.
fn examples() -> Vec<Value> {
    examples_of(GUIDE)
}

/// The JSON that a guide shows, whatever of.
pub(crate) fn examples_of(guide: &str) -> Vec<Value> {
    let blocks = guide.split("```json").skip(1).map(|block| block.split("```").next().unwrap());
    // Behind the word is what it is an example of.
    blocks.map(|block| serde_json::from_str(block.split_once('\n').unwrap().1).unwrap()).collect()
}

/// Describes the fields of something and their types, at any depth.
pub(crate) fn shape(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (name.clone(), shape(value))).collect()
        }
        Value::String(_) => json!("text"),
        Value::Number(_) => json!("number"),
        Value::Array(_) => json!("list"),
        Value::Bool(_) => json!("truth"),
        Value::Null => json!("null"),
    }
}

either_engine! {
    async fn what_the_guide_shows_is_what_comes(setup: Setup) {
        let app = setup.from(LATE).start().await;
        let mut owner = app.owner_with(100).await;
        let (office, shop) = (Receiver::with_status(200), Receiver::with_status(500));
        listen(&owner, &office.url(), &[99]).await;
        let client = owner.client(true).await;
        let bank = owner.client_key(&client).await.link_bank().await;
        owner.set_quota(&client, json!(1)).await.ok();
        let key = owner.key_limited_to(1).await;
        charge(&key, &bank, 1).await;
        write(&app, &owner, &shop.url()).await.tried(&app, 1).await;
        events_of(&office, 4).await;
        app.settle().await;
        app.clock().advance_to(DECEMBER);
        app.settle().await;
        let sent: BTreeMap<String, Value> = events_of(&office, 5)
            .await
            .into_iter()
            .map(|event| (event["type"].as_str().unwrap().to_owned(), event))
            .collect();
        assert_eq!(sent.len(), 5);

        let (answers, events): (Vec<_>, Vec<_>) =
            examples().into_iter().partition(|example| example.get("type").is_none());
        assert_eq!((answers.len(), events.len()), (1, 5));
        for example in &events {
            let kind = example["type"].as_str().unwrap();
            assert_eq!(shape(example), shape(&sent[kind]), "{kind}");
            assert_eq!(example["livemode"], sent[kind]["livemode"], "{kind}");
        }
        let failing = events.iter().find(|event| event["data"].get("trouble").is_some()).unwrap();
        let trouble = &sent["webhooks.destination_failing"]["data"]["trouble"];
        assert_eq!(&failing["data"]["trouble"], trouble);
        owner.sign_in_again().await;
        assert_eq!(shape(&answers[0]), shape(&owner.get(PATH).await.ok()));
    }
}
