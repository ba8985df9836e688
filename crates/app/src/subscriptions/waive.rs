//! The operation `POST /v1/subscriptions/{subscription_id}/cycles/{cycle}/waive`: a cycle that was asked for is not owed any
//! more.

use std::sync::Arc;

use domain::access::WaiveCycle;
use domain::ids::SubscriptionId;
use domain::refusal::Refusal;
use domain::text::Text;
use store::audit;
use store::links::{self, CycleOf, Link};
use store::subscription_cycles;
use store::subscriptions::Subscription;
use store::tx::Tx;

use super::change::Held;
use super::steps::{cancel_pending, catch_up};
use super::{CycleState, SubscriptionRecord, WaiveReason, reached, record};
use crate::audit_entry::audited;
use crate::changes::{self, CycleWaives};
use crate::links::OwedCycle;
use crate::outcome::Outcome;
use crate::{Act, App, Error};

/// Waives a cycle that is open or lapsed: its links that can be paid are canceled, and its period is settled. One that was
/// waived before stays as it is.
///
/// # Errors
/// Not found; the cycle is paid, or nobody owes it any more; not while a payer is being checked; or a failure of the
/// store.
pub async fn waive(
    app: &Arc<App>,
    act: &Act<WaiveCycle>,
    id: SubscriptionId,
    number: u32,
    reason: Option<WaiveReason>,
) -> Result<SubscriptionRecord, Error> {
    let (owner, caller, now) = (act.owner(), act.caller().clone(), act.now);
    super::check_reach(app, act, id).await?;
    catch_up(app, act.meter(), (owner, id), now).await?;
    let entry = audited(app, act, id.to_string());
    let inner = Arc::clone(app);
    act.write(app, move |tx| {
        let of = reached(tx, owner, &caller, id)?;
        let held = Held::take(tx, &inner, owner, of, now)?;
        let of = match write(tx, &held, number)? {
            Some(changed) => {
                let cycle = number.saturating_add(1);
                let waived = CycleWaives { cycle, reason: reason.as_ref().map(Text::as_str) };
                audit::insert_change(tx, owner, &entry, &changes::made(&waived), now)?;
                held.keep(tx, changed)?
            }
            None => held.of,
        };
        Ok(record(tx, &inner, owner, of, now)?)
    })
    .await
}

/// Waives the cycle, and answers the subscription as it stands then; nothing where the cycle was waived before.
fn write(tx: &mut Tx<'_>, held: &Held<'_>, number: u32) -> Outcome<Option<Subscription>> {
    let of = CycleOf { subscription: held.of.id, number };
    let found = subscription_cycles::find(tx, held.owner, of)?;
    if found.is_some_and(|cycle| cycle.state == CycleState::Waived) {
        return Ok(None);
    }
    OwedCycle::find(tx, held.owner, of)?;
    let pending = links::pending_of(tx, held.owner, held.of.id)?.into_iter();
    let its: Vec<Link> = pending.filter(|link| link.cycle == Some(of)).collect();
    if !cancel_pending(tx, held.app, held.owner, its, held.now)? {
        return Err(Refusal::RequestInProgress.into());
    }
    subscription_cycles::waive(tx, held.owner, of, held.now)?;
    let standing = held.rules.clone().waived(number).standing;
    Ok(Some(Subscription { standing, ..held.of.clone() }))
}
