//! The operation `POST /v1/subscriptions/{subscription_id}/cycles/{cycle}/link`.

use std::sync::Arc;

use domain::access::RenewCycleLink;
use domain::ids::{LinkId, SubscriptionId};
use domain::refusal::Refusal;
use store::audit;
use store::links::CycleOf;

use super::reached;
use super::steps::catch_up;
use crate::audit_entry::audited;
use crate::links::{LinkRecord, OwedCycle, renewed};
use crate::locator::Locator;
use crate::{Act, App, Error, changes};

/// Makes a new link of a cycle whose link has ended without a payment; where its link can be paid, that one is answered.
///
/// # Errors
/// Not found; the cycle is paid, or not owed any more; or a failure of the store.
pub async fn renew(
    app: &Arc<App>,
    act: &Act<RenewCycleLink>,
    id: SubscriptionId,
    number: u32,
) -> Result<LinkRecord, Error> {
    let (owner, caller, now) = (act.owner(), act.caller().clone(), act.now);
    let of = CycleOf { subscription: id, number };
    super::check_reach(app, act, id).await?;
    // A cycle whose time is over lapses first: its link fails before there is another.
    catch_up(app, act.meter(), (owner, id), now).await?;
    // Looked at first, so that what is refused or can be paid leaves no locator behind.
    let found = act.read(app, move |tx| OwedCycle::find(tx, owner, of)).await?;
    if found.is_asked_for(now) {
        return Ok(LinkRecord::of(app, owner, found.link, now));
    }
    let made = Locator::claim_link(app, act.meter(), owner, LinkId::new(&*app.ids)).await?;
    let entry = audited(app, act, id.to_string());
    let inner = Arc::clone(app);
    let link = act
        .write(app, move |tx| {
            reached(tx, owner, &caller, id)?;
            let found = OwedCycle::find(tx, owner, of)?;
            if found.is_over(now) {
                // A payer is being checked, who decides first.
                return Err(Refusal::RequestInProgress.into());
            }
            let link = renewed(tx, &inner, owner, found, made, now)?;
            if link.id == made {
                audit::insert_change(tx, owner, &entry, &changes::made(&link), now)?;
            }
            Ok(link)
        })
        .await?;
    if link.id != made {
        Locator::of_link(made).remove(&app.store, act.meter()).await;
    }
    Ok(LinkRecord::of(app, owner, link, now))
}
