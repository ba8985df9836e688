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

    BLOCKS = Sql::new(
        "select block, root, last_delivery_id, last_number from webhook_day_blocks \
         where owner_id = $1 and day = $2 and block > $3 order by block asc limit $4",
    );

    KEEP_BLOCK = Sql::new(
        "insert into webhook_day_blocks (owner_id, day, block, root, last_delivery_id, last_number) \
         values ($1, $2, $3, $4, $5, $6) on conflict (owner_id, day, block) do update \
         set root = excluded.root, last_delivery_id = excluded.last_delivery_id, \
         last_number = excluded.last_number",
    );

    SEAL = Sql::new(
        "insert into webhook_days (owner_id, day, attempts, root, digest, sealed_at) \
         values ($1, $2, $3, $4, $5, $6) on conflict do nothing",
    );
}

/// How many leaves are read at once, and are a block: a power of two, as whole parts of the tree have.
pub const LEAVES_MAX: i64 = 1_024;

/// How many blocks are read at once: those of a million attempts.
pub const BLOCKS_MAX: i64 = 1_024;

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

impl Leaf {
    /// Its place.
    #[must_use]
    pub const fn place(&self) -> Place {
        (self.delivery, self.number)
    }
}

/// So many leaves of a day as are read at once, and the root over them: a search for an attempt
/// elsewhere need not read them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Its number, from 0.
    pub number: i64,
    /// The root over its leaves.
    pub root: Digest,
    /// The place of its last leaf.
    pub last: Place,
}

/// The place of a leaf in its day: its delivery, and its number.
pub type Place = (EventId, i64);

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
    after: Option<Place>,
) -> Result<Vec<Leaf>, Fault> {
    let (delivery, number) = after.unwrap_or((EventId::from_bytes([0; 16]), 0));
    let params =
        [owner.into(), day.days().into(), delivery.into(), number.into(), LEAVES_MAX.into()];
    let read = |row: &Row| {
        // One that was taken away fits nothing, which a check will report.
        let digest = digest(row, "digest")?.unwrap_or(Digest::from_bytes([0; 32]));
        Ok(Leaf { delivery: row.get("delivery_id")?, number: row.get("number")?, digest })
    };
    tx.query(&LEAVES, &params)?.iter().map(read).collect()
}

/// The blocks of a sealed day behind that one: [`BLOCKS_MAX`] at most. What comes behind the last of them
/// is less than a block.
///
/// # Errors
/// A fault of the store.
pub fn blocks(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    day: CaracasDate,
    after: Option<i64>,
) -> Result<Vec<Block>, Fault> {
    let params = [owner.into(), day.days().into(), after.unwrap_or(-1).into(), BLOCKS_MAX.into()];
    let read = |row: &Row| {
        let root = digest(row, "root")?.unwrap_or(Digest::from_bytes([0; 32]));
        let last = (row.get("last_delivery_id")?, row.get("last_number")?);
        Ok(Block { number: row.get("block")?, root, last })
    };
    tx.query(&BLOCKS, &params)?.iter().map(read).collect()
}

/// Keeps a block of a day that is being sealed, in place of what an unfinished sealing has kept.
///
/// # Errors
/// A fault of the store.
pub fn keep_block(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    day: CaracasDate,
    block: Block,
) -> Result<(), Fault> {
    let (delivery, number) = block.last;
    let params = [
        owner.into(),
        day.days().into(),
        block.number.into(),
        block.root.into(),
        delivery.into(),
        number.into(),
    ];
    tx.defer(&KEEP_BLOCK, params, Expect::Any)
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
    CaracasDate::from_days(row.get("day")?).ok_or_else(|| Fault::broken("an invalid day"))
}

fn sealed(row: &Row) -> Result<SealedDay, Fault> {
    let none = Digest::from_bytes([0; 32]);
    Ok(SealedDay {
        day: day(row)?,
        attempts: row.get("attempts")?,
        root: digest(row, "root")?.unwrap_or(none),
        digest: digest(row, "digest")?.unwrap_or(none),
        sealed_at: row.get("sealed_at")?,
    })
}
