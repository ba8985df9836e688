//! Whether the cycle that a link is for is owed.

use domain::ids::OwnerId;
use domain::refusal::{Refusal, SubscriptionRefusal};
use store::fault::Fault;
use store::links::Link;
use store::subscription_cycles::{self, Cycle, State};
use store::subscriptions::{self, Subscription};
use store::tx::Tx;

/// Tells whether the cycle of a link is owed.
///
/// # Errors
/// A fault of the store.
pub(super) fn is_owed(tx: &mut Tx<'_>, owner: OwnerId, link: &Link) -> Result<bool, Fault> {
    let Some(of) = link.cycle else { return Ok(false) };
    let Some(cycle) = subscription_cycles::find(tx, owner, of)? else { return Ok(false) };
    let found = subscriptions::find(tx, owner, of.subscription)?;
    Ok(found.is_some_and(|subscription| check_owed(&subscription, &cycle).is_ok()))
}

/// Checks that a cycle is owed.
///
/// # Errors
/// It is paid, or nobody owes it any more.
pub(super) fn check_owed(of: &Subscription, cycle: &Cycle) -> Result<(), Refusal> {
    let is_within = of.standing.canceled_from.is_none_or(|from| cycle.number < from);
    match cycle.state {
        State::Paid => Err(Refusal::Subscription(SubscriptionRefusal::CycleIsPaid)),
        State::Open | State::Lapsed if is_within => Ok(()),
        _ => Err(Refusal::Subscription(SubscriptionRefusal::CycleIsClosed)),
    }
}
