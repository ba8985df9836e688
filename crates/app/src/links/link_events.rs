//! The webhook event of a link's end. It is written in the transaction that gives the
//! link its end, so that neither is ever there without the other, and sent afterwards.

use domain::ids::{EventId, OwnerId};
use domain::money::Credits;
use domain::time::Timestamp;
use store::deliveries::{self, Event};
use store::fault::Fault;
use store::links::Link;
use store::tx::Tx;

use super::LinkRecord;
use super::wire_event::{LinkEvent, LinkOutcome};
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

    /// Address at which payers reach the service.
    pub(crate) fn base_url(&self) -> &str {
        &self.base_url
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
        let (link, status) = (link.clone(), outcome.status());
        let url = LinkRecord::url_of(&self.base_url, link.id);
        // A client does not learn of its owner's credits, and its links notify the address that it names.
        let credit_balance = link.client.is_none().then_some(balance);
        let record = LinkRecord { owner, link, status, url };
        let message =
            LinkEvent { id: self.event, record: &record, outcome, credit_balance, at: now };
        let event = Event {
            id: self.event,
            kind: outcome.kind(),
            subject: record.link.id.to_bytes(),
            client: record.link.client,
            url: to.as_str().to_owned(),
            body: message.to_body(),
        };
        deliveries::enqueue(tx, owner, &event, now)
    }
}
