//! The operation `POST /v1/subscriptions/{subscription_id}/cycles/{cycle}/link`.

use std::sync::Arc;

use domain::access::RenewCycleLink;
use domain::ids::{LinkId, SubscriptionId};
use store::audit;
use store::links::CycleOf;

use super::reached;
use crate::audit_entry::audited;
use crate::links::{LinkRecord, renewed};
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
    let made = LinkId::new(&*app.ids);
    Locator::of_link(made).claim(&app.store, act.meter(), (owner, made.to_bytes())).await?;
    let entry = audited(app, act, id.to_string());
    let link = act
        .write(app, move |tx| {
            reached(tx, owner, &caller, id)?;
            let link = renewed(tx, owner, of, made, now)?;
            if link.id == made {
                audit::insert_change(tx, owner, &entry, &changes::made(&link), now)?;
            }
            Ok(link)
        })
        .await?;
    Ok(LinkRecord::of(app, owner, link, now))
}
