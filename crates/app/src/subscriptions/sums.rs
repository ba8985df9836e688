//! Sums above the dashboard's list of subscriptions, for those who may list them.

use domain::access::ListSubscriptions;
use domain::links::Currency;
use domain::subscriptions::Sums;
use store::subscription_sums::{self, Bounds, Living};

use crate::accounts::scope;
use crate::{Act, App, Error};

/// The most subscriptions that are added up.
pub const SUBSCRIPTIONS_SUMMED_MAX: usize = 5_000;

/// The number of their unpaid cycles that are added up at least, where there are as many.
pub const UNPAID_SUMMED_MAX: usize = 20_000;

/// A subscription without an unpaid cycle is a row, too.
const BOUNDS: Bounds = Bounds {
    subscriptions: SUBSCRIPTIONS_SUMMED_MAX,
    rows: SUBSCRIPTIONS_SUMMED_MAX + UNPAID_SUMMED_MAX,
};

/// Sums of subscriptions. Currencies are never added up.
#[derive(Clone, Debug)]
pub struct SubscriptionSums {
    /// Those of each currency that a subscription which lives has.
    pub currencies: Vec<(Currency, Sums)>,
    /// Whether there are others, which were not added up.
    pub is_partial: bool,
}

/// Adds up the subscriptions of that mode which live, of those that the caller sees.
///
/// # Errors
/// A failure of the store.
pub async fn sums(
    app: &App,
    act: &Act<ListSubscriptions>,
    livemode: bool,
) -> Result<SubscriptionSums, Error> {
    let (owner, caller, now) = (act.owner(), act.caller().clone(), act.now);
    let read = app.store.read(act.meter(), move |tx| {
        let scope = scope(tx, owner, &caller)?;
        subscription_sums::living(tx, owner, &scope, livemode, BOUNDS)
    });
    let Living { each, is_all } = read.await?;
    let of_currency = |currency: Currency| {
        let its = each.iter().filter(|one| one.currency == currency);
        let sums = its.fold(None, |sums: Option<Sums>, one| {
            Some(sums.unwrap_or_default().plus(&one.rules, &one.asked, now))
        });
        sums.map(|sums| (currency, sums))
    };
    let currencies = Currency::ALL.into_iter().filter_map(of_currency).collect();
    Ok(SubscriptionSums { currencies, is_partial: !is_all })
}
