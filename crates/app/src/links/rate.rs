//! The rates that are held for a link's payers: what a link in another currency asks for, and by which of them a
//! movement pays it.

use domain::ids::OwnerId;
use domain::links::Currency;
use domain::matching::Movement;
use domain::money::Bolivars;
use domain::rates::{Owed, RateLock, owed};
use domain::time::Timestamp;
use store::fault::Fault;
use store::links::{HeldRate, Link};
use store::rate_locks;
use store::tx::Tx;

/// The link's latest rate locks; none of one in bolívares, which asks nothing of the store.
///
/// # Errors
/// A fault of the store.
pub(crate) fn locks_of(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    link: &Link,
) -> Result<Vec<RateLock>, Fault> {
    match link.price.currency {
        Currency::Vef => Ok(Vec::new()),
        Currency::Usd | Currency::Eur | Currency::Usdt => rate_locks::latest(tx, owner, link.id),
    }
}

/// Returns what the link asks of a payer who saw that amount; `None` where it never asked for that.
///
/// # Errors
/// A fault of the store.
pub(crate) fn owed_by(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    link: &Link,
    seen: Option<Bolivars>,
) -> Result<Option<Owed>, Fault> {
    Ok(owed(link.price, &locks_of(tx, owner, link)?, seen))
}

/// The lock by which a movement pays its link: of those of its amount the latest that was in force then, or else the
/// latest, by which a person may accept it.
pub(crate) fn lock_of<'a>(
    link: &Link,
    locks: &'a [RateLock],
    movement: &Movement,
) -> Option<&'a RateLock> {
    let fits =
        || locks.iter().filter(|lock| lock.price == link.price && lock.owed == movement.amount);
    fits().find(|lock| lock.was_in_force(movement)).or_else(|| fits().next())
}

/// Ends the lock of a link whose price has just changed.
///
/// # Errors
/// A fault of the store.
pub(super) fn end_lock(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    link: &mut Link,
    now: Timestamp,
) -> Result<(), Fault> {
    let Some(HeldRate { lock, .. }) = link.held_rate.take() else { return Ok(()) };
    let locks = rate_locks::latest(tx, owner, link.id)?;
    let held = locks.into_iter().find(|known| known.id == lock && known.holds(now));
    held.map_or(Ok(()), |held| rate_locks::end(tx, owner, link.id, &held.ended(now)))
}
