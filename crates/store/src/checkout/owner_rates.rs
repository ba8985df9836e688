//! What other currencies cost for an owner's own links, as it said so.

use domain::ids::OwnerId;
use domain::links::Currency;
use domain::rates::{OwnRate, Rate, RateRule, RateSource};
use domain::time::{CaracasDate, Timestamp};

use crate::fault::Fault;
use crate::list::{List, Page, PageBounds, counted};
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};
use crate::value::Row;

macro_rules! rates {
    ($rest:literal) => {
        concat!(
            "select id, currency, rate, value_date, until_date, published_at, source \
             from owner_rates where owner_id = $1 ",
            $rest
        )
    };
}

statements! {
    BY_VALUE_DATE = Sql::new(rates!(
        "and currency = $2 and value_date <= $3 order by value_date desc, id desc limit 1"
    ));

    // All of it is published: what is in the future was said by a node whose clock is ahead.
    BY_PUBLICATION = Sql::new(rates!(
        "and currency = $2 and value_date <= $3 order by value_date desc, id desc limit 1"
    ));

    OF_DAY = Sql::new(rates!("and currency = $2 and value_date = $3 order by id desc limit 1"));

    PAGE = Sql::new(rates!("order by id desc limit $2 offset $3"));

    COUNT = counted!("from owner_rates where owner_id = $1", "$2");

    INSERT = Sql::new(
        "insert into owner_rates (owner_id, currency, value_date, id, until_date, rate, published_at, \
         source) values ($1, $2, $3, $4, $5, $6, $7, $8)",
    );
}

const RATES: List = List { page: &PAGE, count: &COUNT };

/// Finds the rate that the owner gave last of the currency, by that rule at `now`, however long ago. It counts as given
/// by `now`, whatever the clock of another node showed.
///
/// # Errors
/// A fault of the store.
pub fn latest(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    currency: Currency,
    rule: RateRule,
    now: Timestamp,
) -> Result<Option<OwnRate>, Fault> {
    let (owner, code) = (owner.into(), currency.as_str().into());
    let row = match rule {
        RateRule::ByValueDate => {
            tx.query_opt(&BY_VALUE_DATE, &[owner, code, CaracasDate::of(now).days().into()])?
        }
        RateRule::ByPublication => {
            let last = RateRule::last_published(now).days();
            tx.query_opt(&BY_PUBLICATION, &[owner, code, last.into()])?
        }
    };
    let latest = row.map(|row| read(&row)).transpose()?;
    Ok(latest.map(|one| OwnRate { published_at: one.published_at.min(now), ..one }))
}

/// Finds the rate that the owner gave last of the currency for that day.
///
/// # Errors
/// A fault of the store.
pub fn of_day(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    currency: Currency,
    day: CaracasDate,
) -> Result<Option<OwnRate>, Fault> {
    let params = [owner.into(), currency.as_str().into(), day.days().into()];
    tx.query_opt(&OF_DAY, &params)?.map(|row| read(&row)).transpose()
}

/// A page of what the owner said, the latest first, and how much there is, up to a limit.
///
/// # Errors
/// A fault of the store.
pub fn page(tx: &mut Tx<'_>, owner: OwnerId, bounds: PageBounds) -> Result<Page<OwnRate>, Fault> {
    RATES.read(tx, &[owner.into()], bounds)?.rows(read)
}

/// Keeps what the owner says.
///
/// # Errors
/// A fault of the store.
pub fn insert(tx: &mut Tx<'_>, owner: OwnerId, rate: &OwnRate) -> Result<(), Fault> {
    let params = [
        owner.into(),
        rate.currency.as_str().into(),
        rate.value_date.days().into(),
        rate.id.into(),
        rate.until.map(CaracasDate::days).into(),
        rate.rate.map(Rate::units).into(),
        rate.published_at.into(),
        rate.source.as_str().into(),
    ];
    tx.defer(&INSERT, params, Expect::Rows(1))
}

fn read(row: &Row) -> Result<OwnRate, Fault> {
    let broken = |what: &str| Fault::broken(format!("an owner's rate with a broken {what}"));
    let day = |days| CaracasDate::from_days(days).ok_or_else(|| broken("day"));
    let rate = |units| Rate::from_units(units).ok_or_else(|| broken("rate"));
    Ok(OwnRate {
        id: row.get("id")?,
        currency: Currency::parse(&row.get::<String>("currency")?)
            .ok_or_else(|| broken("currency"))?,
        rate: row.get::<Option<i64>>("rate")?.map(rate).transpose()?,
        value_date: day(row.get("value_date")?)?,
        until: row.get::<Option<i64>>("until_date")?.map(day).transpose()?,
        published_at: row.get("published_at")?,
        source: RateSource::parse(&row.get::<String>("source")?).map_err(|_| broken("source"))?,
    })
}
