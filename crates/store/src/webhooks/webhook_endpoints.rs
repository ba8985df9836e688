//! Where owners' systems are notified of their credits. A row is written under the lock of its owner's row,
//! so that the holder of that lock reads what holds.

use domain::ids::OwnerId;
use domain::money::Credits;
use domain::time::{CaracasMonth, Timestamp};
use domain::url::UrlText;
use domain::webhooks::{Endpoint, LowBalanceLevels};

use crate::credits::Standing;
use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};
use crate::value::Row;

statements! {
    FIND = Sql::new(
        "select url, levels, created_at, updated_at, month from webhook_endpoints \
         where owner_id = $1",
    );

    HOLD = Sql::new(
        "select balance, reserved, low_balance_at, notice_below from owners \
         where owner_id = $1 for no key update",
    );

    SET = Sql::new(
        "insert into webhook_endpoints (owner_id, url, levels, month, created_at, updated_at) \
         values ($1, $2, $3, $4, $5, $5) on conflict (owner_id) do update \
         set url = excluded.url, levels = excluded.levels, updated_at = excluded.updated_at",
    );

    REMOVE = Sql::new("delete from webhook_endpoints where owner_id = $1");

    WATCH = Sql::new("update owners set low_balance_at = $2 where owner_id = $1");

    LEVELS = Sql::new("select levels from webhook_endpoints where owner_id = $1");

    TURN = Sql::new(
        "update webhook_endpoints set month = $2 where owner_id = $1 and month < $2 \
         returning month",
    );

    CONSUMED = Sql::new(
        "select cast(coalesce(sum(posted), 0) as bigint) as total_posted, \
         cast(coalesce(sum(operations), 0) as bigint) as total_operations, \
         cast(coalesce(sum(reserved), 0) as bigint) as total_reserved \
         from actor_months where owner_id = $1 and month = $2",
    );
}

/// Level of a balance that can fall to no chosen level any more. It is never reached: no balance is below zero.
const NO_LEVEL: i64 = -1;

/// Usage of the owner's keys and sessions in a month, all together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Consumed {
    /// Credits charged.
    pub posted: Credits,
    /// Charged operations.
    pub operations: i64,
    /// Credits that verifications hold which were begun in it.
    pub reserved: Credits,
}

/// The owner's endpoint, if it has one.
///
/// # Errors
/// A fault of the store.
pub fn find(tx: &mut Tx<'_>, owner: OwnerId) -> Result<Option<Endpoint>, Fault> {
    tx.query_opt(&FIND, &[owner.into()])?.map(|row| read(&row)).transpose()
}

/// The owner's endpoint, if it has one, and the latest month whose beginning it need not be notified of.
///
/// # Errors
/// A fault of the store.
pub fn find_with_month(
    tx: &mut Tx<'_>,
    owner: OwnerId,
) -> Result<Option<(Endpoint, CaracasMonth)>, Fault> {
    let Some(row) = tx.query_opt(&FIND, &[owner.into()])? else { return Ok(None) };
    let month = CaracasMonth::from_i64(row.get("month")?);
    let month = month.ok_or_else(|| Fault::broken("an endpoint with a broken month"))?;
    Ok(Some((read(&row)?, month)))
}

/// Holds the owner's row until the transaction ends, and answers how its credits stand.
///
/// # Errors
/// A fault of the store.
pub fn hold_owner(tx: &mut Tx<'_>, owner: OwnerId) -> Result<Standing, Fault> {
    let row = tx.query_one(&HOLD, &[owner.into()])?;
    Ok(Standing {
        balance: Credits::new(row.get("balance")?),
        reserved: Credits::new(row.get("reserved")?),
        low_balance_at: row.get::<Option<i64>>("low_balance_at")?.map(Credits::new),
        notice_below: row.get::<Option<i64>>("notice_below")?.map(Credits::new),
    })
}

/// Keeps where the owner is notified and at which levels; `now` is in the month that begins with it where
/// there was none before. The caller holds the owner's row, and watches for the levels.
///
/// # Errors
/// A fault of the store.
pub fn set(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    url: &UrlText,
    levels: &LowBalanceLevels,
    now: Timestamp,
) -> Result<(), Fault> {
    let kept: Vec<u8> =
        levels.as_slice().iter().flat_map(|level| level.get().to_be_bytes()).collect();
    let month = CaracasMonth::of(now).as_i64();
    let params =
        [owner.into(), url.as_str().into(), kept.as_slice().into(), month.into(), now.into()];
    tx.defer(&SET, params, Expect::Rows(1))
}

/// Forgets where the owner is notified, and watches for nothing any more. The caller holds the owner's row.
///
/// # Errors
/// A fault of the store.
pub fn remove(tx: &mut Tx<'_>, owner: OwnerId) -> Result<(), Fault> {
    tx.defer(&REMOVE, [owner.into()], Expect::Any)?;
    tx.defer(&WATCH, [owner.into(), None::<i64>.into()], Expect::Rows(1))
}

/// Computes the level that a balance of so much is watched for, by the levels that the owner has chosen: the one that
/// [`watch`] would keep.
pub(crate) fn watched_for(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    balance: i64,
) -> Result<Option<i64>, Fault> {
    let Some(row) = tx.query_opt(&LEVELS, &[owner.into()])? else { return Ok(None) };
    let levels: Vec<u8> = row.get("levels")?;
    let (levels, _) = levels.as_chunks::<8>();
    let levels = levels.iter().map(|level| i64::from_be_bytes(*level));
    Ok(Some(levels.filter(|level| *level < balance).max().unwrap_or(NO_LEVEL)))
}

/// Keeps the next level below `balance`, so that the charge that brings the balance down to it is noticed. The caller
/// holds the owner's row, and the owner has an endpoint.
///
/// # Errors
/// A fault of the store.
pub fn watch(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    levels: &LowBalanceLevels,
    balance: Credits,
) -> Result<(), Fault> {
    let next = levels.below(balance).map_or(NO_LEVEL, Credits::get);
    tx.defer(&WATCH, [owner.into(), next.into()], Expect::Rows(1))
}

/// Notes that the beginning of that month is notified. Answers whether it was not before, so that of
/// several nodes that come to do so one does.
///
/// # Errors
/// A fault of the store.
pub fn turn(tx: &mut Tx<'_>, owner: OwnerId, month: CaracasMonth) -> Result<bool, Fault> {
    Ok(tx.query_opt(&TURN, &[owner.into(), month.as_i64().into()])?.is_some())
}

/// Reads what the owner used in a month.
///
/// # Errors
/// A fault of the store.
pub fn consumed(tx: &mut Tx<'_>, owner: OwnerId, month: CaracasMonth) -> Result<Consumed, Fault> {
    let row = tx.query_one(&CONSUMED, &[owner.into(), month.as_i64().into()])?;
    Ok(Consumed {
        posted: Credits::new(row.get("total_posted")?),
        operations: row.get("total_operations")?,
        reserved: Credits::new(row.get("total_reserved")?),
    })
}

fn read(row: &Row) -> Result<Endpoint, Fault> {
    let broken = || Fault::broken("an endpoint with a broken address or broken levels");
    let kept: Vec<u8> = row.get("levels")?;
    let (levels, rest) = kept.as_chunks::<8>();
    let levels = levels.iter().map(|level| Credits::new(i64::from_be_bytes(*level))).collect();
    if !rest.is_empty() {
        return Err(broken());
    }
    Ok(Endpoint {
        url: UrlText::from_stored(&row.get::<String>("url")?).map_err(|_| broken())?,
        levels: LowBalanceLevels::parse(levels).map_err(|_| broken())?,
        created_at: row.get("created_at")?,
        updated_at: row.get("updated_at")?,
    })
}
