//! The examples of `webhooks.md` that nobody asks for with a command: what a receiver gets, and what the owner does.

use serde_json::{Value, json};
use testkit::receiver::Receiver;
use testkit::{TestApp, either_engine};

use super::credits::guide::{examples_of, shape};
use super::write;
use crate::pay;

const GUIDE: &str = include_str!("../../../../../docs/guide/webhooks.md");

/// The example of the guide that has this field, and its value.
fn example(field: &str) -> Value {
    let mut examples = examples_of(GUIDE).into_iter();
    examples.find(|example| example.get(field).is_some()).expect(field)
}

/// Holds that everything the guide shows is there and of the same type.
fn holds(shown: &Value, found: &Value) {
    match (shown, found) {
        (Value::Object(fields), Value::Object(found)) => {
            for (name, value) in fields {
                holds(value, found.get(name).unwrap_or_else(|| panic!("{name} is not there")));
            }
        }
        (shown, found) => assert_eq!(shape(shown), shape(found), "{shown} {found}"),
    }
}

either_engine! {
    async fn a_receiver_gets_what_the_guide_shows(app: TestApp) {
        let owner = app.owner().await;
        let receiver = Receiver::with_status(200);
        let more = json!({ "webhook_url": receiver.url(), "metadata": { "orden": "7" } });
        let id = pay::make(&owner.key, &owner.bank, more).await;
        pay::paid_with(&app.nobody(), &id, "167890").await;
        let received: Value = serde_json::from_str(&receiver.received(1).await[0].body).unwrap();
        let shown = example("payment_link_id");
        holds(&shown, &received);
        assert_eq!((&shown["metadata"], &shown["status"]), (&received["metadata"], &received["status"]));
    }

    async fn the_owner_is_notified_of_what_the_guide_shows(app: TestApp) {
        let owner = app.owner().await;
        let receiver = Receiver::with_status(500);
        write(&app, &owner, &receiver.url()).await.tried(&app, 1).await;
        let found = owner.get("/v1/notices").await.ok();
        let shown = example("notices");
        holds(&shown, &found);
        holds(&shown["notices"][0], &found["notices"][0]);
        assert_eq!(shown["notices"][0]["kind"], found["notices"][0]["kind"]);
    }
}
