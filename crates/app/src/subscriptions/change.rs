//! Acts on a subscription: what is due by then is done first, and the act is judged by what stands then.

use std::sync::Arc;

use domain::access::Guarded;
use domain::ids::{OwnerId, SubscriptionId};
use domain::refusal::Refusal;
use domain::subscriptions::{self, Next};
use domain::time::Timestamp;
use store::due::{self, Kind};
use store::subscription_cycles::Cycle;
use store::subscriptions::Subscription;
use store::tx::Tx;
use store::{audit, subscription_cycles, subscriptions as rows};

use super::steps::catch_up;
use super::{SubscriptionRecord, reached, record, rules};
use crate::audit_entry::audited;
use crate::changes::{self, SubscriptionStands};
use crate::outcome::Outcome;
use crate::{Act, App, Error};

/// A subscription that an act is done to, in the act's transaction.
pub(super) struct Held<'a> {
    pub(super) app: &'a App,
    pub(super) owner: OwnerId,
    pub(super) of: Subscription,
    pub(super) rules: subscriptions::Subscription,
    pub(super) now: Timestamp,
}

/// Does an act to a subscription that the caller reaches. `act_on` answers the subscription as it stands then, or
/// `None` where nothing changes. It is looked at again at once, since other things may be due sooner now.
///
/// # Errors
/// Not found; what `act_on` refuses; or a failure of the store.
pub(super) async fn change<O: Guarded>(
    app: &Arc<App>,
    act: &Act<O>,
    id: SubscriptionId,
    act_on: impl Fn(&mut Tx<'_>, &Held<'_>) -> Outcome<Option<Subscription>> + Send + 'static,
) -> Result<SubscriptionRecord, Error> {
    let (owner, caller, now) = (act.owner(), act.caller().clone(), act.now);
    super::check_reach(app, act, id).await?;
    catch_up(app, act.meter(), (owner, id), now).await?;
    let entry = audited(app, act, id.to_string());
    let inner = Arc::clone(app);
    act.write(app, move |tx| {
        let of = reached(tx, owner, &caller, id)?;
        let owed: Vec<Cycle> = subscription_cycles::owed(tx, owner, id)?;
        let rules = rules(&of, &owed);
        if let Next::Do(_) = rules.next(now) {
            // A payer is being checked whose payment decides what is due.
            return Err(Refusal::RequestInProgress.into());
        }
        let before = SubscriptionStands::of(&of);
        let held = Held { app: &inner, owner, of, rules, now };
        let Some(changed) = act_on(tx, &held)? else {
            return Ok(record(tx, &inner, owner, held.of, now)?);
        };
        let change = changes::changed(&before, &SubscriptionStands::of(&changed));
        audit::insert_change(tx, owner, &entry, &change, now)?;
        rows::stand(tx, owner, &changed, now)?;
        match changed.standing.end {
            Some(_) => due::forget(tx, owner, Kind::Subscription, id.to_bytes())?,
            None => due::reschedule(tx, owner, Kind::Subscription, id.to_bytes(), now)?,
        }
        Ok(record(tx, &inner, owner, Subscription { updated_at: now, ..changed }, now)?)
    })
    .await
}
