//! Credits: the counters that limits are decided by. They must agree with [`crate::ledger`], which
//! gets its line in the same transaction.
//!
//! Rows are locked in one order everywhere: the key's month, the client's month, the owner last,
//! because the owner's row is the one that all of an owner's work wants.

use domain::ids::{ClientId, KeyId, OwnerId, VerificationId};
use domain::money::Credits;
use domain::quota::{Limit, Usage};
use domain::time::{CaracasMonth, Timestamp};

use crate::fault::Fault;
use crate::ledger;
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};
use crate::value::{Row, Value};

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

    BALANCE = Sql::new("select balance, reserved from owners where owner_id = $1");

    LOCK_BALANCE = Sql::new("select balance, reserved from owners where owner_id = $1 for update");

    RELEASE_KEY = Sql::new(
        "update key_months set reserved = reserved - $2, requests = requests + 1 \
         where owner_id = $1 and key_id = $3 and month = $4 returning requests, credit_lines",
    );

    RELEASE_CLIENT = Sql::new(
        "update client_months set reserved = reserved - $2 \
         where owner_id = $1 and client_id = $3 and month = $4",
    );

    RELEASE_OWNER = Sql::new("update owners set reserved = reserved - $2 where owner_id = $1");

    POST_KEY = Sql::new(
        "update key_months set posted = posted + $2, reserved = reserved - $2, \
         operations = operations + 1, requests = requests + 1, credit_lines = credit_lines + 1 \
         where owner_id = $1 and key_id = $3 and month = $4 returning requests, credit_lines",
    );

    POST_CLIENT = Sql::new(
        "update client_months set posted = posted + $2, reserved = reserved - $2, \
         operations = operations + 1 \
         where owner_id = $1 and client_id = $3 and month = $4 returning posted",
    );

    POST_OWNER = Sql::new(
        "update owners set balance = balance - $2, reserved = reserved - $2, \
         credit_lines = credit_lines + 1 where owner_id = $1 returning balance, credit_lines",
    );

    GRANT_OWNER = Sql::new(
        "update owners set balance = balance + $2, credit_lines = credit_lines + 1 \
         where owner_id = $1 returning balance, credit_lines",
    );

    COUNT_ATTEMPT = Sql::new(
        "insert into key_months (owner_id, key_id, month, posted, reserved, operations, requests, \
         credit_lines) values ($1, $2, $3, 0, 0, 0, 1, 0) \
         on conflict (owner_id, key_id, month) do update \
         set requests = key_months.requests + 1 returning requests",
    );

    KEY_MONTH = Sql::new(
        "select posted, reserved, operations, requests, credit_lines from key_months \
         where owner_id = $1 and key_id = $2 and month = $3",
    );

    CLIENT_MONTH = Sql::new(
        "select posted, reserved, operations from client_months \
         where owner_id = $1 and client_id = $2 and month = $3",
    );

}

/// Whose counters a charge moves: the key (or the owner's id for a session), the client, the month.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Account {
    /// The key that is charged, or the owner's id for a session.
    pub actor: KeyId,
    /// The client whose quota it counts against.
    pub client: Option<ClientId>,
    /// The month that it counts in.
    pub month: CaracasMonth,
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

/// Adds `cost` to every counter and answers what they were before, so that one decision over all
/// of them can follow; [`take_back`] undoes it where that decision is a refusal. Until the
/// transaction ends, nobody else sees either.
///
/// # Errors
/// A fault of the store.
pub fn reserve(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    account: Account,
    cost: Credits,
) -> Result<Before, Fault> {
    let month = account.month.as_i64();
    let key = [owner.into(), account.actor.into(), month.into(), cost.get().into()];
    let client: Option<[Value; 4]> =
        account.client.map(|id| [owner.into(), id.into(), month.into(), cost.get().into()]);
    let own = [owner.into(), cost.get().into()];
    let caps = [owner.into(), account.actor.into(), account.client.into()];
    let mut statements: Vec<(&'static Sql, &[Value])> = vec![(&RESERVE_KEY, &key)];
    if let Some(client) = &client {
        statements.push((&RESERVE_CLIENT, client));
    }
    statements.push((&RESERVE_OWNER, &own));
    // Last, under the locks of the others, so that a limit which was lowered meanwhile holds.
    statements.push((&CAPS, &caps));
    let mut answers = tx.query_all(&statements)?;
    let caps = first(answers.pop())?;
    let mut answers = answers.into_iter();

    let cap = |column| Ok::<_, Fault>(caps.get::<Option<i64>>(column)?.map(Credits::new));
    let key = Limit { cap: cap(0)?, usage: usage_before(&first(answers.next())?, cost)? };
    let client = match client {
        Some(_) => {
            Some(Limit { cap: cap(1)?, usage: usage_before(&first(answers.next())?, cost)? })
        }
        None => None,
    };
    let (row, owner_took_it) = match answers.next().unwrap_or_default().pop() {
        Some(row) => (row, true),
        None => balance_that_does_not_hold_it(tx, &own)?,
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

/// Undoes a [`reserve`] of this transaction that is refused, and counts the attempt; answers the
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
    let ordinal = release_key(tx, owner, account, cost)?;
    release_client(tx, owner, account, cost)?;
    if before.owner_took_it {
        tx.defer(&RELEASE_OWNER, [owner.into(), cost.get().into()], Expect::Rows(1))?;
    }
    Ok(ordinal)
}

/// Gives a reservation back to every counter, and counts the attempt; answers the ordinal of its
/// activity entry.
///
/// # Errors
/// A fault of the store.
pub fn void(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    account: Account,
    cost: Credits,
) -> Result<i64, Fault> {
    let ordinal = release_key(tx, owner, account, cost)?;
    release_client(tx, owner, account, cost)?;
    tx.defer(&RELEASE_OWNER, [owner.into(), cost.get().into()], Expect::Rows(1))?;
    Ok(ordinal)
}

/// The owner's balance.
///
/// # Errors
/// A fault of the store.
pub fn balance(tx: &mut Tx<'_>, owner: OwnerId) -> Result<Credits, Fault> {
    Ok(Credits::new(tx.query_one(&BALANCE, &[owner.into()])?.get(0)?))
}

/// What posting left behind.
#[derive(Clone, Copy, Debug)]
pub struct Posted {
    /// The ordinal of the activity entry.
    pub request: i64,
    /// The owner's balance after the charge.
    pub balance: Credits,
}

/// Turns a reservation into a charge: the counters, the balance and the one line of the ledger.
///
/// # Errors
/// A fault of the store.
pub fn post(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    account: Account,
    cost: Credits,
    verification: VerificationId,
    now: Timestamp,
) -> Result<Posted, Fault> {
    let month = account.month.as_i64();
    let key = [owner.into(), cost.get().into(), account.actor.into(), month.into()];
    let client: Option<[Value; 4]> =
        account.client.map(|id| [owner.into(), cost.get().into(), id.into(), month.into()]);
    let own = [owner.into(), cost.get().into()];
    let mut statements: Vec<(&'static Sql, &[Value])> = vec![(&POST_KEY, &key)];
    if let Some(client) = &client {
        statements.push((&POST_CLIENT, client));
    }
    statements.push((&POST_OWNER, &own));
    let mut answers = tx.query_all(&statements)?.into_iter();

    let key = first(answers.next())?;
    if client.is_some() {
        first(answers.next())?;
    }
    let own = first(answers.next())?;
    let balance = own.get(0)?;
    let line = ledger::Line {
        line: own.get(1)?,
        amount: -cost.get(),
        balance_after: balance,
        movement_type: "debit",
        origin: "verification",
        description: "payment verification",
        verification: Some(verification),
        client: account.client,
        key: Some((account.actor, key.get(1)?)),
        month: account.month,
    };
    ledger::insert(tx, owner, &line, now)?;
    Ok(Posted { request: key.get(0)?, balance: Credits::new(balance) })
}

/// Adds credits to an owner, or takes some away; answers the new balance, or `None` where there is
/// no such owner or the balance is too small.
///
/// # Errors
/// A fault of the store; a balance that would fall below what is reserved is one.
pub fn grant(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    amount: Credits,
    now: Timestamp,
) -> Result<Option<Credits>, Fault> {
    let Some(row) = tx.query_opt(&GRANT_OWNER, &[owner.into(), amount.get().into()])? else {
        return Ok(None);
    };
    let balance = row.get(0)?;
    let line = ledger::Line {
        line: row.get(1)?,
        amount: amount.get(),
        balance_after: balance,
        movement_type: if amount.get() > 0 { "purchase" } else { "adjustment" },
        origin: "admin",
        description: "granted on the command line",
        verification: None,
        client: None,
        key: None,
        month: CaracasMonth::of(now),
    };
    ledger::insert(tx, owner, &line, now)?;
    Ok(Some(Credits::new(balance)))
}

/// Counts an attempt that reserved nothing; answers the ordinal of its activity entry.
///
/// # Errors
/// A fault of the store.
pub fn count_attempt(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    actor: KeyId,
    month: CaracasMonth,
) -> Result<i64, Fault> {
    tx.query_one(&COUNT_ATTEMPT, &[owner.into(), actor.into(), month.as_i64().into()])?.get(0)
}

/// What a key has used in a month.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeyMonth {
    /// Credits charged.
    pub posted: i64,
    /// Credits that open verifications hold.
    pub reserved: i64,
    /// Charged operations.
    pub operations: i64,
    /// Activity entries.
    pub requests: i64,
    /// Lines of the ledger.
    pub credit_lines: i64,
}

/// What a key, or under the owner's id a session, has used in a month.
///
/// # Errors
/// A fault of the store.
pub fn key_month(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    actor: KeyId,
    month: CaracasMonth,
) -> Result<KeyMonth, Fault> {
    let row = tx.query_opt(&KEY_MONTH, &[owner.into(), actor.into(), month.as_i64().into()])?;
    row.map_or_else(
        || Ok(KeyMonth::default()),
        |row| {
            Ok(KeyMonth {
                posted: row.get(0)?,
                reserved: row.get(1)?,
                operations: row.get(2)?,
                requests: row.get(3)?,
                credit_lines: row.get(4)?,
            })
        },
    )
}

/// What a client has used in a month.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientMonth {
    /// Credits.
    pub usage: Usage,
    /// Charged operations.
    pub operations: i64,
}

/// What a client has used in a month.
///
/// # Errors
/// A fault of the store.
pub fn client_month(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    client: ClientId,
    month: CaracasMonth,
) -> Result<ClientMonth, Fault> {
    let row = tx.query_opt(&CLIENT_MONTH, &[owner.into(), client.into(), month.as_i64().into()])?;
    row.map_or_else(
        || {
            let usage = Usage { posted: Credits::ZERO, reserved: Credits::ZERO };
            Ok(ClientMonth { usage, operations: 0 })
        },
        |row| {
            let (posted, reserved) = (Credits::new(row.get(0)?), Credits::new(row.get(1)?));
            Ok(ClientMonth { usage: Usage { posted, reserved }, operations: row.get(2)? })
        },
    )
}

fn release_key(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    account: Account,
    cost: Credits,
) -> Result<i64, Fault> {
    let params =
        [owner.into(), cost.get().into(), account.actor.into(), account.month.as_i64().into()];
    tx.query_one(&RELEASE_KEY, &params)?.get(0)
}

fn release_client(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    account: Account,
    cost: Credits,
) -> Result<(), Fault> {
    let Some(client) = account.client else { return Ok(()) };
    let params = [owner.into(), cost.get().into(), client.into(), account.month.as_i64().into()];
    tx.defer(&RELEASE_CLIENT, params, Expect::Rows(1))
}

/// The one row of a counter statement.
fn first(answer: Option<Vec<Row>>) -> Result<Row, Fault> {
    answer
        .and_then(|mut rows| rows.pop())
        .ok_or_else(|| Fault::broken("a counter that a reservation wrote is missing"))
}

fn usage_before(row: &Row, cost: Credits) -> Result<Usage, Fault> {
    let reserved = row.get::<i64>(1)? - cost.get();
    Ok(Usage { posted: Credits::new(row.get(0)?), reserved: Credits::new(reserved) })
}
