//! What a session is like: its limits, its snapshots, its clock, and how little it waits.

use std::sync::Arc;

use domain::time::Timestamp;
use store::fault::FaultKind;
use store::sql::Sql;
use store::tx::{Expect, Tx};
use store::value::Value;
use store::{Batch, Engine, Meter, MigrateError, OnFatal, OpenError, Options, PostgresSettings};

use crate::bench::{add_once, database, owner, store, write};
use testkit::postgres::Database;
use testkit::proxy::Proxy;

static LIMIT: Sql = Sql::shared("select current_setting($1) as setting");
static TOTAL: Sql = Sql::new("select total from totals where owner_id = $1");
static SET: Sql = Sql::new("update totals set total = $2 where owner_id = $1");

#[tokio::test]
async fn every_session_has_its_limits() {
    let database = database();
    let store = store(&database.url(), Batch::AcrossOwners);
    let names = [
        ("lock_timeout", "5s"),
        ("statement_timeout", "15s"),
        ("idle_in_transaction_session_timeout", "10s"),
        ("application_name", "cotejo"),
    ];
    for (name, expected) in names {
        let look =
            move |tx: &mut Tx<'_>| tx.query_one(&LIMIT, &[Value::from(name)])?.get("setting");
        let limit: String = store.look_up(&Meter::default(), look).await.unwrap();
        assert_eq!(limit, expected, "{name}");
    }
    store.close();
}

#[tokio::test]
async fn a_snapshot_does_not_move_and_points_do() {
    let database = Arc::new(database());
    let elsewhere = Arc::clone(&database);
    database.execute("insert into totals values (decode(repeat('01', 16), 'hex'), 1)");
    let store = store(&database.url(), Batch::AcrossOwners);
    let job = move |tx: &mut Tx<'_>| {
        let read = |tx: &mut Tx<'_>| tx.query_one(&TOTAL, &[owner(1).into()])?.get("total");
        let before: i64 = read(tx)?;
        elsewhere.execute("update totals set total = total + 1");
        let after: i64 = read(tx)?;
        Ok(after - before)
    };
    assert_eq!(store.read(&Meter::default(), job.clone()).await.unwrap(), 0);
    assert_eq!(store.look_up(&Meter::default(), job).await.unwrap(), 1);
    store.close();
}

#[tokio::test]
async fn a_read_cannot_write() {
    let database = database();
    let store = store(&database.url(), Batch::AcrossOwners);
    let job = |tx: &mut Tx<'_>| tx.defer(&SET, [owner(1).into(), Value::Int(1)], Expect::Any);
    let fault = store.read(&Meter::default(), job).await.unwrap_err();
    assert_eq!(fault.kind(), FaultKind::Broken);
    store.close();
}

#[tokio::test]
async fn statements_put_off_do_not_wait_for_each_other() {
    let database = database();
    let proxy = Proxy::before(&database.url());
    let store = store(proxy.url(), Batch::AcrossOwners);
    let job = || {
        write(&store, owner(1), |tx| {
            for id in 0..3 {
                tx.defer(&SET, [owner(1).into(), Value::Int(id)], Expect::Any)?;
            }
            Ok(())
        })
    };
    // The first run prepares, which waits.
    job().await.unwrap();
    // Begin, three statements and the commit.
    proxy.hold_answers_for(5);
    job().await.unwrap();
    store.close();
}

#[tokio::test]
async fn the_clocks_of_one_machine_agree() {
    let database = database();
    let store = store(&database.url(), Batch::AcrossOwners);
    let ask = "select (extract(epoch from clock_timestamp()) * 1000000)::bigint";
    // As of a node that is ten seconds behind, so that the sign is seen.
    let now = Timestamp::from_micros(database.number(ask) - 10_000_000);
    let skew = store.clock_skew(now).await.unwrap();
    assert!((5_000_000..70_000_000).contains(&skew), "{skew}");
    assert_eq!(store::inline().unwrap().clock_skew(now).await.unwrap(), 0);
    store.close();
}

#[tokio::test]
async fn nodes_that_start_together_migrate_once() {
    let database = database();
    let stores = std::thread::scope(|scope| {
        let open = || store(&database.url(), Batch::AcrossOwners);
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(open)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    assert_eq!(database.number("select count(distinct version) - count(*) from migrations"), 0);
    for (number, store) in (1..).zip(stores) {
        let owner = owner(number);
        write(&store, owner, move |tx| add_once(tx, owner, 1, Expect::Rows(1))).await.unwrap();
        store.close();
    }
}

#[test]
fn a_server_that_is_not_there_is_reported_without_its_password() {
    let options = Options {
        engine: Engine::Postgres(PostgresSettings::at("postgres://me:hunter2@127.0.0.1:1/none")),
        now: Timestamp::from_micros(0),
        on_fatal: OnFatal::new(|reason| panic!("{reason}")),
    };
    let error = store::open(&options).unwrap_err();
    assert!(!format!("{error:?} {error} {options:?}").contains("hunter2"));
}

#[tokio::test]
async fn a_store_that_is_open_to_read_alone_changes_nothing() {
    let database = database();
    let mut settings = PostgresSettings::at(database.url());
    settings.connections = 1;
    let options = Options {
        engine: Engine::Postgres(settings),
        now: Timestamp::from_micros(0),
        on_fatal: OnFatal::new(|reason| panic!("{reason}")),
    };
    // The first start makes the schema.
    store::open(&options).unwrap().close();
    let store = store::open_to_read(&options).unwrap();
    let look =
        |tx: &mut Tx<'_>| tx.query_one(&LIMIT, &[Value::from("statement_timeout")])?.get("setting");
    let limit: String = store.look_up(&Meter::default(), look).await.unwrap();
    assert_eq!(limit, "0", "an audit takes as long as it takes");
    let job = |tx: &mut Tx<'_>| add_once(tx, owner(1), 1, Expect::Any);
    assert!(write(&store, owner(1), job).await.is_err());
    store.close();

    // A schema that is not there is not made.
    database.execute("drop table migrations");
    assert!(store::open_to_read(&options).is_err());
    let tables = "select count(*) from pg_tables where tablename = 'migrations'";
    assert_eq!(database.number(tables), 0);
}

#[test]
fn a_database_from_before_the_first_release_is_refused() {
    let database = Database::empty();
    database.execute(
        "create table migrations (version bigint primary key, name text not null, checksum bytea not null, \
         compatible_from bigint not null, applied_at bigint not null)",
    );
    database.execute(
        "insert into migrations values (1, 'foundation', '', 1, 0), (27, 'the_latest', '', 25, 0)",
    );
    let options = Options {
        engine: Engine::Postgres(PostgresSettings::at(database.url())),
        now: Timestamp::from_micros(0),
        on_fatal: OnFatal::new(|reason| panic!("{reason}")),
    };
    for refused in [store::open(&options), store::open_to_read(&options)] {
        let refusal = refused.unwrap_err();
        assert!(matches!(refusal, OpenError::Migrate(MigrateError::Unreleased)), "{refusal:?}");
    }
    assert_eq!(database.number("select count(*) from pg_tables where schemaname = 'public'"), 1);
}
