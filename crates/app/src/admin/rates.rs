//! Recording what other currencies cost, as it was published; and listing it.

mod batch;

use domain::ids::RateId;
use domain::links::Currency;
use domain::rates::{
    ExchangeRate, PUBLISHED_AHEAD_MAX, RECORDED_DAYS_AHEAD_MAX, Rate, RateDays, RateOrigin,
    RateSource,
};
use domain::time::{CaracasDate, Timestamp};
use store::tx::Tx;
use store::{Meter, exchange_rates, rate_address};

use self::batch::Batch;
use super::{AdminError, Operator};
use crate::rate_address::{Standing, standing};

/// How many rates are listed by one look.
pub const RATES_LISTED: usize = 500;

/// How many rates of a file are recorded, in one transaction: some years of all currencies. Others write meanwhile,
/// or wait for a part of a second.
pub const RATES_IMPORTED_MAX: usize = 5_000;

/// A rate that is to be recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewRate {
    /// Of which currency. Not bolívares.
    pub currency: Currency,
    /// What a unit costs.
    pub rate: Rate,
    /// Of which days.
    pub days: RateDays,
    /// When it was published; now, where nothing is said.
    pub published_at: Option<Timestamp>,
    /// Who published it.
    pub source: RateSource,
}

/// How rates are recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recording {
    /// Whether one may be far from the one before.
    pub accepts_jumps: bool,
    /// Whether they are of a file, which may have been imported before: what was recorded once is not said anew,
    /// though it was corrected since.
    pub is_import: bool,
}

/// The outcome of rates that were to be recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recorded {
    /// How many are recorded now for a day that had none.
    pub added: u64,
    /// How many correct the rate of their day.
    pub corrected: u64,
    /// How many are what was recorded last of their day.
    pub unchanged: u64,
    /// How many of a file were recorded before and corrected since: the correction stays.
    pub superseded: u64,
}

/// Records rates in one transaction: all, or none. What is recorded already stays as it is; another rate for the same
/// day is a correction.
///
/// # Errors
/// [`AdminError::RateFarAhead`] and [`AdminError::RateYetToCome`] for a slip in the year, [`AdminError::RateJump`]
/// for a rate that may be a slip, unless that is accepted; or a failure of the store.
pub async fn record_rates(
    operator: &Operator<'_>,
    rates: Vec<NewRate>,
    recording: Recording,
) -> Result<Recorded, AdminError> {
    let now = operator.now;
    let is_far =
        |new: &&NewRate| new.days.are_beyond(CaracasDate::of(now), RECORDED_DAYS_AHEAD_MAX);
    if let Some(far) = rates.iter().find(is_far) {
        return Err(AdminError::RateFarAhead {
            currency: far.currency.as_str(),
            value_date: far.days.first,
        });
    }
    let is_ahead =
        |new: &&NewRate| new.published_at.is_some_and(|at| at > now.plus(PUBLISHED_AHEAD_MAX));
    if let Some(ahead) = rates.iter().find(is_ahead) {
        return Err(AdminError::RateYetToCome {
            currency: ahead.currency.as_str(),
            value_date: ahead.days.first,
        });
    }
    let today = CaracasDate::of(now);
    let rates: Vec<ExchangeRate> = rates
        .into_iter()
        .map(|new| ExchangeRate {
            id: RateId::new(operator.ids, now),
            currency: new.currency,
            rate: new.rate,
            value_date: new.days.first,
            until: new.days.last,
            published_at: new.published_at.unwrap_or(now),
            source: new.source,
            origin: RateOrigin::Operator,
        })
        .collect();
    let meter = Meter::default();
    let write = operator.store.write_shared(&meter, move |tx| {
        rate_address::lock(tx)?;
        let mut batch = Batch::load(tx, &rates, recording, today)?;
        for rate in &rates {
            if let Err(jump) = batch.take(rate) {
                return Ok(Err(jump));
            }
        }
        batch.write(tx).map(Ok)
    });
    write.await?
}

/// How rates stand now.
///
/// # Errors
/// A failure of the store.
pub async fn rates_standing(operator: &Operator<'_>) -> Result<Standing, AdminError> {
    let now = operator.now;
    let look = move |tx: &mut Tx<'_>| standing(tx, now);
    Ok(operator.store.look_up(&Meter::default(), look).await?)
}

/// The latest rates of a currency with their corrections, newest first, [`RATES_LISTED`] at most.
///
/// # Errors
/// A failure of the store.
pub async fn list_rates(
    operator: &Operator<'_>,
    currency: Currency,
) -> Result<Vec<ExchangeRate>, AdminError> {
    let list = move |tx: &mut Tx<'_>| exchange_rates::newest(tx, currency, RATES_LISTED);
    Ok(operator.store.look_up(&Meter::default(), list).await?)
}
