//! Sums of what a subscription brought in, for its page.

use domain::access::ListCycles;
use domain::ids::SubscriptionId;
use domain::links::Currency;
use domain::statistics::Tally;
use store::subscription_income;

use super::reached;
use crate::{Act, App, Error};

/// The most paid cycles of a subscription that are added up: the latest.
pub const CYCLES_SUMMED_MAX: u32 = 5_000;

/// Sums of the paid cycles of a subscription. Currencies are never added up.
#[derive(Clone, Debug)]
pub struct Collected {
    /// Those of each currency that a cycle was paid in.
    pub currencies: Vec<(Currency, Tally)>,
    /// Whether earlier cycles were paid, too, which were not added up.
    pub is_partial: bool,
}

/// Adds up what paid the cycles of a subscription which the caller reaches.
///
/// # Errors
/// Not found, also where it is out of reach; or a failure of the store.
pub async fn collected(
    app: &App,
    act: &Act<ListCycles>,
    id: SubscriptionId,
) -> Result<Collected, Error> {
    let (owner, caller) = (act.owner(), act.caller().clone());
    act.read(app, move |tx| {
        let of = reached(tx, owner, &caller, id)?;
        let currencies = subscription_income::collected(tx, owner, id, CYCLES_SUMMED_MAX)?;
        Ok(Collected { currencies, is_partial: of.paid > CYCLES_SUMMED_MAX })
    })
    .await
}
