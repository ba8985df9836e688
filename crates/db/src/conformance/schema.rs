//! A small schema, for the engines' own tests.

use domain::ids::{KeyId, OwnerId, SessionId};

use crate::fault::Fault;
use crate::schema::{Migration, Schema};
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};

/// The schema.
pub(crate) static SCHEMA: Schema = Schema {
    migrations: &[Migration {
        version: 1,
        name: "schema",
        text: include_str!("schema.sql"),
        sqlite: None,
    }],
    statements: &[("schema", STATEMENTS)],
    hold_owner: &HOLD_OWNER,
    lock_order: &["leases", "notes"],
    probe: |_| Ok(()),
};

statements! {
    HOLD_OWNER = Sql::new("select owner_id from owners where owner_id = $1 for no key update");

    INSERT_OWNER = Sql::new("insert into owners (owner_id, balance) values ($1, 0)");

    pub(crate) CHARGE = Sql::new(
        "update owners set balance = balance + 1 where owner_id = $1 returning balance as counted",
    );

    BALANCE = Sql::new("select balance from owners where owner_id = $1");

    pub(crate) INSERT = Sql::new("insert into counters (owner_id, id, total) values ($1, $2, $3)");

    pub(crate) INSERT_ONCE = Sql::new(
        "insert into counters (owner_id, id, total) values ($1, $2, 0) on conflict do nothing",
    );

    pub(crate) ADD =
        Sql::new("update counters set total = total + $2 where owner_id = $1 and id = $3");

    pub(crate) ADD_TO_ALL = Sql::new("update counters set total = total + 1 where owner_id = $1");

    pub(crate) TOTAL = Sql::new("select total from counters where owner_id = $1 and id = $2");

    pub(crate) TOTALS = Sql::new("select total from counters where owner_id = $1");

    pub(crate) INSERT_SESSION =
        Sql::new("insert into sessions (owner_id, id, turn) values ($1, $2, 0)").writes_auth();

    pub(crate) TURN = Sql::new("select turn from sessions where owner_id = $1 and id = $2")
        .reads_auth();

    pub(crate) TURN_UP = Sql::new(
        "update sessions set turn = turn + 1 where owner_id = $1 returning turn as counted",
    )
    .writes_auth();

    pub(crate) INSERT_KINDS = Sql::new(
        "insert into kinds (owner_id, id, label, short, long, absent, lowest, is_so, is_not) \
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
    );

    pub(crate) KINDS = Sql::new(
        "select owner_id, id, label, short, long, absent, lowest, is_so, is_not from kinds \
         where owner_id = $1 and id = $2",
    );

    INSERT_LEASE = Sql::new("insert into leases (owner_id, fence) values ($1, 0)");

    TAKE_LEASE = Sql::new("update leases set fence = fence + 1 where owner_id = $1");

    NOTE = Sql::new(
        "insert into notes (owner_id, times) values ($1, 1) \
         on conflict (owner_id) do update set times = notes.times + 1",
    );
}

/// The counter of most tests.
pub(crate) const COUNTER: KeyId = KeyId::from_bytes([7; 16]);

/// An owner with a balance of nothing.
pub(crate) fn insert_owner(tx: &mut Tx<'_>, owner: OwnerId) -> Result<(), Fault> {
    tx.defer(&INSERT_OWNER, [owner.into()], Expect::Rows(1))
}

pub(crate) fn balance(tx: &mut Tx<'_>, owner: OwnerId) -> Result<i64, Fault> {
    tx.query_one(&BALANCE, &[owner.into()])?.get("balance")
}

/// A session that has had no turn.
pub(crate) fn insert_session(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    session: SessionId,
) -> Result<(), Fault> {
    tx.defer(&INSERT_SESSION, [owner.into(), session.into()], Expect::Rows(1))
}

/// A row with a number, to change and to look at.
pub(crate) fn insert(tx: &mut Tx<'_>, owner: OwnerId, total: i64) -> Result<(), Fault> {
    tx.execute(&INSERT, &[owner.into(), COUNTER.into(), total.into()]).map(drop)
}

pub(crate) fn add(tx: &mut Tx<'_>, owner: OwnerId, number: i64) -> Result<(), Fault> {
    tx.defer(&ADD, [owner.into(), number.into(), COUNTER.into()], Expect::Rows(1))
}

pub(crate) fn total(tx: &mut Tx<'_>, owner: OwnerId) -> Result<Option<i64>, Fault> {
    let row = tx.query_opt(&TOTAL, &[owner.into(), COUNTER.into()])?;
    row.map(|row| row.get("total")).transpose()
}

pub(crate) fn insert_lease(tx: &mut Tx<'_>, owner: OwnerId) -> Result<(), Fault> {
    tx.defer(&INSERT_LEASE, [owner.into()], Expect::Rows(1))
}

pub(crate) fn take_lease(tx: &mut Tx<'_>, owner: OwnerId) -> Result<(), Fault> {
    tx.defer(&TAKE_LEASE, [owner.into()], Expect::Rows(1))
}

pub(crate) fn note(tx: &mut Tx<'_>, owner: OwnerId) -> Result<(), Fault> {
    tx.defer(&NOTE, [owner.into()], Expect::Rows(1))
}
