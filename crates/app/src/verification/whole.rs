//! A payment with all that its answers show of it.

use domain::access::Caller;
use domain::ids::{OwnerId, PaymentId};
use store::fault::Fault;
use store::payments::{self, Payment};
use store::tx::Tx;

use super::Asked;
use super::explain::may_know;

/// A payment, and what its claimant said as far as the caller may know.
#[derive(Clone, Debug)]
pub struct Whole {
    /// The owner of it.
    pub owner: OwnerId,
    /// The payment.
    pub payment: Payment,
    /// The words of its first claimant.
    pub asked: Asked,
}

/// Reads the payment for a caller who reaches it.
///
/// # Errors
/// A fault of the store; no such payment is one.
pub(crate) fn whole(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    caller: &Caller,
    id: PaymentId,
) -> Result<Whole, Fault> {
    let payment = payments::find(tx, owner, id)?;
    let asked = Asked::from_json(payment.params.as_str())?;
    let asked =
        if may_know(caller, payment.actor, payment.client) { asked } else { asked.hidden() };
    Ok(Whole { owner, payment, asked })
}
