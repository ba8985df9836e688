//! The operations `POST /v1/subscriptions/{subscription_id}/cancelbyowner` and `undo-cancel`.

use std::sync::Arc;

use domain::access::{CancelSubscription, UndoCancellation};
use domain::ids::SubscriptionId;
use domain::refusal::{Refusal, SubscriptionRefusal};
use domain::subscriptions::{self, End, Step};
use store::fault::Fault;
use store::links::{self, Link};
use store::subscriptions::Subscription;
use store::tx::Tx;

use super::SubscriptionRecord;
use super::change::{Held, change};
use super::steps::cancel_links;
use crate::outcome::Outcome;
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
            Some(End::Completed | End::Expired) => return Err(refused(SubscriptionRefusal::Ended)),
            None => {}
        }
        let rules = held.rules.clone();
        let canceled = match when {
            When::Now => rules.after(Step::End(End::Canceled)),
            When::AtPeriodEnd if rules.standing.canceled_from.is_some() => return Ok(None),
            When::AtPeriodEnd => rules.canceled_at_period_end(held.now),
        };
        end_links(tx, held, &canceled)?;
        Ok(Some(Subscription { standing: canceled.standing, ..held.of.clone() }))
    })
    .await
}

/// Takes a cancellation at a period's end back, before it takes effect. A subscription that has none stays as it is.
///
/// # Errors
/// Not found; the subscription has ended, ends since a cycle was not paid, or its payer canceled it; or a failure of the
/// store.
pub async fn undo_cancel(
    app: &Arc<App>,
    act: &Act<UndoCancellation>,
    id: SubscriptionId,
) -> Result<SubscriptionRecord, Error> {
    change(app, act, id, move |tx, held| {
        if held.of.canceled_by_payer {
            return Err(refused(SubscriptionRefusal::CanceledByPayer));
        }
        if held.rules.standing.end.is_some() {
            return Err(refused(SubscriptionRefusal::Ended));
        }
        if held.rules.standing.ends_unpaid {
            return Err(refused(SubscriptionRefusal::EndsUnpaid));
        }
        let Some(from) = held.rules.standing.canceled_from else { return Ok(None) };
        let ahead = asked_from(tx, held, from)?;
        set_stopped(tx, held, &ahead, false)?;
        let kept = held.rules.clone().kept();
        Ok(Some(Subscription { standing: kept.standing, ..held.of.clone() }))
    })
    .await
}

/// Ends the links of what a cancellation leaves nobody to owe: at once they are canceled, and until the end of the
/// period those that were asked for ahead are stopped.
///
/// # Errors
/// A payer is being checked; or a fault of the store.
pub(super) fn end_links(
    tx: &mut Tx<'_>,
    held: &Held<'_>,
    canceled: &subscriptions::Subscription,
) -> Outcome<()> {
    if canceled.standing.end.is_some() {
        if !cancel_links(tx, held.app, (held.owner, held.of.id), held.now)? {
            return Err(Refusal::RequestInProgress.into());
        }
    } else if let Some(from) = canceled.standing.canceled_from {
        let ahead = asked_from(tx, held, from)?;
        if ahead.iter().any(|link| link.standing.is_checking) {
            return Err(Refusal::RequestInProgress.into());
        }
        set_stopped(tx, held, &ahead, true)?;
    }
    Ok(())
}

/// The links without an end of the cycles from that number on, which were asked for ahead.
fn asked_from(tx: &mut Tx<'_>, held: &Held<'_>, from: u32) -> Result<Vec<Link>, Fault> {
    let pending = links::pending_of(tx, held.owner, held.of.id)?.into_iter();
    Ok(pending.filter(|link| link.cycle.is_some_and(|cycle| cycle.number >= from)).collect())
}

/// Stops these links, which are not owed unless the cancellation is taken back; or lets them be paid again.
fn set_stopped(
    tx: &mut Tx<'_>,
    held: &Held<'_>,
    these: &[Link],
    is_stopped: bool,
) -> Result<(), Fault> {
    for link in these.iter().filter(|link| link.standing.is_stopped != is_stopped) {
        links::set_stopped(tx, held.owner, link.id, is_stopped, held.now)?;
    }
    Ok(())
}

fn refused(refusal: SubscriptionRefusal) -> crate::outcome::JobError {
    Refusal::Subscription(refusal).into()
}
