//! What other currencies cost in bolívares, as it was published: the same for every owner.

use std::ops::RangeInclusive;

use domain::links::Currency;
use domain::rates::{ExchangeRate, Rate, RateOrigin, RateRule, RateSource};
use domain::time::{CaracasDate, Timestamp};

use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};
use crate::value::Row;

macro_rules! rates {
    ($rest:literal) => {
        concat!(
            "select id, currency, rate, value_date, until_date, published_at, source, origin \
             from exchange_rates where currency = $1 ",
            $rest
        )
    };
}

statements! {
    BY_VALUE_DATE = Sql::shared(rates!(
        "and value_date <= $2 order by value_date desc, id desc limit 1"
    ));

    // The last day of which a rate was published, and of that day the latest correction: what is recorded late of a day
    // that is over serves nobody.
    BY_PUBLICATION = Sql::shared(rates!(
        "and published_at <= $2 and value_date <= $3 order by value_date desc, id desc limit 1"
    ));

    OF_DAY = Sql::shared(rates!("and value_date = $2 order by id desc limit 1"));

    FIRST_OF_DAY = Sql::shared(rates!("and value_date = $2 order by id asc limit 1"));

    BEFORE = Sql::shared(rates!("and value_date < $2 order by value_date desc, id desc limit 1"));

    OF_DAYS = Sql::shared(rates!(
        "and value_date between $2 and $3 order by value_date asc, id asc"
    ));

    NEWEST = Sql::shared(rates!("order by value_date desc, id desc limit $2"));

    INSERT = Sql::shared(
        "insert into exchange_rates (currency, value_date, id, until_date, rate, published_at, \
         source, origin) values ($1, $2, $3, $4, $5, $6, $7, $8)",
    );
}

/// The latest rate of the currency at `now` by that rule, however old it is.
///
/// # Errors
/// A fault of the store.
pub fn latest(
    tx: &mut Tx<'_>,
    currency: Currency,
    rule: RateRule,
    now: Timestamp,
) -> Result<Option<ExchangeRate>, Fault> {
    let row = match rule {
        RateRule::ByValueDate => {
            let today = CaracasDate::of(now).days();
            tx.query_opt(&BY_VALUE_DATE, &[currency.as_str().into(), today.into()])?
        }
        RateRule::ByPublication => {
            let last = RateRule::last_published(now).days();
            tx.query_opt(&BY_PUBLICATION, &[currency.as_str().into(), now.into(), last.into()])?
        }
    };
    row.map(|row| read(&row)).transpose()
}

/// Finds the rate that was recorded last of the currency for that day.
///
/// # Errors
/// A fault of the store.
pub fn of_day(
    tx: &mut Tx<'_>,
    currency: Currency,
    day: CaracasDate,
) -> Result<Option<ExchangeRate>, Fault> {
    let row = tx.query_opt(&OF_DAY, &[currency.as_str().into(), day.days().into()])?;
    row.map(|row| read(&row)).transpose()
}

/// Finds the rate that was recorded first of the currency for that day, before any correction.
///
/// # Errors
/// A fault of the store.
pub fn first_of_day(
    tx: &mut Tx<'_>,
    currency: Currency,
    day: CaracasDate,
) -> Result<Option<ExchangeRate>, Fault> {
    let row = tx.query_opt(&FIRST_OF_DAY, &[currency.as_str().into(), day.days().into()])?;
    row.map(|row| read(&row)).transpose()
}

/// Finds the rate that was recorded last of the currency for the latest day before that one.
///
/// # Errors
/// A fault of the store.
pub fn before(
    tx: &mut Tx<'_>,
    currency: Currency,
    day: CaracasDate,
) -> Result<Option<ExchangeRate>, Fault> {
    let row = tx.query_opt(&BEFORE, &[currency.as_str().into(), day.days().into()])?;
    row.map(|row| read(&row)).transpose()
}

/// All that was recorded of the currency for those days, oldest day first, and of a day the latest last.
///
/// # Errors
/// A fault of the store.
pub fn of_days(
    tx: &mut Tx<'_>,
    currency: Currency,
    days: RangeInclusive<CaracasDate>,
) -> Result<Vec<ExchangeRate>, Fault> {
    let (first, last) = days.into_inner();
    let params = [currency.as_str().into(), first.days().into(), last.days().into()];
    tx.query(&OF_DAYS, &params)?.iter().map(read).collect()
}

/// The latest rates of the currency by their days, with their corrections, newest first: `limit` at most.
///
/// # Errors
/// A fault of the store.
pub fn newest(
    tx: &mut Tx<'_>,
    currency: Currency,
    limit: usize,
) -> Result<Vec<ExchangeRate>, Fault> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let rows = tx.query(&NEWEST, &[currency.as_str().into(), limit.into()])?;
    rows.iter().map(read).collect()
}

/// Keeps a rate.
///
/// # Errors
/// A fault of the store.
pub fn insert(tx: &mut Tx<'_>, rate: &ExchangeRate) -> Result<(), Fault> {
    let params = [
        rate.currency.as_str().into(),
        rate.value_date.days().into(),
        rate.id.into(),
        rate.until.map(CaracasDate::days).into(),
        rate.rate.units().into(),
        rate.published_at.into(),
        rate.source.as_str().into(),
        rate.origin.as_str().into(),
    ];
    tx.defer(&INSERT, params, Expect::Rows(1))
}

fn read(row: &Row) -> Result<ExchangeRate, Fault> {
    let broken = |what: &str| Fault::broken(format!("an exchange rate with a broken {what}"));
    let day = |days| CaracasDate::from_days(days).ok_or_else(|| broken("day"));
    Ok(ExchangeRate {
        id: row.get("id")?,
        currency: Currency::parse(&row.get::<String>("currency")?)
            .ok_or_else(|| broken("currency"))?,
        rate: Rate::from_units(row.get("rate")?).ok_or_else(|| broken("rate"))?,
        value_date: day(row.get("value_date")?)?,
        until: row.get::<Option<i64>>("until_date")?.map(day).transpose()?,
        published_at: row.get("published_at")?,
        source: RateSource::parse(&row.get::<String>("source")?).map_err(|_| broken("source"))?,
        origin: RateOrigin::parse(&row.get::<String>("origin")?).ok_or_else(|| broken("origin"))?,
    })
}
