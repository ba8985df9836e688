//! Rates that are held for payers of links in other currencies.

use domain::ids::{LinkId, OwnerId};
use domain::links::{Currency, Price};
use domain::money::Bolivars;
use domain::rates::{LOCKS_MAX, Rate, RateLock, RateSource};
use domain::seals::{Seal, SealedRateLock};
use domain::time::CaracasDate;

use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};
use crate::value::Row;

statements! {
    LATEST = Sql::new(
        "select id, amount, currency, rate, value_date, source, owed, locked_at, ends_at \
         from rate_locks where owner_id = $1 and link_id = $2 order by id desc limit $3",
    );

    INSERT = Sql::new(
        "insert into rate_locks (owner_id, link_id, id, amount, currency, rate, value_date, source, \
         owed, locked_at, ends_at, seal) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
    );

    END = Sql::new(
        "update rate_locks set ends_at = $4, seal = $5 \
         where owner_id = $1 and link_id = $2 and id = $3",
    );
}

/// The link's latest locks, the latest first: as many as a payment can be of.
///
/// # Errors
/// A fault of the store.
pub fn latest(tx: &mut Tx<'_>, owner: OwnerId, link: LinkId) -> Result<Vec<RateLock>, Fault> {
    let limit = i64::try_from(LOCKS_MAX).unwrap_or(i64::MAX);
    let rows = tx.query(&LATEST, &[owner.into(), link.into(), limit.into()])?;
    rows.iter().map(read).collect()
}

/// Writes a new lock of a link that is held.
///
/// # Errors
/// A fault of the store.
pub fn insert(tx: &mut Tx<'_>, owner: OwnerId, link: LinkId, lock: &RateLock) -> Result<(), Fault> {
    let params = [
        owner.into(),
        link.into(),
        lock.id.into(),
        lock.price.hundredths.into(),
        lock.price.currency.as_str().into(),
        lock.rate.units().into(),
        lock.value_date.days().into(),
        lock.source.as_str().into(),
        lock.owed.hundredths().into(),
        lock.locked_at.into(),
        lock.ends_at.into(),
        seal(owner, link, lock).as_slice().into(),
    ];
    tx.defer(&INSERT, params, Expect::Rows(1))
}

/// Writes that a lock has ended earlier than it was to.
///
/// # Errors
/// A fault of the store.
pub fn end(tx: &mut Tx<'_>, owner: OwnerId, link: LinkId, ended: &RateLock) -> Result<(), Fault> {
    let params = [
        owner.into(),
        link.into(),
        ended.id.into(),
        ended.ends_at.into(),
        seal(owner, link, ended).as_slice().into(),
    ];
    tx.defer(&END, params, Expect::Rows(1))
}

fn seal(owner: OwnerId, link: LinkId, lock: &RateLock) -> Seal {
    SealedRateLock {
        ids: [&owner.to_bytes(), &link.to_bytes(), &lock.id.to_bytes()],
        texts: [lock.price.currency.as_str(), lock.source.as_str()],
        numbers: [
            lock.price.hundredths,
            lock.rate.units(),
            lock.value_date.days(),
            lock.owed.hundredths(),
            lock.locked_at.as_micros(),
            lock.ends_at.as_micros(),
        ],
    }
    .seal()
}

fn read(row: &Row) -> Result<RateLock, Fault> {
    let broken = |what: &str| Fault::broken(format!("a rate lock with a broken {what}"));
    let currency =
        Currency::parse(&row.get::<String>("currency")?).ok_or_else(|| broken("currency"))?;
    Ok(RateLock {
        id: row.get("id")?,
        price: Price { hundredths: row.get("amount")?, currency },
        rate: Rate::from_units(row.get("rate")?).ok_or_else(|| broken("rate"))?,
        value_date: CaracasDate::from_days(row.get("value_date")?).ok_or_else(|| broken("day"))?,
        source: RateSource::parse(&row.get::<String>("source")?).map_err(|_| broken("source"))?,
        owed: Bolivars::from_hundredths(row.get("owed")?),
        locked_at: row.get("locked_at")?,
        ends_at: row.get("ends_at")?,
    })
}
