//! How an owner learns of a receiver that fails: by a notice, and at its endpoint by an event, in the
//! transaction that keeps the attempt.

use domain::ids::{EventId, NoticeId, OwnerId};
use domain::notices::{Kind, Notice};
use domain::time::Timestamp;
use domain::webhooks::{AccountMessage, Fact, receiver};

use crate::deliveries::{self, Event};
use crate::fault::Fault;
use crate::tx::Tx;
use crate::{notices, webhook_endpoints};

/// Notifies the owner of an attempt to deliver that event. The first notice of a receiver that fails is
/// an event too, which has the notice's id; unless what fails is where it would go.
///
/// # Errors
/// A fault of the store.
pub(crate) fn notify(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    of: EventId,
    (id, notice): (NoticeId, &Notice),
    now: Timestamp,
) -> Result<(), Fault> {
    let (Kind::WebhookFailing, Some(trouble)) = (notice.kind, notice.trouble) else {
        return notices::notify(tx, owner, id, notice, now);
    };
    if !notices::notify_first(tx, owner, id, notice, now)? {
        return Ok(());
    }
    let Some(endpoint) = webhook_endpoints::find(tx, owner)? else { return Ok(()) };
    let Some(failed) = deliveries::find(tx, owner, of)? else { return Ok(()) };
    let url = endpoint.url.as_str();
    if receiver(url) == receiver(&failed.event.url) {
        return Ok(());
    }
    let fact = Fact::DestinationFailing { host: &notice.subject, trouble, since: now, event: of };
    let id = EventId::from_bytes(id.to_bytes());
    let (kind, subject) = (fact.kind(), owner.to_bytes());
    let body = AccountMessage { event: id, created_at: now, fact }.to_body();
    let event = Event { id, kind, subject, client: None, url: url.to_owned(), body };
    deliveries::enqueue(tx, owner, &event, now)
}
