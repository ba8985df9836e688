//! What other currencies cost for an owner's own links, as it said so.

use domain::ids::OwnerId;
use domain::links::Currency;
use domain::rates::{OwnRate, Rate, RateRule, RateSource};
use domain::time::{CaracasDate, Timestamp};

use crate::fault::Fault;
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

    // The count stops where nobody counts any more.
    COUNT = Sql::new(
        "select count(*) from (select id from owner_rates where owner_id = $1 limit $2) as counted",
    );

    INSERT = Sql::new(
        "insert into owner_rates (owner_id, currency, value_date, id, until_date, rate, published_at, \
         source) values ($1, $2, $3, $4, $5, $6, $7, $8)",
    );
}

/// What the owner said last of the currency at `now` by that rule, however long ago. It was said by `now`, whatever the
/// clock of another node told.
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

/// What the owner said last of the currency for that day.
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

/// A page of what the owner said, the latest first, and how much there is, `count_max` at most.
///
/// # Errors
/// A fault of the store.
pub fn page(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    (limit, offset): (i64, i64),
    count_max: i64,
) -> Result<(Vec<OwnRate>, i64), Fault> {
    let rows = tx.query(&PAGE, &[owner.into(), limit.into(), offset.into()])?;
    let rates = rows.iter().map(read).collect::<Result<_, _>>()?;
    let total = tx.query_one(&COUNT, &[owner.into(), count_max.into()])?.get(0)?;
    Ok((rates, total))
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
        id: row.get(0)?,
        currency: Currency::parse(&row.get::<String>(1)?).ok_or_else(|| broken("currency"))?,
        rate: row.get::<Option<i64>>(2)?.map(rate).transpose()?,
        value_date: day(row.get(3)?)?,
        until: row.get::<Option<i64>>(4)?.map(day).transpose()?,
        published_at: row.get(5)?,
        source: RateSource::parse(&row.get::<String>(6)?).map_err(|_| broken("source"))?,
    })
}
