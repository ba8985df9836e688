//! What the tests work with: a database, a store on it, and jobs that leave countable traces.

use domain::ids::OwnerId;
use domain::time::Timestamp;
use store::fault::{Fault, WriteError};
use store::sql::Sql;
use store::tx::{Expect, Tx};
use store::{Batch, Engine, Lane, Meter, OnFatal, Options, PostgresSettings, Store};
use testkit::postgres::Database;

/// Which jobs were done, and how often anything was added: the two must agree.
const TABLES: &str = "\
    create table marks (owner_id bytea not null, id bigint not null, primary key (owner_id, id)); \
    create table totals (owner_id bytea not null, total bigint not null, primary key (owner_id));";

static MARK: Sql = Sql::new(
    "insert into marks (owner_id, id) values ($1, $2) on conflict do nothing returning id",
);

static ADD: Sql = Sql::new(
    "insert into totals (owner_id, total) values ($1, 1) \
     on conflict (owner_id) do update set total = totals.total + 1",
);

/// A database with two tables of its own.
pub(crate) fn database() -> Database {
    let database = Database::empty();
    database.execute(TABLES);
    database
}

/// The address of the database, for sessions that wait for a lock, and for the client, as long as it takes.
pub(crate) fn patient(database: &Database) -> String {
    let limits = "-c%20lock_timeout%3D0%20-c%20idle_in_transaction_session_timeout%3D0";
    format!("{}?options={limits}", database.url())
}

/// A store with a single connection to write and one to read.
pub(crate) fn store(url: &str, batch: Batch) -> Store {
    store_with(PostgresSettings { connections: 1, readers: 1, batch, ..PostgresSettings::at(url) })
}

/// A store with these settings.
pub(crate) fn store_with(settings: PostgresSettings) -> Store {
    let options = Options {
        engine: Engine::Postgres(settings),
        now: Timestamp::from_micros(0),
        on_fatal: OnFatal::new(|reason| panic!("{reason}")),
    };
    store::open(&options).unwrap()
}

pub(crate) fn owner(number: u8) -> OwnerId {
    OwnerId::from_bytes([number; 16])
}

/// Hands the job in as new work of `owner`.
pub(crate) async fn write<T: Send + 'static>(
    store: &Store,
    owner: OwnerId,
    job: impl Fn(&mut Tx<'_>) -> Result<T, Fault> + Send + 'static,
) -> Result<T, WriteError> {
    store.write(&Meter::default(), Lane::Admission, owner, job).await
}

/// Marks `id` as done and adds one, unless it is marked already.
pub(crate) fn add_once(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: i64,
    expect: Expect,
) -> Result<(), Fault> {
    if tx.query_opt(&MARK, &[owner.into(), id.into()])?.is_some() {
        tx.defer(&ADD, [owner.into()], expect)?;
    }
    Ok(())
}

/// How many jobs are marked as done, and how many were added: asserted to be the same.
pub(crate) fn done(database: &Database) -> i64 {
    let marks = database.number("select count(*) from marks");
    let total = database.number("select coalesce(sum(total), 0)::bigint from totals");
    assert_eq!(marks, total, "a job was applied in part, or twice");
    marks
}
