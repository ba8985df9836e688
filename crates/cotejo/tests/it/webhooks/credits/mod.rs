//! What an owner's systems are sent about its own affairs: `/v1/webhooks/endpoint` and what goes there.

mod balance;
mod endpoint;
mod failing;
pub(crate) mod guide;
mod limits;
mod months;

use serde_json::{Value, json};
use testkit::receiver::Receiver;
use testkit::{Key, Owner, Principal, TestApp};

const PATH: &str = "/v1/webhooks/endpoint";

/// Sets the owner's endpoint to that address, with these levels.
async fn listen(owner: &Owner, url: &str, levels: &[i64]) -> Value {
    let body = json!({ "url": url, "low_balance_levels": levels });
    owner.put(PATH, body).await.ok()["endpoint"].clone()
}

/// Confirms a new payment, which costs a credit.
async fn charge(key: &Principal, bank: &str, number: usize) {
    key.verify(bank, json!({ "bank_reference": format!("{number}67890") })).await.ok();
}

/// Confirms so many new payments, one after another.
async fn charge_all(key: &Key, bank: &str, numbers: std::ops::Range<usize>) {
    for number in numbers {
        charge(key, bank, number).await;
    }
}

/// How many events of that type were written, whether they have been received or not.
fn written(app: &TestApp, kind: &str) -> i64 {
    app.database()
        .number(&format!("select count(*) from webhook_deliveries where event = '{kind}'"))
}

/// Everything that the receiver got, once it got so much, by when it became true.
async fn events_of(receiver: &Receiver, count: usize) -> Vec<Value> {
    let received = receiver.received(count).await;
    let mut events: Vec<Value> =
        received.iter().map(|asked| serde_json::from_str(&asked.body).unwrap()).collect();
    events.sort_by_key(|event| event["id"].as_str().unwrap().to_owned());
    assert!(events.iter().all(|event| event.get("status").is_none()), "{events:?}");
    events
}
