//! The webhook event of a link's end. It is written in the transaction that gives the
//! link its end, so that neither is ever there without the other, and sent afterwards.

use domain::ids::{EventId, OwnerId};
use domain::money::Credits;
use domain::receipts::ReceiptAddress;
use domain::time::Timestamp;
use domain::webhooks::{self, LinkOutcome, Message};
use serde_json::Value;
use store::deliveries::{self, Event};
use store::fault::Fault;
use store::links::Link;
use store::tx::Tx;

use crate::App;

/// Facts that an event needs and a transaction does not have.
#[derive(Clone, Debug)]
pub(crate) struct LinkEvents {
    /// The event's id, the same whenever the transaction is run again.
    event: EventId,
    /// Where the service is reached.
    base_url: String,
}

impl LinkEvents {
    /// For what happens now.
    pub(crate) fn new(app: &App, now: Timestamp) -> Self {
        let event = EventId::new(app.ids.as_ref(), now);
        Self { event, base_url: app.settings.base_url.clone() }
    }

    /// The address of a receipt's page.
    pub(crate) fn receipt_url(&self, address: ReceiptAddress) -> String {
        format!("{}{}", self.base_url, address.path())
    }

    /// Writes the event of `link`, as it is now, for the address that it names, if it names one.
    ///
    /// # Errors
    /// A fault of the store.
    pub(crate) fn emit(
        &self,
        tx: &mut Tx<'_>,
        owner: OwnerId,
        link: &Link,
        outcome: LinkOutcome<'_>,
        balance: Credits,
        now: Timestamp,
    ) -> Result<(), Fault> {
        let Some(to) = &link.webhook_url else { return Ok(()) };
        let subscription = link.cycle.map(|cycle| cycle.subscription.to_string());
        let (id, page) = (link.id.to_string(), format!("{}/pay/{}", self.base_url, link.id));
        let message = Message {
            event: self.event,
            link: webhooks::Link {
                id: &id,
                name: Some(&link.name),
                amount_hundredths: link.price.hundredths,
                currency: link.price.currency.as_str(),
                description: &link.description,
                webhook_url: to.as_str(),
                url: &page,
                redirect_url: link.redirect_url.as_ref().map(domain::url::UrlText::as_str),
                with_subscription_id: subscription.as_deref(),
                kind: link.origin.as_str(),
                created_at: link.created_at,
                updated_at: now,
                metadata: &pairs(&link.metadata),
            },
            outcome,
            // A client does not learn of its owner's credits, and its links notify the address that it names.
            credit_balance: link.client.is_none().then_some(balance),
            livemode: link.livemode,
        };
        let event = Event {
            id: self.event,
            kind: message.outcome.kind(),
            subject: link.id.to_bytes(),
            client: link.client,
            url: to.as_str().to_owned(),
            body: message.to_body(),
        };
        deliveries::enqueue(tx, owner, &event, now)
    }
}

/// Returns the metadata that the maker of a link keeps with it, as pairs of text. A value that is no text is its JSON.
pub(crate) fn pairs(metadata: &str) -> Vec<(String, String)> {
    let Ok(Value::Object(object)) = serde_json::from_str(metadata) else { return Vec::new() };
    let text = |value| match value {
        Value::String(text) => text,
        other => other.to_string(),
    };
    object.into_iter().map(|(key, value)| (key, text(value))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_becomes_pairs_of_text() {
        let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        assert_eq!(
            pairs(r#"{"order":"A-7","lines":[1,2],"paid":false}"#),
            [pair("lines", "[1,2]"), pair("order", "A-7"), pair("paid", "false")]
        );
        assert_eq!(pairs("{}"), []);
        assert_eq!(pairs("no object"), []);
    }
}
