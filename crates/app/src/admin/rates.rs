//! Recording what other currencies cost, as it was published; and listing it.

use domain::ids::RateId;
use domain::links::Currency;
use domain::rates::{ExchangeRate, JUMP_PERCENT, Rate, RateOrigin, RateSource};
use domain::time::{CaracasDate, Timestamp};
use store::fault::Fault;
use store::tx::Tx;
use store::{Meter, exchange_rates, rate_address};

use super::{AdminError, Operator};
use crate::rate_address::{Standing, standing};

/// How many rates are recorded in one transaction, or listed by one look.
pub const RATES_AT_ONCE: usize = 500;

/// A rate that is to be recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewRate {
    /// Of which currency. Not bolívares.
    pub currency: Currency,
    /// What a unit costs.
    pub rate: Rate,
    /// The first day that it is the rate of.
    pub value_date: CaracasDate,
    /// The last such day, where it is known.
    pub until: Option<CaracasDate>,
    /// When it was published; now, where nothing is said.
    pub published_at: Option<Timestamp>,
    /// Who published it.
    pub source: RateSource,
}

/// What became of rates that were to be recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recorded {
    /// How many are recorded now for a day that had none.
    pub added: u64,
    /// How many correct the rate of their day.
    pub corrected: u64,
    /// How many are what was recorded last of their day.
    pub unchanged: u64,
}

/// Records rates in one transaction: all, or none. What is recorded already stays as it is, so that a file can be
/// imported again; another rate for the same day is a correction.
///
/// # Errors
/// [`AdminError::RateJump`] for a rate that may be a slip, unless `accepts_jumps`; or a failure of the store.
pub async fn record_rates(
    operator: &Operator<'_>,
    rates: Vec<NewRate>,
    accepts_jumps: bool,
) -> Result<Recorded, AdminError> {
    let now = operator.now;
    let rates: Vec<ExchangeRate> = rates
        .into_iter()
        .map(|new| ExchangeRate {
            id: RateId::new(operator.ids, now),
            currency: new.currency,
            rate: new.rate,
            value_date: new.value_date,
            until: new.until,
            published_at: new.published_at.unwrap_or(now),
            source: new.source,
            origin: RateOrigin::Operator,
        })
        .collect();
    let meter = Meter::default();
    let write = operator.store.write_shared(&meter, move |tx| {
        rate_address::lock(tx)?;
        let mut batch = Batch { accepts_jumps, ..Batch::default() };
        for rate in &rates {
            if let Err(jump) = batch.take(tx, rate.clone())? {
                return Ok(Err(jump));
            }
        }
        for rate in &batch.new {
            exchange_rates::insert(tx, rate)?;
            rate_address::settle_day(tx, rate.currency, rate.value_date)?;
        }
        Ok(Ok(batch.recorded))
    });
    write.await?
}

/// Rates that are to be recorded, each looked at beside those of the store and those before it.
#[derive(Default)]
struct Batch {
    accepts_jumps: bool,
    new: Vec<ExchangeRate>,
    recorded: Recorded,
}

impl Batch {
    /// Takes one, unless it may be a slip. Nothing is written yet.
    fn take(
        &mut self,
        tx: &mut Tx<'_>,
        rate: ExchangeRate,
    ) -> Result<Result<(), AdminError>, Fault> {
        let of_day = self.of_day(tx, &rate)?;
        if of_day.as_ref().is_some_and(|kept| is_recorded(kept, &rate)) {
            self.recorded.unchanged += 1;
            return Ok(Ok(()));
        }
        if let Some(jump) = self.before(tx, &rate)?.and_then(|before| jump(&before, &rate))
            && !self.accepts_jumps
        {
            return Ok(Err(jump));
        }
        let id = of_day.as_ref().map_or(rate.id, |of_day| rate.id.behind(of_day.id));
        match of_day {
            Some(_) => self.recorded.corrected += 1,
            None => self.recorded.added += 1,
        }
        self.new.push(ExchangeRate { id, ..rate });
        Ok(Ok(()))
    }

    fn of_day(&self, tx: &mut Tx<'_>, of: &ExchangeRate) -> Result<Option<ExchangeRate>, Fault> {
        let new = self
            .new
            .iter()
            .rev()
            .find(|new| (new.currency, new.value_date) == (of.currency, of.value_date));
        match new {
            Some(new) => Ok(Some(new.clone())),
            None => exchange_rates::of_day(tx, of.currency, of.value_date),
        }
    }

    fn before(&self, tx: &mut Tx<'_>, of: &ExchangeRate) -> Result<Option<ExchangeRate>, Fault> {
        let kept = exchange_rates::before(tx, of.currency, of.value_date)?;
        let new = self.new.iter();
        let new = new.filter(|new| new.currency == of.currency && new.value_date < of.value_date);
        // Of one day the last one counts; what is new comes after what is kept.
        Ok(kept.into_iter().chain(new.cloned()).max_by_key(|rate| rate.value_date))
    }
}

/// Why the rate may be a slip, beside the one before.
fn jump(before: &ExchangeRate, rate: &ExchangeRate) -> Option<AdminError> {
    rate.is_jump_from(before, JUMP_PERCENT).then(|| AdminError::RateJump {
        currency: rate.currency.as_str(),
        value_date: rate.value_date,
        rate: rate.rate,
        former: before.rate,
        former_date: before.value_date,
    })
}

/// Whether the operator has said the same before. What an address has told is said anew, so that it holds whatever is told
/// after.
fn is_recorded(kept: &ExchangeRate, new: &ExchangeRate) -> bool {
    kept.origin == RateOrigin::Operator && kept.says_the_same_as(new)
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

/// The latest rates of a currency with their corrections, newest first, [`RATES_AT_ONCE`] at most.
///
/// # Errors
/// A failure of the store.
pub async fn list_rates(
    operator: &Operator<'_>,
    currency: Currency,
) -> Result<Vec<ExchangeRate>, AdminError> {
    let list = move |tx: &mut Tx<'_>| exchange_rates::newest(tx, currency, RATES_AT_ONCE);
    Ok(operator.store.look_up(&Meter::default(), list).await?)
}
