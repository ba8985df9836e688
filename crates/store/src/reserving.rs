//! The beginning of a verification: its row and everything that it reserves, written in one wait.
//!
//! What is reserved is written before anybody has decided whether there is room, and taken back
//! where there is none: so that one decision sees all limits at once, under the locks of all.

use domain::ids::OwnerId;
use domain::money::Credits;
use domain::quota::{Limit, Usage};
use domain::time::Timestamp;

use crate::credits::{self, Account, first};
use crate::fault::{Fault, FaultKind};
use crate::sql::Sql;
use crate::statements;
use crate::tx::Tx;
use crate::value::{Row, Value};
use crate::verifications::{self, NewVerification, Standing};

statements! {
    // A key that is bound to a client has no limit of its own in force.
    CAPS = Sql::new(
        "select (select k.monthly_credit_limit from api_keys k \
         where k.owner_id = $1 and k.id = $2 and k.client_id is null), \
         (select c.monthly_credit_limit from clients c where c.owner_id = $1 and c.id = $3)",
    );

    RESERVE_KEY = Sql::new(
        "insert into key_months (owner_id, key_id, month, posted, reserved, operations, requests, \
         credit_lines) values ($1, $2, $3, 0, $4, 0, 0, 0) \
         on conflict (owner_id, key_id, month) do update \
         set reserved = key_months.reserved + excluded.reserved returning posted, reserved",
    );

    RESERVE_CLIENT = Sql::new(
        "insert into client_months (owner_id, client_id, month, posted, reserved, operations) \
         values ($1, $2, $3, 0, $4, 0) \
         on conflict (owner_id, client_id, month) do update \
         set reserved = client_months.reserved + excluded.reserved returning posted, reserved",
    );

    RESERVE_OWNER = Sql::new(
        "update owners set reserved = reserved + $2 \
         where owner_id = $1 and reserved + $2 <= balance returning balance, reserved",
    );

    LOCK_BALANCE = Sql::new("select balance, reserved from owners where owner_id = $1 for update");
}

/// How often a beginning is tried while others with the same fingerprint come and go.
const TRIES_MAX: usize = 3;

/// What came of a beginning.
#[derive(Clone, Copy, Debug)]
pub enum Begun {
    /// It is written now, and this is what there was before.
    New(Before),
    /// It was written before, by the same call whose answer was lost.
    Already,
    /// Another one with this fingerprint is open.
    Other(domain::ids::VerificationId),
}

/// Limits, and what the counters were before a reservation that has been written tentatively.
#[derive(Clone, Copy, Debug)]
pub struct Before {
    /// Of the key.
    pub key: Limit,
    /// Of the client, where one is charged.
    pub client: Option<Limit>,
    /// The owner's balance.
    pub balance: Credits,
    /// What the owner's open verifications held.
    pub reserved: Credits,
    /// Whether the owner's own row has taken the reservation; it cannot where it would overdraw.
    owner_took_it: bool,
}

/// Writes a verification, unless one with its fingerprint is open, and adds its cost to every
/// counter; [`take_back`] undoes the latter. Until the transaction ends, nobody else sees either.
///
/// # Errors
/// A fault of the store.
pub fn begin(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    new: &NewVerification,
    now: Timestamp,
) -> Result<Begun, Fault> {
    let account = new.account();
    let (open, row) = verifications::opening(owner, new, now);
    let month = account.month.as_i64();
    let key = [owner.into(), account.actor.into(), month.into(), new.cost.get().into()];
    let client: Option<[Value; 4]> =
        account.client.map(|id| [owner.into(), id.into(), month.into(), new.cost.get().into()]);
    let own = [owner.into(), new.cost.get().into()];
    let caps = [owner.into(), account.actor.into(), account.client.into()];
    let mut statements: Vec<(&'static Sql, &[Value])> = vec![(open, &row), (&RESERVE_KEY, &key)];
    if let Some(client) = &client {
        statements.push((&RESERVE_CLIENT, client));
    }
    statements.push((&RESERVE_OWNER, &own));
    // Last, under the locks of the others, so that a limit which was lowered meanwhile holds.
    statements.push((&CAPS, &caps));

    for _ in 0..TRIES_MAX {
        let mut answers = tx.query_all(&statements)?.into_iter();
        let is_open = answers.next().is_some_and(|rows| !rows.is_empty());
        if is_open {
            return Ok(Begun::New(before(tx, answers, account, new.cost, &own)?));
        }
        let owner_took_it = answers.by_ref().nth(usize::from(client.is_some()) + 1);
        credits::unreserve(tx, owner, account, new.cost)?;
        if owner_took_it.is_some_and(|rows| !rows.is_empty()) {
            credits::release_owner(tx, owner, new.cost)?;
        }
        match verifications::standing(tx, owner, new)? {
            Standing::Own => return Ok(Begun::Already),
            Standing::Other(other) => return Ok(Begun::Other(other)),
            // The one that stood in the way ended between the two statements.
            Standing::Nothing => {}
        }
    }
    Err(Fault::new(FaultKind::Conflict, "verifications with one fingerprint keep ending"))
}

/// What the counters were, by what the statements answered.
fn before(
    tx: &mut Tx<'_>,
    mut answers: impl Iterator<Item = Vec<Row>>,
    account: Account,
    cost: Credits,
    own: &[Value],
) -> Result<Before, Fault> {
    let key = usage_before(&first(answers.next())?, cost)?;
    let client = match account.client {
        Some(_) => Some(usage_before(&first(answers.next())?, cost)?),
        None => None,
    };
    let owner = answers.next().unwrap_or_default().pop();
    let caps = first(answers.next())?;
    let cap = |column| Ok::<_, Fault>(caps.get::<Option<i64>>(column)?.map(Credits::new));
    let (key, client) = (
        Limit { cap: cap(0)?, usage: key },
        client.map(|usage| Ok::<_, Fault>(Limit { cap: cap(1)?, usage })).transpose()?,
    );
    let (row, owner_took_it) = match owner {
        Some(row) => (row, true),
        None => balance_that_does_not_hold_it(tx, own)?,
    };
    let held = if owner_took_it { cost.get() } else { 0 };
    Ok(Before {
        key,
        client,
        balance: Credits::new(row.get(0)?),
        reserved: Credits::new(row.get::<i64>(1)? - held),
        owner_took_it,
    })
}

/// Looks at a balance that just did not hold a reservation, under its lock. Credits that another
/// node granted meanwhile may hold it now; then it is taken after all.
fn balance_that_does_not_hold_it(tx: &mut Tx<'_>, own: &[Value]) -> Result<(Row, bool), Fault> {
    let locked = tx.query_one(&LOCK_BALANCE, &own[..1])?;
    match tx.query_opt(&RESERVE_OWNER, own)? {
        Some(row) => Ok((row, true)),
        None => Ok((locked, false)),
    }
}

/// Undoes the reservation of a [`begin`] of this transaction that is refused, and counts the attempt; answers the
/// ordinal of its activity entry.
///
/// # Errors
/// A fault of the store.
pub fn take_back(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    account: Account,
    cost: Credits,
    before: &Before,
) -> Result<i64, Fault> {
    let ordinal = credits::release_key(tx, owner, account, cost)?;
    credits::release_client(tx, owner, account, cost)?;
    if before.owner_took_it {
        credits::release_owner(tx, owner, cost)?;
    }
    Ok(ordinal)
}

fn usage_before(row: &Row, cost: Credits) -> Result<Usage, Fault> {
    let reserved = row.get::<i64>(1)? - cost.get();
    Ok(Usage { posted: Credits::new(row.get(0)?), reserved: Credits::new(reserved) })
}
