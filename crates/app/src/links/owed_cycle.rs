//! The cycle that a link is for: that it is owed, and that its payer may have another link of it.

use domain::ids::OwnerId;
use domain::links::{State as LinkState, Status};
use domain::refusal::{Refusal, SubscriptionRefusal};
use domain::time::Timestamp;
use store::fault::Fault;
use store::links::{self, CycleOf, Link};
use store::subscription_cycles::{self, Cycle, State};
use store::subscriptions::{self, Subscription};
use store::tx::Tx;

use crate::outcome::Outcome;

/// Text that is reported of the link of a cycle that nobody paid in time. Links keep it and are known by it, so that it
/// never changes.
pub(crate) const LAPSED: &str = "El plazo de pago de este período terminó.";

/// A cycle with its subscription and its latest link.
pub(crate) struct OwedCycle {
    pub(super) subscription: Subscription,
    pub(super) cycle: Cycle,
    pub(crate) link: Link,
}

impl OwedCycle {
    /// Finds a cycle that is owed.
    ///
    /// # Errors
    /// There is no such cycle; it is paid, or nobody owes it any more; or a fault of the store.
    pub(crate) fn find(tx: &mut Tx<'_>, owner: OwnerId, of: CycleOf) -> Outcome<Self> {
        let cycle = subscription_cycles::find(tx, owner, of)?;
        let cycle = cycle.ok_or(Refusal::NotFound("cycle"))?;
        let subscription = subscriptions::find(tx, owner, of.subscription)?;
        let subscription =
            subscription.ok_or_else(|| Fault::broken("a cycle without its subscription"))?;
        check_owed(&subscription, &cycle)?;
        let link = links::find(tx, owner, cycle.link)?;
        let link = link.ok_or_else(|| Fault::broken("a cycle without its link"))?;
        Ok(Self { subscription, cycle, link })
    }

    /// Tells whether it is open though its time is over: it has not lapsed yet.
    pub(crate) fn is_over(&self, now: Timestamp) -> bool {
        self.cycle.state == State::Open && self.lapses_at() <= now
    }

    /// Returns the instant of the real clock at which it lapses.
    pub(super) fn lapses_at(&self) -> Timestamp {
        self.subscription.lapses_at(self.cycle.number)
    }

    /// Tells whether its link can be paid, or could if nobody had stopped it.
    pub(crate) fn is_asked_for(&self, now: Timestamp) -> bool {
        matches!(self.link.standing.status(now), Status::Pending | Status::Stopped)
    }

    /// Tells whether a payer may have another link: the cycle lapsed, and its link ended by that or by its time. What the
    /// owner ended, or payers tried too often, is the owner's to ask for again.
    pub(super) fn is_open_to_payers(&self, now: Timestamp) -> bool {
        let is_led_on = has_ended_by_time(&self.link, now) || self.is_asked_for(now);
        self.cycle.state == State::Lapsed && is_led_on
    }
}

/// Tells whether a payer can pay a cycle that is owed: by its link, or by another one that it may have.
pub(crate) fn is_payable(cycle: &Cycle, link: &Link, now: Timestamp) -> bool {
    let is_renewed = cycle.state == State::Lapsed && has_ended_by_time(link, now);
    is_renewed || link.standing.status(now) == Status::Pending
}

/// Tells whether nobody but the clock ended a link.
fn has_ended_by_time(link: &Link, now: Timestamp) -> bool {
    let Link { standing, status_detail, .. } = link;
    match standing.state {
        LinkState::Failed => status_detail.as_deref() == Some(LAPSED),
        LinkState::Pending => standing.status(now) == Status::Expired && !standing.is_stopped,
        LinkState::Paid | LinkState::Canceled => false,
    }
}

/// Tells whether a payer of the link, which has ended, may have another one of the same cycle.
///
/// # Errors
/// A fault of the store.
pub(super) fn is_renewable(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    link: &Link,
    now: Timestamp,
) -> Result<bool, Fault> {
    let Some(of) = link.cycle else { return Ok(false) };
    match OwedCycle::find(tx, owner, of) {
        Ok(found) => Ok(found.is_open_to_payers(now)),
        Err(crate::outcome::JobError::Refused(_)) => Ok(false),
        Err(crate::outcome::JobError::Failed(fault)) => Err(fault),
    }
}

/// Checks that a link may be let go on: the cycle that it is for, if it is for one, is owed.
///
/// # Errors
/// It is paid, or nobody owes it any more; or a fault of the store.
pub(super) fn check_link(tx: &mut Tx<'_>, owner: OwnerId, link: &Link) -> Outcome<()> {
    match link.cycle {
        Some(of) => OwedCycle::find(tx, owner, of).map(drop),
        None => Ok(()),
    }
}

/// Checks that a cycle is owed.
fn check_owed(of: &Subscription, cycle: &Cycle) -> Result<(), Refusal> {
    let is_within = of.standing.canceled_from.is_none_or(|from| cycle.number < from);
    match cycle.state {
        State::Paid => Err(Refusal::Subscription(SubscriptionRefusal::CycleIsPaid)),
        State::Open | State::Lapsed if is_within => Ok(()),
        _ => Err(Refusal::Subscription(SubscriptionRefusal::CycleIsClosed)),
    }
}
