//! The operation: `POST /v1/subscriptions/{subscription_id}/price`.

use std::sync::Arc;

use domain::access::SetSubscriptionPrice;
use domain::ids::SubscriptionId;
use domain::links::Price;
use domain::refusal::{Refusal, SubscriptionRefusal};
use store::subscriptions::{self, Subscription};

use super::SubscriptionRecord;
use super::change::change;
use crate::{Act, App, Error, Precondition};

/// Sets the price of the cycles that open from now on, in hundredths above zero. What was asked for stays.
///
/// # Errors
/// Not found; it has ended; somebody else has changed the price meanwhile; or a failure of the store.
pub async fn set_price(
    app: &Arc<App>,
    act: &Act<SetSubscriptionPrice>,
    id: SubscriptionId,
    hundredths: i64,
    precondition: Precondition<Subscription>,
) -> Result<SubscriptionRecord, Error> {
    change(app, act, id, move |tx, held| {
        if held.rules.standing.end.is_some() {
            return Err(Refusal::Subscription(SubscriptionRefusal::Ended).into());
        }
        precondition.check(&held.of)?;
        if held.of.price.hundredths == hundredths {
            return Ok(None);
        }
        subscriptions::set_price(tx, held.owner, id, hundredths, held.now)?;
        let price = Price { hundredths, ..held.of.price };
        Ok(Some(Subscription { price, ..held.of.clone() }))
    })
    .await
}
