//! Acts on a subscription: what is due by then is done first, and the act is judged by what stands then.

use std::sync::Arc;

use domain::access::Guarded;
use domain::ids::{OwnerId, SubscriptionId};
use domain::refusal::Refusal;
use domain::subscriptions::{self, Next};
use domain::time::Timestamp;
use store::due::{self, Kind};
use store::fault::Fault;
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

impl<'a> Held<'a> {
    /// Takes hold of a subscription of which nothing is due.
    ///
    /// # Errors
    /// A payer is being checked whose payment decides what is due; or a fault of the store.
    pub(super) fn take(
        tx: &mut Tx<'_>,
        app: &'a App,
        owner: OwnerId,
        of: Subscription,
        now: Timestamp,
    ) -> Outcome<Self> {
        let owed: Vec<Cycle> = subscription_cycles::owed(tx, owner, of.id)?;
        let rules = rules(&of, &owed);
        if let Next::Do(step) = rules.next(now)
            && step.changes_subscription()
        {
            return Err(Refusal::RequestInProgress.into());
        }
        Ok(Self { app, owner, of, rules, now })
    }

    /// Writes the subscription as an act has left it, with a line in the audit trail, and answers it as it stands then.
    ///
    /// # Errors
    /// A fault of the store.
    pub(super) fn write(
        &self,
        tx: &mut Tx<'_>,
        changed: Subscription,
        entry: &audit::Entry,
    ) -> Result<Subscription, Fault> {
        let (before, after) = (SubscriptionStands::of(&self.of), SubscriptionStands::of(&changed));
        audit::insert_change(tx, self.owner, entry, &changes::changed(&before, &after), self.now)?;
        self.keep(tx, changed)
    }

    /// Writes the subscription as an act has left it, which is in the audit trail, and answers it as it stands then. It is
    /// looked at again at once, since other things may be due sooner now.
    ///
    /// # Errors
    /// A fault of the store.
    pub(super) fn keep(
        &self,
        tx: &mut Tx<'_>,
        changed: Subscription,
    ) -> Result<Subscription, Fault> {
        let Self { owner, of, now, .. } = self;
        let (owner, now) = (*owner, *now);
        let has_ended = changed.standing.end.is_some();
        let changed = if has_ended { changed.with_page_kept(now) } else { changed };
        rows::stand(tx, owner, &changed, now)?;
        match has_ended {
            true => due::forget(tx, owner, Kind::Subscription, of.id.to_bytes())?,
            false => due::reschedule(tx, owner, Kind::Subscription, of.id.to_bytes(), now)?,
        }
        Ok(Subscription { updated_at: now, ..changed })
    }
}

/// Does an act to a subscription that the caller reaches. `act_on` answers the subscription as it stands then, or
/// `None` where nothing changes.
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
        let held = Held::take(tx, &inner, owner, of, now)?;
        let of = match act_on(tx, &held)? {
            Some(changed) => held.write(tx, changed, &entry)?,
            None => held.of,
        };
        Ok(record(tx, &inner, owner, of, now)?)
    })
    .await
}
