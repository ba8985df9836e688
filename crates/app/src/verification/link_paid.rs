//! What a claimed payment does besides to the link that it is for.

use domain::ids::{LinkId, OwnerId, ReceiptId};
use domain::matching::Movement;
use domain::money::Credits;
use domain::receipts::ReceiptAddress;
use domain::time::Timestamp;
use domain::webhooks::{self, LinkOutcome};
use store::fault::Fault;
use store::links::Link;
use store::payments::{NewPayment, PaidPrice};
use store::subscription_cycles::Paid;
use store::tx::Tx;
use store::{links, subscriptions};

use super::settlement::EndContext;
use crate::links::LinkEvents;

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

/// Writes what is sent to the owner's systems about a link that has just been paid.
pub(super) fn write_event(
    tx: &mut Tx<'_>,
    ending: &EndContext<'_>,
    (link, events): (&Link, &LinkEvents),
    (payment, receipt, price): (&NewPayment, ReceiptId, Option<&PaidPrice>),
    (movement, balance): (&Movement, Credits),
) -> Result<(), Fault> {
    let EndContext { owner, now, .. } = *ending;
    let id = payment.id.to_string();
    let receipt_url = events.receipt_url(ReceiptAddress { owner, id: receipt });
    let outcome = LinkOutcome::Paid(webhooks::Payment {
        id: &id,
        bank_reference_id: movement.reference.shown(),
        amount: movement.amount,
        credit_cost: payment.credit_cost,
        created_at: now,
        price,
        receipt_url: &receipt_url,
    });
    events.emit(tx, owner, link, outcome, balance, now)
}
