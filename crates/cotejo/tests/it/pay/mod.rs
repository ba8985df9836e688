//! `/pay/{payment_link_id}`: what a payer sees and does.

mod astray;
mod attack;
mod attempts;
mod charged;
mod contact;
mod flood;
mod guesses;
mod hostile;
mod page;
mod payable;
mod payer;
mod races;
pub(crate) mod rates;
mod states;
mod typed;

use std::time::Duration;

use futures_util::future::join;
use serde_json::{Value, json};
use testkit::bank::PAYER;
use testkit::principal::Call;
use testkit::{Principal, Response, TestApp};

use crate::slow_bank::{GIVEN_UP, RENEWAL, SLOW};

/// How long the page waits for the bank before it says that the bank is being asked.
pub(crate) const PAGE_WAIT: Duration = Duration::from_secs(2);

/// Amount that every link of these tests asks for, unless another is given.
pub(crate) const AMOUNT: f64 = 150.75;

/// The phone that money at the simulated bank comes from, by which that bank shows who paid.
pub(crate) const THEIRS: &[(&str, &str)] = &[("phone", PAYER.0)];

/// Makes a link on that account, and answers its id.
pub(crate) async fn make(caller: &Principal, bank: &str, more: Value) -> String {
    let mut body = json!({ "amount": AMOUNT, "description": "Pedido 7", "user_bank_id": bank });
    for (field, value) in more.as_object().expect("an object") {
        body[field] = value.clone();
    }
    let made = caller.post("/v1/paymentlink", body).await.ok();
    made["paymentlink"]["id"].as_str().expect("an id").to_owned()
}

/// The link as its owner sees it.
pub(crate) async fn info(caller: &Principal, id: &str) -> Value {
    caller.get(&format!("/paymentlink/{id}/info")).await.ok()["data"]["payment_link"].clone()
}

/// Returns the link's status, as its owner sees it.
pub(crate) async fn status(caller: &Principal, id: &str) -> String {
    info(caller, id).await["status"].as_str().expect("a status").to_owned()
}

/// Sends a form as a browser does.
pub(crate) async fn send(payer: &Principal, path: &str, fields: &[(&str, &str)]) -> Response {
    form(payer, path, fields).send().await
}

/// A form on its way, as a browser sends it.
pub(crate) fn form(payer: &Principal, path: &str, fields: &[(&str, &str)]) -> Call {
    let encoded =
        |text: &str| -> String { text.bytes().map(|byte| format!("%{byte:02x}")).collect() };
    let pairs: Vec<String> =
        fields.iter().map(|(name, value)| format!("{name}={}", encoded(value))).collect();
    let call = payer.request("POST", path);
    let call = call.header("content-type", "application/x-www-form-urlencoded");
    call.body(pairs.join("&"))
}

/// Types a reference into a link's page, which asks for [`AMOUNT`].
pub(crate) async fn pay(payer: &Principal, id: &str, reference: &str) -> Response {
    pay_by(payer, id, reference, &[]).await
}

/// Types a reference and what is known of the payer.
pub(crate) async fn pay_by(
    payer: &Principal,
    id: &str,
    reference: &str,
    who: &[(&str, &str)],
) -> Response {
    let mut fields = vec![("reference", reference), ("seen", "15075")];
    fields.extend(who);
    send(payer, &format!("/pay/{id}"), &fields).await
}

/// Types a reference and what is known of the payer, and reads what the page says then.
pub(crate) async fn paid_by(
    payer: &Principal,
    id: &str,
    reference: &str,
    who: &[(&str, &str)],
) -> String {
    let answer = pay_by(payer, id, reference, who).await;
    text(&follow(payer, &answer).await)
}

/// Returns the address that shows the answer to a form again: its location, or the page's own word for its address.
#[track_caller]
pub(crate) fn place(answer: &Response) -> String {
    match answer.status {
        303 => answer.header("location").expect("a place to look").to_owned(),
        200 => text(answer)
            .split("data-here=\"")
            .nth(1)
            .and_then(|rest| rest.split('"').next())
            .expect("a place of its own")
            .to_owned(),
        _ => panic!("{answer:?}"),
    }
}

/// Looks where the answer to a form is shown again.
pub(crate) async fn follow(payer: &Principal, answer: &Response) -> Response {
    payer.get(&place(answer)).await
}

/// Types a reference and reads what the page says then.
pub(crate) async fn paid_with(payer: &Principal, id: &str, reference: &str) -> String {
    let answer = pay(payer, id, reference).await;
    text(&follow(payer, &answer).await)
}

/// Types a reference that the bank is slow about; answers where the page shows it.
pub(crate) async fn begin_slowly(app: &TestApp, id: &str, reference: &str) -> String {
    let start = app.now();
    let answers_at = if reference.ends_with("10005") { GIVEN_UP } else { SLOW };
    let patience = async {
        app.clock().is_awaited(start.plus(answers_at)).await;
        // The search itself waits, too: otherwise it might begin to after the clock was moved.
        app.clock().is_awaited(start.plus(RENEWAL)).await;
        app.clock().is_awaited(start.plus(PAGE_WAIT)).await;
        app.clock().advance(PAGE_WAIT);
    };
    let (answer, ()) = join(pay(&app.nobody(), id, reference), patience).await;
    assert_eq!(answer.status, 303, "{answer:?}");
    answer.header("location").expect("a place to look").to_owned()
}

/// The text of a page.
#[track_caller]
pub(crate) fn text(page: &Response) -> String {
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"), "{page:?}");
    String::from_utf8(page.body.to_vec()).expect("a page of UTF-8")
}

/// Returns the page's message about the payment.
#[track_caller]
pub(crate) fn said(page: &str) -> String {
    let state = page.split("id=\"state\">").nth(1).expect("a place for what is said");
    let title = state.split("<h2>").nth(1).map(|rest| rest.split("</h2>").next().unwrap());
    let title = title.unwrap_or_default();
    title.rsplit('>').next().unwrap_or_default().to_owned()
}
