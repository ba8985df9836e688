//! The rate that is held for a link in another currency.

use domain::ids::RateLockId;
use domain::rates::{Rate, RateLock};
use domain::time::Timestamp;

use crate::fault::Fault;
use crate::value::Row;

/// A rate that was held for a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeldRate {
    /// Its lock.
    pub lock: RateLockId,
    /// The rate.
    pub rate: Rate,
    /// From when on.
    pub locked_at: Timestamp,
}

impl HeldRate {
    /// The rate of that lock.
    #[must_use]
    pub const fn of(lock: &RateLock) -> Self {
        Self { lock: lock.id, rate: lock.rate, locked_at: lock.locked_at }
    }
}

/// What a row of a link says of it.
pub(super) fn held_rate(row: &Row) -> Result<Option<HeldRate>, Fault> {
    let Some(lock) = row.get(24)? else { return Ok(None) };
    let rate = Rate::from_units(row.get(25)?);
    let rate = rate.ok_or_else(|| Fault::broken("a rate lock with a broken rate"))?;
    Ok(Some(HeldRate { lock, rate, locked_at: row.get(26)? }))
}
