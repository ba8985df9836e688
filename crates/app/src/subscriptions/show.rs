//! The operation: `GET /subscriptions/{subscription_id}/details`.

use std::sync::Arc;

use domain::access::{Guarded, ShowSubscription};
use domain::ids::SubscriptionId;
use store::tx::Tx;

use super::{SubscriptionRecord, reached, record};
use crate::outcome::{Outcome, as_answer};
use crate::{Act, App, Error};

/// Shows a subscription that the caller reaches.
///
/// # Errors
/// Not found, also where it is out of reach; or a failure of the store.
pub async fn show(
    app: &Arc<App>,
    act: &Act<ShowSubscription>,
    id: SubscriptionId,
) -> Result<SubscriptionRecord, Error> {
    let (owner, caller, now) = (act.owner(), act.caller().clone(), act.now);
    let inner = Arc::clone(app);
    act.read(app, move |tx| {
        let of = reached(tx, owner, &caller, id)?;
        Ok(record(tx, &inner, owner, of, now)?.seen_by(&caller))
    })
    .await
}

/// Checks that the caller reaches the subscription: a caller who does not must learn nothing else about its request.
///
/// # Errors
/// Not found, or a failure of the store.
pub async fn check_reach<O: Guarded>(
    app: &App,
    act: &Act<O>,
    id: SubscriptionId,
) -> Result<(), Error> {
    let (owner, caller) = (act.owner(), act.caller().clone());
    let find = move |tx: &mut Tx<'_>| -> Outcome<()> { reached(tx, owner, &caller, id).map(drop) };
    Ok(app.store.look_up(act.meter(), move |tx| as_answer(find(tx))).await??)
}
