//! What an owner's systems are notified of about its own affairs, at the endpoint that it has set:
//! a balance that has fallen to a level, a limit that is used, a month that has begun, and payers of subscriptions that
//! are to be reminded. Each is written in the transaction that makes it true, to the address that holds then.

mod charged;
mod endpoint;
mod months;

use domain::ids::{EventId, OwnerId};
use domain::time::Timestamp;
use domain::webhooks::{AccountMessage, Endpoint, Fact};
use store::deliveries::{self, Event};
use store::fault::Fault;
use store::tx::Tx;

pub(crate) use charged::{of_charge, of_grant};
pub use endpoint::{Choice, set_endpoint, show_endpoint};
pub use months::MonthTurn;

/// Writes what has become true, to be sent to the endpoint.
///
/// # Errors
/// A fault of the store.
pub(crate) fn enqueue(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    endpoint: &Endpoint,
    event: EventId,
    (fact, subject): (Fact<'_>, [u8; 16]),
    now: Timestamp,
) -> Result<(), Fault> {
    let kind = fact.kind();
    let body = AccountMessage { event, created_at: now, fact }.to_body();
    let url = endpoint.url.as_str().to_owned();
    let event = Event { id: event, kind, subject, client: None, url, body };
    deliveries::enqueue(tx, owner, &event, now)
}
