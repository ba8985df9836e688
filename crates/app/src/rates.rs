//! The operation: `GET /exchange/rate`; and which rate serves for an owner.

use domain::access::ShowExchangeRate;
use domain::ids::OwnerId;
use domain::links::Currency;
use domain::rates::{ExchangeRate, OwnRate, RateRule};
use domain::refusal::Refusal;
use domain::time::Timestamp;
use store::fault::Fault;
use store::tx::Tx;
use store::{exchange_rates, link_settings, owner_rates};

use crate::{Act, App, Error};

/// The rates that serve at an instant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rates {
    /// That of the dollar.
    pub dollar: ExchangeRate,
    /// Those of other currencies.
    pub others: Vec<ExchangeRate>,
    /// The instant.
    pub now: Timestamp,
}

/// Shows what other currencies cost the owner's payers now. An old rate is none.
///
/// # Errors
/// No rate of the dollar is known; or a failure of the store.
pub async fn show(app: &App, act: &Act<ShowExchangeRate>) -> Result<Rates, Error> {
    let now = act.now;
    let mut others = serving_now(app, act).await?;
    let dollar = others.iter().position(|rate| rate.currency == Currency::Usd);
    let dollar = others.remove(dollar.ok_or(Refusal::RateNotAvailable)?);
    Ok(Rates { dollar, others, now })
}

/// The rates that serve for the owner's payers now, of the currencies that have one.
///
/// # Errors
/// A failure of the store.
pub async fn serving_now(
    app: &App,
    act: &Act<ShowExchangeRate>,
) -> Result<Vec<ExchangeRate>, Error> {
    let (owner, now) = (act.owner(), act.now);
    let look_up = move |tx: &mut Tx<'_>| {
        let mut found = Vec::new();
        for currency in Currency::ALL {
            found.extend(serving(tx, owner, currency, now)?);
        }
        Ok(found)
    };
    Ok(app.store.look_up(act.meter(), look_up).await?)
}

/// The rate of the currency that serves for the owner at `now`: its own, where it has said one, or else that of
/// everybody, both by its own rule. An own rate that is old is none: everybody's may be far from it, and nobody said
/// that it is to serve. One whose last day is over was said to end.
///
/// # Errors
/// A fault of the store.
pub(crate) fn serving(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    currency: Currency,
    now: Timestamp,
) -> Result<Option<ExchangeRate>, Fault> {
    if currency == Currency::Vef {
        return Ok(None);
    }
    let rule = link_settings::rate_rule(tx, owner)?;
    let own = owner_rates::latest(tx, owner, currency, rule, now)?.and_then(OwnRate::rate);
    match own.filter(|own| !own.is_over(now)) {
        Some(own) => Ok(Some(own).filter(|own| own.serves(rule, now))),
        None => serving_all(tx, currency, rule, now),
    }
}

/// The rate of the currency that serves at `now` by that rule for an owner who has none of its own.
///
/// # Errors
/// A fault of the store.
pub(crate) fn serving_all(
    tx: &mut Tx<'_>,
    currency: Currency,
    rule: RateRule,
    now: Timestamp,
) -> Result<Option<ExchangeRate>, Fault> {
    if currency == Currency::Vef {
        return Ok(None);
    }
    let latest = exchange_rates::latest(tx, currency, rule, now)?;
    Ok(latest.filter(|rate| rate.serves(rule, now)))
}
