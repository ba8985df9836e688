//! The receipt of a payment, which is made with it.

use domain::ids::{OwnerId, ReceiptId};
use domain::time::Timestamp;
use store::fault::Fault;
use store::receipts::{Merchant, NewReceipt};
use store::tx::Tx;
use store::verifications::Verification;
use store::{owners, public_profiles, receipts};

use super::settlement::Claim;

/// Makes the receipt of a payment that was just written: of a link's, and of one that a person verified. Programs tell
/// their payers by themselves.
///
/// # Errors
/// A fault of the store.
pub(super) fn issue(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    claim: &Claim,
    row: &Verification,
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
    };
    receipts::issue(tx, owner, &new, now)?;
    Ok(Some(claim.receipt))
}

/// The owner, as its payers know it.
fn merchant(tx: &mut Tx<'_>, owner: OwnerId) -> Result<Merchant, Fault> {
    let profile = public_profiles::find(tx, owner)?;
    let name = match profile.public_name {
        Some(name) => name.as_str().to_owned(),
        None => {
            let row = owners::find(tx, owner)?;
            let row = row.ok_or_else(|| Fault::broken("a payment without its owner"))?;
            row.shown_name().unwrap_or_default().to_owned()
        }
    };
    Ok(Merchant { name, document: profile.document })
}
