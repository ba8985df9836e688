//! A payment with all that its answers show of it.

use domain::access::Caller;
use domain::ids::{OwnerId, PaymentId};
use store::fault::Fault;
use store::payments::{self, Payment};
use store::tx::Tx;

use super::Asked;

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
    let asked = if may_know(caller, &payment) { asked } else { asked.hidden() };
    Ok(Whole { owner, payment, asked })
}

/// Answers whether the caller is shown what the payment's claimant said: people of the owner are, and a caller to whom a
/// repeat would show it.
pub(crate) fn may_know(caller: &Caller, payment: &Payment) -> bool {
    let same_client = caller.client().is_some() && caller.client() == payment.client;
    let is_own = caller.actor() == Some(payment.actor);
    is_own || same_client || matches!(caller, Caller::Owner(_) | Caller::Employee(_))
}
