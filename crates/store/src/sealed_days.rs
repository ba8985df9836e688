//! Days of an owner's deliveries that are over: each with the root of the tree over the digests of
//! its attempts, and a digest behind that of the day before it. What is sealed never changes.

use domain::ids::{EventId, OwnerId};
use domain::time::{CaracasDate, Timestamp};
use domain::webhooks::evidence::{DayFacts, Digest};

use crate::evidence::digest;
use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};
use crate::value::Row;

statements! {
    LATEST = Sql::new(
        "select day, attempts, root, digest, sealed_at from webhook_days \
         where owner_id = $1 and day <= $2 order by day desc limit 1",
    );

    PAGE = Sql::new(
        "select day, attempts, root, digest, sealed_at from webhook_days \
         where owner_id = $1 and day > $2 order by day asc limit $3",
    );

    // The first attempt of the next day that has any.
    NEXT = Sql::new(
        "select day from webhook_attempts where owner_id = $1 and day > $2 order by day asc limit 1",
    );

    LEAVES = Sql::new(
        "select delivery_id, number, digest from webhook_attempts where owner_id = $1 and day = $2 \
         and (delivery_id, number) > ($3, $4) order by delivery_id asc, number asc limit $5",
    );

    SEAL = Sql::new(
        "insert into webhook_days (owner_id, day, attempts, root, digest, sealed_at) \
         values ($1, $2, $3, $4, $5, $6) on conflict do nothing",
    );
}

/// How many leaves are read at once.
pub const LEAVES_MAX: i64 = 1_000;

/// A day that is sealed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SealedDay {
    /// The day.
    pub day: CaracasDate,
    /// How many attempts ended in it.
    pub attempts: i64,
    /// The root over their digests.
    pub root: Digest,
    /// The day's own digest, behind that of the day before it.
    pub digest: Digest,
    /// Since when.
    pub sealed_at: Timestamp,
}

/// An attempt as a leaf of its day, and the place from which the next ones are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// Whose it is.
    pub delivery: EventId,
    /// Its number.
    pub number: i64,
    /// Its digest.
    pub digest: Digest,
}

/// The latest day up to that one that is sealed.
///
/// # Errors
/// A fault of the store.
pub fn latest(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    up_to: CaracasDate,
) -> Result<Option<SealedDay>, Fault> {
    tx.query_opt(&LATEST, &[owner.into(), up_to.days().into()])?.map(|row| sealed(&row)).transpose()
}

/// Sealed days after that one, at most `limit` of them.
///
/// # Errors
/// A fault of the store.
pub fn page(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    after: Option<CaracasDate>,
    limit: i64,
) -> Result<Vec<SealedDay>, Fault> {
    let rows = tx.query(&PAGE, &[owner.into(), number(after).into(), limit.into()])?;
    rows.iter().map(sealed).collect()
}

/// The next day after that one in which any attempt ended.
///
/// # Errors
/// A fault of the store.
pub fn next(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    after: Option<CaracasDate>,
) -> Result<Option<CaracasDate>, Fault> {
    let row = tx.query_opt(&NEXT, &[owner.into(), number(after).into()])?;
    row.map(|row| day(&row)).transpose()
}

/// The attempts of a day in the order of the tree, behind that one: [`LEAVES_MAX`] at most.
///
/// # Errors
/// A fault of the store.
pub fn leaves(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    day: CaracasDate,
    after: Option<Leaf>,
) -> Result<Vec<Leaf>, Fault> {
    let (delivery, number) =
        after.map_or((EventId::from_bytes([0; 16]), 0), |leaf| (leaf.delivery, leaf.number));
    let params =
        [owner.into(), day.days().into(), delivery.into(), number.into(), LEAVES_MAX.into()];
    let read = |row: &Row| {
        // One that was taken away fits nothing, which whoever checks will say.
        let digest = digest(row, 2)?.unwrap_or(Digest::from_bytes([0; 32]));
        Ok(Leaf { delivery: row.get(0)?, number: row.get(1)?, digest })
    };
    tx.query(&LEAVES, &params)?.iter().map(read).collect()
}

/// Seals a day. Where it was sealed before, nothing changes.
///
/// # Errors
/// A fault of the store.
pub fn seal(tx: &mut Tx<'_>, facts: DayFacts, now: Timestamp) -> Result<(), Fault> {
    let params = [
        facts.owner.into(),
        facts.day.days().into(),
        facts.attempts.into(),
        facts.root.into(),
        facts.digest().into(),
        now.into(),
    ];
    tx.defer(&SEAL, params, Expect::Any)
}

/// A day as the stores keep it; before all others where there is none.
fn number(day: Option<CaracasDate>) -> i64 {
    day.map_or(i64::MIN, CaracasDate::days)
}

fn day(row: &Row) -> Result<CaracasDate, Fault> {
    CaracasDate::from_days(row.get(0)?).ok_or_else(|| Fault::broken("a day that no calendar has"))
}

fn sealed(row: &Row) -> Result<SealedDay, Fault> {
    let none = Digest::from_bytes([0; 32]);
    Ok(SealedDay {
        day: day(row)?,
        attempts: row.get(1)?,
        root: digest(row, 2)?.unwrap_or(none),
        digest: digest(row, 3)?.unwrap_or(none),
        sealed_at: row.get(4)?,
    })
}
