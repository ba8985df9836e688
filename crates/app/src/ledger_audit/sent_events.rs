//! What was reported of links, against what the link, its payment and the movement say. What is sent is proven by
//! digests (`cotejo check-deliveries`), so that it is a witness of what the rows were.

use domain::ids::{EventId, OwnerId};
use domain::money::{Bolivars, Credits};
use domain::receipts::ReceiptAddress;
use domain::reference::BankReference;
use domain::webhooks::{self, EventKind, LinkOutcome, Message};
use serde_json::Value;
use store::difference::Difference;
use store::fault::Fault;
use store::link_audit::{self, SentEvent, SentPayment};
use store::tx::Tx;

use super::name;
use crate::links::pairs;

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
    let expected = by_rows(event, &body).and_then(|bytes| serde_json::from_slice(&bytes).ok());
    if let Some(field) = expected.and_then(|expected: Value| differing(&expected, &body)) {
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

/// The message that the rows would make now; nothing where it is of no end of a link, or of one without a payment.
/// What stands in no row is taken from what was reported: the address of the service, and the credits.
fn by_rows(event: &SentEvent, body: &Value) -> Option<Vec<u8>> {
    let payment = event.payment.as_ref();
    let id = payment.map(|payment| payment.id.to_string()).unwrap_or_default();
    let reference = payment.map(|payment| reference(payment, text(body, REFERENCE)));
    let reference = reference.unwrap_or_default();
    let kind = EventKind::parse(&event.kind)?;
    let outcome = match kind {
        EventKind::LinkPaid => {
            let payment = payment?;
            LinkOutcome::Paid(webhooks::Payment {
                id: &id,
                bank_reference_id: &reference,
                amount: Bolivars::from_hundredths(payment.amount?),
                credit_cost: Credits::new(payment.credit_cost),
                created_at: payment.created_at,
                price: payment.price.as_ref(),
                receipt_url: text(body, RECEIPT),
            })
        }
        EventKind::LinkFailed => {
            LinkOutcome::Failed { detail: event.status_detail.as_deref().unwrap_or_default() }
        }
        EventKind::LinkExpired => LinkOutcome::Expired,
        EventKind::LinkCanceled => LinkOutcome::Canceled,
        _ => return None,
    };
    let updated_at = match kind {
        EventKind::LinkExpired => event.expired_at?,
        EventKind::LinkCanceled => event.canceled_at?,
        _ => event.updated_at,
    };
    let subscription = event.subscription.map(|id| id.to_string());
    let message = Message {
        event: event.event,
        link: webhooks::Link {
            id: &event.link.to_string(),
            name: Some(&event.name),
            amount_hundredths: event.amount,
            currency: &event.currency,
            description: &event.description,
            webhook_url: event.webhook_url.as_deref().unwrap_or_default(),
            url: text(body, URL),
            redirect_url: event.redirect_url.as_deref(),
            with_subscription_id: subscription.as_deref(),
            kind: &event.origin,
            created_at: event.created_at,
            updated_at,
            metadata: &pairs(&event.metadata),
        },
        outcome,
        credit_balance: body.get("credit_balance").and_then(Value::as_i64).map(Credits::new),
        livemode: event.livemode,
    };
    Some(message.to_body())
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
    }
}
