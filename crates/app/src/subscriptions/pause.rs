//! The operations `POST /v1/subscriptions/{subscription_id}/pause` and `resume`.

use std::sync::Arc;

use domain::access::{PauseSubscription, ResumeSubscription};
use domain::ids::SubscriptionId;
use domain::refusal::{Refusal, SubscriptionRefusal};
use store::subscriptions::Subscription;

use super::SubscriptionRecord;
use super::change::change;
use crate::{Act, App, Error};

/// Pauses a subscription from its next period on. What was asked for before is owed as it was. One that is paused stays
/// as it is.
///
/// # Errors
/// Not found; it has ended, or has not begun; or a failure of the store.
pub async fn pause(
    app: &Arc<App>,
    act: &Act<PauseSubscription>,
    id: SubscriptionId,
) -> Result<SubscriptionRecord, Error> {
    change(app, act, id, |_, held| {
        let standing = &held.rules.standing;
        if standing.end.is_some() {
            return Err(Refusal::Subscription(SubscriptionRefusal::Ended).into());
        }
        if !standing.is_active {
            return Err(Refusal::Subscription(SubscriptionRefusal::NotBegun).into());
        }
        if standing.paused_from.is_some() {
            return Ok(None);
        }
        let paused = held.rules.clone().paused(held.now);
        Ok(Some(Subscription { standing: paused.standing, ..held.of.clone() }))
    })
    .await
}

/// Resumes a subscription on its calendar: the next period that begins is asked for, those that began meanwhile are not.
/// One that is not paused stays as it is.
///
/// # Errors
/// Not found; it has ended; or a failure of the store.
pub async fn resume(
    app: &Arc<App>,
    act: &Act<ResumeSubscription>,
    id: SubscriptionId,
) -> Result<SubscriptionRecord, Error> {
    change(app, act, id, |_, held| {
        if held.rules.standing.end.is_some() {
            return Err(Refusal::Subscription(SubscriptionRefusal::Ended).into());
        }
        if held.rules.standing.paused_from.is_none() {
            return Ok(None);
        }
        let resumed = held.rules.clone().resumed();
        Ok(Some(Subscription { standing: resumed.standing, ..held.of.clone() }))
    })
    .await
}
