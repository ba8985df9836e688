//! Subscriptions: their calls, and what becomes of them as days go by.

mod cancel;
mod charged;
mod clock;
mod cycles;
mod late;
mod making;
mod pause;
mod payer_page;
mod reach;
mod reminders;
mod unpaid_policy;
mod waive;
mod whole;

use app::queue::{Progress, pass};
use app::subscriptions::SubscriptionStep;
use domain::time::CaracasDate;
use serde_json::{Value, json};
use testkit::{Principal, Response, Setup, TestApp};

/// The day on which the tests begin.
const TODAY: &str = "2026-11-20";

/// A service on that day, at eight in the morning.
pub(crate) async fn begin(setup: Setup) -> TestApp {
    setup.from(hours_of(TODAY, 8)).start().await
}

fn hours_of(day: &str, hours: u64) -> domain::time::Timestamp {
    let midnight = CaracasDate::parse(day).unwrap().start();
    midnight.plus(std::time::Duration::from_secs(hours * 3_600))
}

/// Lets the day come, and does everything that is due then.
pub(crate) async fn day_comes(app: &TestApp, day: &str) {
    app.clock().set_to(hours_of(day, 8));
    attend(app).await;
}

/// Lets that hour of the day come, and does everything that is due then.
pub(crate) async fn hour_comes(app: &TestApp, day: &str, hours: u64) {
    app.clock().set_to(hours_of(day, hours));
    attend(app).await;
}

/// Does everything that is due.
async fn attend(app: &TestApp) {
    while pass::<SubscriptionStep>(app.app(), &|| false).await.unwrap() == Progress::More {}
}

/// The body of a request for a monthly subscription of 150,75 that is paid first, with something else.
fn wanted(bank: &str, more: &Value) -> Value {
    let mut body = json!({
        "user_bank_id": bank,
        "pay_first": true,
        "uniqueProduct": { "productName": "Gimnasio", "productPrice": 150.75 },
        "uniqueClient": { "clientName": "Cliente de prueba", "clientPhone": "0412-0000000" },
    });
    for (field, value) in more.as_object().expect("an object") {
        body[field] = value.clone();
    }
    body
}

/// Makes a subscription as [`wanted`] has it.
pub(crate) async fn make(caller: &Principal, bank: &str, more: Value) -> Value {
    let body = wanted(bank, &more);
    caller.post("/v1/subscription/make", body).await.ok()["subscription"].clone()
}

/// The id of a subscription.
pub(crate) fn id(subscription: &Value) -> String {
    subscription["id"].as_str().expect("an id").to_owned()
}

/// The subscription as it is now.
pub(crate) async fn details(caller: &Principal, id: &str) -> Value {
    let answer = caller.get(&format!("/subscriptions/{id}/details")).await.ok();
    answer["data"]["subscription"].clone()
}

pub(crate) async fn act(caller: &Principal, id: &str, act: &str, body: Value) -> Response {
    caller.post(&format!("/v1/subscriptions/{id}/{act}"), body).await
}

/// The cycles that were asked for, the latest first: number, status, due day, and the status of the link.
async fn cycles(caller: &Principal, id: &str) -> Vec<String> {
    let answer = caller.get(&format!("/v1/subscriptions/{id}/cycles")).await.ok();
    let cycles = answer["cycles"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let shown = |cycle: &Value| {
        let parts = [
            &cycle["cycle"],
            &cycle["status"],
            &cycle["dueDate"],
            &cycle["payment_link"]["status"],
        ];
        parts.map(text).join(" ")
    };
    cycles.map(shown).collect()
}

/// The id of the link of a cycle.
pub(crate) async fn link_of(caller: &Principal, id: &str, cycle: i64) -> String {
    let answer = caller.get(&format!("/v1/subscriptions/{id}/cycles")).await.ok();
    let cycles = answer["cycles"].as_array().unwrap();
    let found = cycles.iter().find(|one| one["cycle"] == cycle).expect("the cycle");
    found["payment_link"]["id"].as_str().unwrap().to_owned()
}
