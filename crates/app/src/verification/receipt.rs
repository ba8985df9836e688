//! The receipt of a payment, which is made with it; or, where a key has claimed it, when a person verifies it, too.

use domain::ids::{OwnerId, ReceiptId};
use domain::matching::Movement;
use domain::time::Timestamp;
use store::fault::Fault;
use store::payments::Payment;
use store::receipts::{Merchant, NewReceipt, Paid};
use store::tx::Tx;
use store::verifications::Verification;
use store::{movements, owners, public_profiles, receipts};

use super::by_hand::ByHand;
use super::settlement::Claim;
use crate::profile::merchant_name;

/// Makes the receipt of a payment that was just written: of a link's, and of one that a person verified. Programs tell
/// their payers by themselves.
///
/// # Errors
/// A fault of the store.
pub(super) fn issue(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    claim: &Claim,
    (row, movement): (&Verification, &Movement),
    now: Timestamp,
) -> Result<Option<ReceiptId>, Fault> {
    if row.link.is_none() && row.actor.key(owner).is_some() {
        return Ok(None);
    }
    let new = NewReceipt {
        id: claim.receipt,
        payment: claim.payment,
        livemode: claim.livemode,
        merchant: merchant(tx, owner)?,
        paid: Paid::of(movement),
        issued_by: None,
    };
    receipts::issue(tx, owner, &new, now)?;
    Ok(Some(claim.receipt))
}

/// Makes the receipt of a claimed payment that has none, since a key claimed it, for a person who verifies it by hand;
/// answers the payment as it is then. The caller holds the owner's row, so that nobody else makes one meanwhile.
///
/// # Errors
/// A fault of the store.
pub(super) fn issue_after(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    payment: Payment,
    by: Option<ByHand>,
    now: Timestamp,
) -> Result<Payment, Fault> {
    let Some(by) = by.filter(|by| payment.receipt.is_none() && by.sees(&payment)) else {
        return Ok(payment);
    };
    let movement = movements::find_one(tx, owner, by.identity, payment.movement)?;
    let movement = movement.ok_or_else(|| Fault::broken("a payment without its movement"))?;
    let new = NewReceipt {
        id: by.receipt,
        payment: payment.id,
        livemode: by.livemode,
        merchant: merchant(tx, owner)?,
        paid: Paid::of(&movement),
        issued_by: Some(by.person),
    };
    receipts::issue(tx, owner, &new, now)?;
    Ok(Payment { receipt: Some(by.receipt), ..payment })
}

/// The owner, as its payers know it.
fn merchant(tx: &mut Tx<'_>, owner: OwnerId) -> Result<Merchant, Fault> {
    let profile = public_profiles::find(tx, owner)?;
    let row = owners::find(tx, owner)?;
    let row = row.ok_or_else(|| Fault::broken("a payment without its owner"))?;
    let name = merchant_name(&row, &profile);
    Ok(Merchant { name, document: profile.document })
}
