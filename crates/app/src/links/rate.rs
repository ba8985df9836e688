//! The rates that are held for a link's payers: what a link in another currency asks for, and by which of them a
//! movement pays it.

use domain::ids::{LinkId, OwnerId};
use domain::links::Currency;
use domain::matching::Movement;
use domain::money::Bolivars;
use domain::notices::Notice;
use domain::rates::{ExchangeRate, Owed, RateLock, RateOrigin, RateRule, owed};
use domain::time::{CaracasDate, Timestamp};
use store::fault::Fault;
use store::links::{HeldRate, Link};
use store::tx::Tx;
use store::{link_settings, rate_address, rate_locks};

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

/// Ends the lock of a link whose own end has just come nearer no later than the link.
///
/// # Errors
/// A fault of the store.
pub(crate) fn shorten_lock(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    link: &mut Link,
    now: Timestamp,
) -> Result<(), Fault> {
    let Some(end) = link.standing.expires_at else { return Ok(()) };
    let held = link.held_rate.as_mut().filter(|held| end < held.ends_at && now < held.ends_at);
    let Some(held) = held else { return Ok(()) };
    let locks = rate_locks::latest(tx, owner, link.id)?;
    let Some(lock) = locks.into_iter().find(|known| known.id == held.lock) else { return Ok(()) };
    let ended = lock.ended(end);
    held.ends_at = ended.ends_at;
    rate_locks::end(tx, owner, link.id, &ended)
}

/// Returns the notice that a link's rate is in doubt: it serves on, since the address reports one which nobody took, of a
/// day that has come, or, where rates serve from their publication on, of any.
///
/// # Errors
/// A fault of the store.
pub(super) fn doubt_of(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    link: LinkId,
    serving: &ExchangeRate,
    now: Timestamp,
) -> Result<Option<Notice>, Fault> {
    if serving.origin == RateOrigin::Owner {
        return Ok(None);
    }
    let mut doubtful = rate_address::doubtful(tx)?;
    doubtful.retain(|doubt| {
        doubt.currency == serving.currency && doubt.value_date >= serving.value_date
    });
    // There is hardly ever one, and the rule need not be read without.
    if doubtful.is_empty() {
        return Ok(None);
    }
    let last = match link_settings::rate_rule(tx, owner)? {
        RateRule::ByValueDate => CaracasDate::of(now),
        RateRule::ByPublication => RateRule::last_published(now),
    };
    let doubt = doubtful.into_iter().find(|doubt| doubt.value_date <= last);
    Ok(doubt.map(|doubt| Notice::rate_in_doubt(link, doubt.currency, doubt.value_date)))
}
