//! The receipt of a payment, which is made with it.

use domain::ids::{OwnerId, ReceiptId};
use domain::matching::Movement;
use domain::time::Timestamp;
use store::fault::Fault;
use store::receipts::{Merchant, NewReceipt, Paid};
use store::tx::Tx;
use store::verifications::Verification;
use store::{owners, public_profiles, receipts};

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
    };
    receipts::issue(tx, owner, &new, now)?;
    Ok(Some(claim.receipt))
}

/// The owner, as its payers know it.
fn merchant(tx: &mut Tx<'_>, owner: OwnerId) -> Result<Merchant, Fault> {
    let profile = public_profiles::find(tx, owner)?;
    let row = owners::find(tx, owner)?;
    let row = row.ok_or_else(|| Fault::broken("a payment without its owner"))?;
    let name = merchant_name(&row, &profile);
    Ok(Merchant { name, document: profile.document })
}
