//! The address that rates are read from: who asks it next, the result, and which rates were too far from the
//! ones before.

use domain::links::Currency;
use domain::rates::{DoubtfulRate, Rate, RateSource};
use domain::time::{CaracasDate, Timestamp};

use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};
use crate::value::Row;

statements! {
    STATE = Sql::shared(
        "select due_at, answered_at, problem, failing_since from rate_address \
         where name = 'rates' and fence > 0",
    );

    LOCK = Sql::shared(
        "insert into rate_address (name, due_at, fence) values ('rates', 0, 0) \
         on conflict (name) do update set fence = rate_address.fence",
    );

    // What a clock ahead has put off beyond `$3` is not waited for.
    TAKE = Sql::shared(
        "insert into rate_address (name, due_at, fence) values ('rates', $1, 1) \
         on conflict (name) do update set due_at = excluded.due_at, fence = rate_address.fence + 1 \
         where rate_address.due_at <= $2 or rate_address.due_at > $3 returning fence",
    );

    ANSWERED = Sql::shared(
        "update rate_address set due_at = $2, answered_at = $3, problem = null, failing_since = null \
         where name = 'rates' and fence = $1 returning fence",
    );

    FAILED = Sql::shared(
        "update rate_address set due_at = $2, problem = $3, \
         failing_since = case when failing_since is null then $4 else failing_since end \
         where name = 'rates' and fence = $1 returning fence",
    );

    DOUBTFUL = Sql::shared(
        "select currency, value_date, until_date, rate, published_at, source, former, since \
         from doubtful_rates order by currency asc, value_date asc",
    );

    DOUBT = Sql::shared(
        "insert into doubtful_rates (currency, value_date, until_date, rate, published_at, source, \
         former, since) values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (currency, value_date) do update \
         set until_date = excluded.until_date, rate = excluded.rate, published_at = excluded.published_at, \
         source = excluded.source, former = excluded.former, since = excluded.since",
    );

    SETTLE_DAY = Sql::shared("delete from doubtful_rates where currency = $1 and value_date = $2");
}

/// State of the address that rates are read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddressState {
    /// When it is asked next, or was to be.
    pub due_at: Timestamp,
    /// When its latest good answer came.
    pub answered_at: Option<Timestamp>,
    /// What is wrong, and since when.
    pub problem: Option<(String, Timestamp)>,
}

/// Reads the state of the address; nothing before it was asked for the first time.
///
/// # Errors
/// A fault of the store.
pub fn state(tx: &mut Tx<'_>) -> Result<Option<AddressState>, Fault> {
    let Some(row) = tx.query_opt(&STATE, &[])? else { return Ok(None) };
    let problem: Option<String> = row.get("problem")?;
    let since: Option<Timestamp> = row.get("failing_since")?;
    let (due_at, answered_at) = (row.get("due_at")?, row.get("answered_at")?);
    Ok(Some(AddressState { due_at, answered_at, problem: problem.zip(since) }))
}

/// Locks against a transaction that records the address's answer: one waits for the end of the other. So each sees all
/// that the other has said of a day.
///
/// # Errors
/// A fault of the store.
pub fn lock(tx: &mut Tx<'_>) -> Result<(), Fault> {
    tx.defer(&LOCK, [], Expect::Rows(1))
}

/// Takes the turn to ask, where it is due at `now`, until `until`; what is put off beyond `latest` is due, too. Answers
/// the fence of the turn.
///
/// # Errors
/// A fault of the store.
pub fn take(
    tx: &mut Tx<'_>,
    now: Timestamp,
    until: Timestamp,
    latest: Timestamp,
) -> Result<Option<i64>, Fault> {
    let row = tx.query_opt(&TAKE, &[until.into(), now.into(), latest.into()])?;
    row.map(|row| row.get("fence")).transpose()
}

/// Keeps that the address gave a good answer at `now` and is asked again at `due_at`; answers whether the turn still
/// held.
///
/// # Errors
/// A fault of the store.
pub fn answered(
    tx: &mut Tx<'_>,
    fence: i64,
    due_at: Timestamp,
    now: Timestamp,
) -> Result<bool, Fault> {
    Ok(tx.query_opt(&ANSWERED, &[fence.into(), due_at.into(), now.into()])?.is_some())
}

/// Keeps what was wrong at `now`; answers whether the turn still held.
///
/// # Errors
/// A fault of the store.
pub fn failed(
    tx: &mut Tx<'_>,
    fence: i64,
    due_at: Timestamp,
    (problem, now): (&str, Timestamp),
) -> Result<bool, Fault> {
    let params = [fence.into(), due_at.into(), problem.into(), now.into()];
    Ok(tx.query_opt(&FAILED, &params)?.is_some())
}

/// The rates that nobody took, by currency and day.
///
/// # Errors
/// A fault of the store.
pub fn doubtful(tx: &mut Tx<'_>) -> Result<Vec<DoubtfulRate>, Fault> {
    tx.query(&DOUBTFUL, &[])?.iter().map(read).collect()
}

/// Keeps a rate that nobody took, in place of the former one of its day.
///
/// # Errors
/// A fault of the store.
pub fn doubt(tx: &mut Tx<'_>, rate: &DoubtfulRate) -> Result<(), Fault> {
    let params = [
        rate.currency.as_str().into(),
        rate.value_date.days().into(),
        rate.until.map(CaracasDate::days).into(),
        rate.rate.units().into(),
        rate.published_at.into(),
        rate.source.as_str().into(),
        rate.former.map(Rate::units).into(),
        rate.since.into(),
    ];
    tx.defer(&DOUBT, params, Expect::Rows(1))
}

/// Forgets what was doubtful of the currency for that day.
///
/// # Errors
/// A fault of the store.
pub fn settle_day(tx: &mut Tx<'_>, currency: Currency, day: CaracasDate) -> Result<(), Fault> {
    tx.defer(&SETTLE_DAY, [currency.as_str().into(), day.days().into()], Expect::Any)
}

fn read(row: &Row) -> Result<DoubtfulRate, Fault> {
    let broken = |what: &str| Fault::broken(format!("a doubtful rate with a broken {what}"));
    let day = |days| CaracasDate::from_days(days).ok_or_else(|| broken("day"));
    let rate = |units| Rate::from_units(units).ok_or_else(|| broken("rate"));
    Ok(DoubtfulRate {
        currency: Currency::parse(&row.get::<String>("currency")?)
            .ok_or_else(|| broken("currency"))?,
        value_date: day(row.get("value_date")?)?,
        until: row.get::<Option<i64>>("until_date")?.map(day).transpose()?,
        rate: rate(row.get("rate")?)?,
        published_at: row.get("published_at")?,
        source: RateSource::parse(&row.get::<String>("source")?).map_err(|_| broken("source"))?,
        former: row.get::<Option<i64>>("former")?.map(rate).transpose()?,
        since: row.get("since")?,
    })
}
