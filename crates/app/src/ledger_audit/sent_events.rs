//! What was reported of links, against what the link, its payment and the movement say. What is sent is proven by
//! digests (`cotejo check-deliveries`), so that it is a witness of what the rows were.

use domain::ids::{EventId, OwnerId};
use domain::links::Currency;
use domain::money::Bolivars;
use domain::rates::Rate;
use domain::receipts::ReceiptAddress;
use domain::reference::BankReference;
use domain::time::Timestamp;
use domain::webhooks::EventKind;
use serde_json::{Value, json};
use store::difference::Difference;
use store::fault::Fault;
use store::link_audit::{self, SentEvent, SentPayment};
use store::tx::Tx;

use super::name;
use crate::links::pairs;
use crate::verification::{Asked, PaymentParams};
use crate::wire::WirePrice;

/// How many events are read at once.
const PAGE: i64 = 200;

/// Names the owner's links of which something else was reported than their rows say.
pub(super) fn check(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    found: &mut Vec<Difference>,
) -> Result<(), Fault> {
    let mut after = EventId::from_bytes([0; 16]);
    loop {
        let page = link_audit::sent_events(tx, owner, after, PAGE)?;
        for event in &page {
            compare(owner, event, found);
        }
        match page.last() {
            Some(last) if page.len() == PAGE as usize => after = last.event,
            _ => return Ok(()),
        }
    }
}

fn compare(owner: OwnerId, event: &SentEvent, found: &mut Vec<Difference>) {
    let Ok(body) = serde_json::from_slice::<Value>(&event.body) else {
        return name(found, "webhook_deliveries.body", &event.event, "no message");
    };
    if !text(&body, URL).ends_with(&format!("/pay/{}", event.link)) {
        name(found, "webhook_deliveries.body", &event.event, "it tells of another link's page");
    }
    let receipt = event.payment.as_ref().and_then(|payment| payment.receipt);
    let address = receipt.map(|id| ReceiptAddress { owner, id }.to_string()).unwrap_or_default();
    if event.kind == EventKind::LinkPaid.as_str() && !text(&body, RECEIPT).ends_with(&address) {
        name(found, "webhook_deliveries.body", &event.event, "it tells of another receipt");
    }
    let balance = body.get("credit_balance").and_then(Value::as_i64);
    if balance.is_some() != event.client.is_none() {
        let says = "a client's link is told without its owner's credits, and no other";
        name(found, "payment_links.client_id", &event.link, says);
    }
    let expected = by_rows(owner, event, &body);
    if let Some(field) = expected.and_then(|expected| differing(&expected, &body)) {
        let says = format!("its {field} is not what {} told", event.event);
        name(found, "payment_links and what paid it", &event.link, &says);
    }
    let after = event.payment.as_ref().and_then(|payment| payment.balance_after);
    if event.kind == EventKind::LinkPaid.as_str()
        && after.zip(balance).is_some_and(|(after, sent)| after != sent)
    {
        let says = format!("not the balance that {} told", event.event);
        name(found, "credit_movements.balance_after", &event.link, &says);
    }
}

/// JSON pointers in a message: to the address of the link's page, to the bank's reference, and to the address of the
/// receipt's page.
const URL: &str = "/payment_link/url";
const REFERENCE: &str = "/user_bank_payment/bank_reference_id";
const RECEIPT: &str = "/user_bank_payment/receipt_url";

fn text<'a>(body: &'a Value, field: &str) -> &'a str {
    body.pointer(field).and_then(Value::as_str).unwrap_or_default()
}

/// Facts that the rows tell now of what the message says; nothing where it is of no end of a link, or of one without a
/// payment. What stands in no row, or may have changed since, is left out: the address of the service, the credits, and
/// the movement's instant, which a bank may have shown more fully. A row that cannot be read is named by its own check,
/// so that nothing is read here but what can be written.
fn by_rows(owner: OwnerId, event: &SentEvent, body: &Value) -> Option<Value> {
    let kind = EventKind::parse(&event.kind)?;
    let (status, at) = match kind {
        EventKind::LinkPaid => ("paid", event.updated_at),
        EventKind::LinkFailed => ("failed", event.updated_at),
        EventKind::LinkExpired => ("expired", event.expired_at?),
        EventKind::LinkCanceled => ("canceled", event.canceled_at?),
        _ => return None,
    };
    let payment = match kind {
        EventKind::LinkPaid => paid(owner, event, event.payment.as_ref()?, body)?,
        _ => Value::Null,
    };
    let pair = |(key, value): (String, String)| json!({ "key": key, "value": value });
    let metadata: Vec<Value> = pairs(&event.metadata).into_iter().map(pair).collect();
    Some(json!({
        "id": event.event.to_string(),
        "type": event.kind,
        "payment_link_id": event.link.to_string(),
        "status": status,
        "livemode": event.livemode,
        "created_at": event.created_at.to_string(),
        "updated_at": at.to_string(),
        "metadata": metadata,
        "payment_link": link(owner, event, (kind, status)),
        "user_bank_payment": payment,
    }))
}

/// The link, by its row.
fn link(owner: OwnerId, event: &SentEvent, (kind, status): (EventKind, &str)) -> Value {
    let metadata: Value = serde_json::from_str(&event.metadata).unwrap_or_else(|_| json!({}));
    let mut link = json!({
        "id": event.link.to_string(),
        "name": event.name,
        "amount": number(event.amount),
        "currency": event.currency,
        "description": event.description,
        "webhook_url": event.webhook_url,
        "status": status,
        "redirect_url": event.redirect_url,
        "with_subscription_id": event.subscription.map(|id| id.to_string()),
        "type": event.origin,
        "user_id": owner.to_string(),
        "user_bank_id": event.bank.to_string(),
        "rate_expiration_time": event.rate_minutes,
        "metadata": metadata,
        "livemode": event.livemode,
        "created_at": event.created_at.to_string(),
    });
    if kind == EventKind::LinkFailed {
        link["status_detail"] = json!(event.status_detail);
    }
    // What was called off or expired may have been paid since, by another rate.
    if matches!(kind, EventKind::LinkPaid | EventKind::LinkFailed) {
        let rate = event.held.and_then(|(units, _)| Rate::from_units(units)).map(Rate::to_number);
        let is_vef = event.currency == Currency::Vef.as_str();
        link["rate_exchange"] = if is_vef { json!(1.0) } else { json!(rate) };
        link["rate_updated_at"] = json!(event.held.map(|(_, since)| since.to_string()));
        link["expiration_time"] = json!(event.expiration_minutes.unwrap_or(-1));
        link["expires_at"] = json!(event.expires_at.as_ref().map(Timestamp::to_string));
        link["updated_at"] = json!(event.updated_at.to_string());
    }
    link
}

/// The payment of the link, by its row and its movement's; nothing where there is none.
fn paid(owner: OwnerId, event: &SentEvent, payment: &SentPayment, body: &Value) -> Option<Value> {
    let asked = Asked::from_json(payment.params.as_str()).ok();
    let amount = number(payment.amount?);
    let matched_by = if payment.is_by_payer { "payer" } else { "reference" };
    let mut paid = json!({
        "id": payment.id.to_string(),
        "created_at": payment.created_at.to_string(),
        "updated_at": payment.updated_at.to_string(),
        "bank_reference_id": reference(payment, text(body, REFERENCE)),
        "user_id": owner.to_string(),
        "user_bank_id": payment.bank.to_string(),
        "amount": amount,
        "status": "paid",
        "credit_cost": payment.credit_cost,
        "matched_by": matched_by,
        "verification_id": payment.verification.to_string(),
        "payment_link_id": event.link.to_string(),
        "livemode": event.livemode,
    });
    if let Some(asked) = &asked {
        paid["movement_type"] = json!(asked.movement_type);
        paid["source_name"] = json!(asked.source_name);
        paid["payment_params"] = json!(PaymentParams::of(asked));
    }
    if let Some(price) = &payment.price {
        paid["price"] = json!(WirePrice::of(price));
    }
    Some(paid)
}

fn number(hundredths: i64) -> f64 {
    Bolivars::from_hundredths(hundredths).to_number()
}

/// The movement's reference as reported, if it is the same at another length: a bank may have shown it fuller since.
fn reference(payment: &SentPayment, sent: &str) -> String {
    let Some((digits, zeros)) = &payment.reference else { return String::new() };
    let Ok(now) = BankReference::from_stored(digits, *zeros) else { return digits.clone() };
    match BankReference::parse(sent) {
        Ok(then) if then.is_one_with(&now) => sent.to_owned(),
        _ => now.shown().to_owned(),
    }
}

/// The first field that both have and in which they differ. A field that one of them lacks was added by another
/// version.
fn differing(expected: &Value, kept: &Value) -> Option<String> {
    match (expected, kept) {
        (Value::Object(expected), Value::Object(kept)) => {
            expected.iter().find_map(|(field, value)| {
                let inner = differing(value, kept.get(field)?)?;
                Some(if inner.is_empty() { field.clone() } else { format!("{field}.{inner}") })
            })
        }
        // The same number may be written as whole or not.
        (Value::Number(expected), Value::Number(kept)) => {
            (expected.as_f64() != kept.as_f64()).then(String::new)
        }
        _ => (expected != kept).then(String::new),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::differing;

    #[test]
    fn the_field_that_differs_is_named_by_its_place() {
        let kept = json!({ "a": 1, "b": { "c": [1, 2], "d": "x" }, "e": null });
        assert_eq!(differing(&kept, &kept), None);
        let other = json!({ "b": { "c": [1, 2], "d": "y" } });
        assert_eq!(differing(&other, &kept).as_deref(), Some("b.d"));
        assert_eq!(differing(&json!({ "e": 1 }), &kept).as_deref(), Some("e"));
        assert_eq!(differing(&json!({ "new": 1 }), &kept), None);
        assert_eq!(differing(&json!({ "a": 1.0 }), &kept), None);
    }
}
