//! The operation: `GET /v1/webhooks/deliveries/{delivery_id}`.

use std::fmt;

use domain::access::ShowDelivery;
use domain::ids::{EventId, OwnerId};
use domain::refusal::Refusal;
use domain::time::Timestamp;
use store::Meter;
use store::deliveries::{self, Attempt};
use store::delivery_pages::{self, Listed};
use store::fault::Fault;
use store::tx::Tx;

use crate::{Act, App, Error, links};

/// Refusal of an id that is none of the owner's.
pub(super) const NOT_FOUND: Refusal = Refusal::NotFound("webhook_delivery");

/// A delivery with everything that is kept of it.
#[derive(Clone)]
pub struct Record {
    /// How it stands.
    pub listed: Listed,
    /// What is sent, byte for byte; empty where it is no longer kept.
    pub body: Vec<u8>,
    /// The attempts, the first first: the latest hundred of them.
    pub attempts: Vec<Attempt>,
}

/// Shows nothing of the body, which is about a payment.
impl fmt::Debug for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Record").field("listed", &self.listed).finish_non_exhaustive()
    }
}

/// Shows a delivery. To a client's caller, one about a link that it sees: of those no body says the owner's balance.
///
/// # Errors
/// Not found, or a failure of the store.
pub async fn show(app: &App, act: &Act<ShowDelivery>, id: EventId) -> Result<Record, Error> {
    let found = look(app, act.meter(), act.owner(), id, act.now).await?;
    if act.caller().client().is_none() {
        return Ok(found);
    }
    let link = found.listed.link.ok_or(NOT_FOUND)?;
    links::check_reach(app, act, link).await.map_err(as_delivery)?;
    Ok(found)
}

/// A link that is out of reach is reported as the delivery that it is about.
fn as_delivery(error: Error) -> Error {
    match error {
        Error::Refused(Refusal::NotFound(_)) => NOT_FOUND.into(),
        error => error,
    }
}

/// A delivery as it stands at `now`.
///
/// # Errors
/// Not found, or a failure of the store.
pub(super) async fn look(
    app: &App,
    meter: &Meter,
    owner: OwnerId,
    id: EventId,
    now: Timestamp,
) -> Result<Record, Error> {
    let read = app.store.read(meter, move |tx| find(tx, owner, id, now));
    Ok(read.await?.ok_or(NOT_FOUND)?)
}

/// The same within a transaction; nothing where there is none of that id.
pub(super) fn find(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: EventId,
    now: Timestamp,
) -> Result<Option<Record>, Fault> {
    let Some(listed) = delivery_pages::one(tx, owner, id, now)? else { return Ok(None) };
    let Some(delivery) = deliveries::find(tx, owner, id)? else { return Ok(None) };
    let attempts = deliveries::attempts(tx, owner, id)?;
    Ok(Some(Record { listed, body: delivery.event.body, attempts }))
}
