//! The operation: `POST /v1/subscriptions/{subscription_id}/unpaid-policy`.

use std::sync::Arc;

use domain::access::SetUnpaidPolicy;
use domain::ids::SubscriptionId;
use domain::refusal::{Refusal, SubscriptionRefusal};
use domain::subscriptions::{Terms, UnpaidPolicy};
use store::subscriptions::{self, Subscription};

use super::SubscriptionRecord;
use super::change::change;
use crate::{Act, App, Error, Precondition};

/// Sets the consequence of a cycle that nobody pays in time. What has lapsed by then has none any more.
///
/// # Errors
/// Not found; it has ended; somebody else has changed the policy meanwhile; or a failure of the store.
pub async fn set_unpaid_policy(
    app: &Arc<App>,
    act: &Act<SetUnpaidPolicy>,
    id: SubscriptionId,
    policy: UnpaidPolicy,
    precondition: Precondition<Subscription>,
) -> Result<SubscriptionRecord, Error> {
    change(app, act, id, move |tx, held| {
        if held.rules.standing.end.is_some() {
            return Err(Refusal::Subscription(SubscriptionRefusal::Ended).into());
        }
        precondition.check(&held.of)?;
        if held.of.terms.unpaid == policy {
            return Ok(None);
        }
        subscriptions::set_unpaid_policy(tx, held.owner, id, policy, held.now)?;
        let terms = Terms { unpaid: policy, ..held.of.terms };
        Ok(Some(Subscription { terms, ..held.of.clone() }))
    })
    .await
}
