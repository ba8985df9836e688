//! The operations `POST /v1/subscriptions/{subscription_id}/cancelbyowner` and `undo-cancel`.

use std::sync::Arc;

use domain::access::{CancelSubscription, KeepSubscription};
use domain::ids::SubscriptionId;
use domain::refusal::{Refusal, SubscriptionRefusal};
use domain::subscriptions::{End, Step};
use domain::time::Timestamp;
use store::fault::Fault;
use store::links;
use store::subscriptions::Subscription;
use store::tx::Tx;

use super::SubscriptionRecord;
use super::change::{Held, change};
use super::steps::cancel_links;
use crate::{Act, App, Error};

/// When a cancellation takes effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// At once: nothing is owed any more, and the links that ask for it are canceled.
    Now,
    /// At the end of the period that runs, which is owed. It can be taken back until then.
    AtPeriodEnd,
}

/// Cancels a subscription. One that was canceled before stays as it is.
///
/// # Errors
/// Not found; it has ended otherwise; not while a payer is being checked; or a failure of the store.
pub async fn cancel(
    app: &Arc<App>,
    act: &Act<CancelSubscription>,
    id: SubscriptionId,
    when: When,
) -> Result<SubscriptionRecord, Error> {
    change(app, act, id, move |tx, held| {
        match held.rules.standing.end {
            Some(End::Canceled) => return Ok(None),
            Some(End::Completed | End::Expired) => return Err(ended()),
            None => {}
        }
        let rules = held.rules.clone();
        let canceled = match when {
            When::Now => rules.after(Step::End(End::Canceled)),
            When::AtPeriodEnd if rules.standing.canceled_from.is_some() => return Ok(None),
            When::AtPeriodEnd => rules.canceled_at_period_end(held.now),
        };
        if canceled.standing.end.is_some() {
            if !cancel_links(tx, held.app, (held.owner, id), held.now)? {
                return Err(Refusal::RequestInProgress.into());
            }
        } else if let Some(from) = canceled.standing.canceled_from {
            set_stopped_from(tx, held, from, true)?;
        }
        Ok(Some(Subscription { standing: canceled.standing, ..held.of.clone() }))
    })
    .await
}

/// Takes a cancellation at a period's end back, before it takes effect.
///
/// # Errors
/// Not found; there is no such cancellation, or the subscription has ended; or a failure of the store.
pub async fn keep(
    app: &Arc<App>,
    act: &Act<KeepSubscription>,
    id: SubscriptionId,
) -> Result<SubscriptionRecord, Error> {
    change(app, act, id, move |tx, held| {
        if held.rules.standing.end.is_some() {
            return Err(ended());
        }
        let not_canceled = Refusal::Subscription(SubscriptionRefusal::NotCanceled);
        let from = held.rules.standing.canceled_from.ok_or(not_canceled)?;
        set_stopped_from(tx, held, from, false)?;
        let kept = held.rules.clone().kept();
        Ok(Some(Subscription { standing: kept.standing, ..held.of.clone() }))
    })
    .await
}

/// Stops the links of the cycles from that number on, which are not owed unless the cancellation is taken back; or lets
/// them be paid again.
fn set_stopped_from(
    tx: &mut Tx<'_>,
    held: &Held<'_>,
    from: u32,
    is_stopped: bool,
) -> Result<(), Fault> {
    let (owner, now): (_, Timestamp) = (held.owner, held.now);
    for link in links::pending_of(tx, owner, held.of.id)? {
        let is_meant = link.cycle.is_some_and(|cycle| cycle.number >= from);
        if is_meant && link.standing.is_stopped != is_stopped {
            links::set_stopped(tx, owner, link.id, is_stopped, now)?;
        }
    }
    Ok(())
}

fn ended() -> crate::outcome::JobError {
    Refusal::Subscription(SubscriptionRefusal::Ended).into()
}
