//! What a claimed payment does besides to the link that it is for.

use domain::ids::{LinkId, OwnerId};
use domain::money::Credits;
use domain::time::Timestamp;
use store::fault::Fault;
use store::links::Link;
use store::payments::Payment;
use store::subscription_cycles::Paid;
use store::tx::Tx;
use store::{links, subscriptions};

use super::asked::Asked;
use super::settlement::EndContext;
use super::whole::{Around, Whole};
use crate::links::{LinkEvents, LinkOutcome};

/// The link that has just been paid, whose cycle of a subscription, if it is for one, is paid by it.
pub(super) fn paid(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    link: LinkId,
    now: Timestamp,
) -> Result<Link, Fault> {
    let link = links::find(tx, owner, link)?;
    let link = link.ok_or_else(|| Fault::broken("a paid link is missing"))?;
    if let Some(of) = link.cycle {
        subscriptions::note_paid(tx, owner, Paid { of, link: link.id }, now)?;
    }
    Ok(link)
}

/// Writes what is sent to the owner's systems about a link that has just been paid: with what its payer typed, whoever
/// receives it.
pub(super) fn write_event(
    tx: &mut Tx<'_>,
    ending: &EndContext<'_>,
    (link, events): (&Link, &LinkEvents),
    (payment, livemode): (&Payment, bool),
    balance: Credits,
) -> Result<(), Fault> {
    if link.webhook_url.is_none() {
        return Ok(());
    }
    let asked = Asked::from_json(payment.params.as_str())?;
    let around = Around { livemode, base_url: events.base_url() };
    let whole = Whole::of(ending.owner, payment.clone(), asked, around);
    events.emit(tx, ending.owner, link, LinkOutcome::Paid(&whole), balance, ending.now)
}
