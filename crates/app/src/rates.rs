//! The operation: `GET /exchange/rate`.

use domain::access::ShowExchangeRate;
use domain::links::Currency;
use domain::rates::{ExchangeRate, RateRule};
use domain::refusal::Refusal;
use domain::time::Timestamp;
use store::exchange_rates;
use store::fault::Fault;
use store::tx::Tx;

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

/// Tells what other currencies cost now. An old rate is none.
///
/// # Errors
/// No rate of the dollar is known; or a failure of the store.
pub async fn show(app: &App, act: &Act<ShowExchangeRate>) -> Result<Rates, Error> {
    let now = act.now;
    let look_up = move |tx: &mut Tx<'_>| {
        let mut found = Vec::new();
        for currency in Currency::ALL {
            found.extend(serving(tx, currency, RateRule::default(), now)?);
        }
        Ok(found)
    };
    let mut others: Vec<ExchangeRate> = app.store.look_up(act.meter(), look_up).await?;
    let dollar = others.iter().position(|rate| rate.currency == Currency::Usd);
    let dollar = others.remove(dollar.ok_or(Refusal::RateNotAvailable)?);
    Ok(Rates { dollar, others, now })
}

/// The rate of the currency that serves at `now` by that rule.
///
/// # Errors
/// A fault of the store.
pub(crate) fn serving(
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
