//! The rate that is held for a link in another currency.

use domain::ids::RateLockId;
use domain::rates::{Rate, RateLock, RateSource};
use domain::time::{CaracasDate, Timestamp};

use crate::fault::Fault;
use crate::value::Row;

/// A rate that was held for a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldRate {
    /// Its lock.
    pub lock: RateLockId,
    /// The rate.
    pub rate: Rate,
    /// The first day that it is the rate of.
    pub value_date: CaracasDate,
    /// Whose rate it is.
    pub source: RateSource,
    /// From when on it was held.
    pub locked_at: Timestamp,
    /// Until when.
    pub ends_at: Timestamp,
}

impl HeldRate {
    /// The rate of that lock.
    #[must_use]
    pub fn of(lock: &RateLock) -> Self {
        Self {
            lock: lock.id,
            rate: lock.rate,
            value_date: lock.value_date,
            source: lock.source.clone(),
            locked_at: lock.locked_at,
            ends_at: lock.ends_at,
        }
    }
}

/// Reads the rate that a link holds from the link's row, if it holds one.
pub(super) fn held_rate(row: &Row) -> Result<Option<HeldRate>, Fault> {
    let Some(lock) = row.get("lock_id")? else { return Ok(None) };
    let broken = |what: &str| Fault::broken(format!("a rate lock with a broken {what}"));
    let value_date = CaracasDate::from_days(row.get("value_date")?);
    Ok(Some(HeldRate {
        lock,
        rate: Rate::from_units(row.get("rate")?).ok_or_else(|| broken("rate"))?,
        value_date: value_date.ok_or_else(|| broken("day"))?,
        source: RateSource::parse(&row.get::<String>("source")?).map_err(|_| broken("source"))?,
        locked_at: row.get("locked_at")?,
        ends_at: row.get("ends_at")?,
    }))
}
