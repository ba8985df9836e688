//! What the server refuses is tried again, or not, as its SQLSTATE says.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, mpsc};

use store::Batch;
use store::fault::{FaultKind, WriteError};
use store::sql::Sql;
use store::tx::Expect;
use store::value::Value;
use tokio_postgres::NoTls;

use testkit::postgres::Database;

use crate::bench::{add_once, database, done, owner, patient, store, write};

/// Fails so many times with a SQLSTATE, then no more: a sequence is not rolled back.
const STUMBLE: &str = "\
    create sequence stumbles; \
    create function stumble(state text, times bigint) returns bigint language plpgsql as $$ begin \
        if nextval('stumbles') <= times then raise exception 'stumbled' using errcode = state; end if; \
        return times; \
    end $$;";

static STUMBLES: Sql = Sql::shared("select stumble($1, $2)");
static SESSION: Sql = Sql::shared("select pg_backend_pid()::bigint as session");
static LOCK: Sql = Sql::new("update totals set total = total + 1 where owner_id = $1");
static LOCK_OTHER: Sql = Sql::shared("update totals set total = total + 1 where owner_id = $1");
static INSERT_TWICE: Sql = Sql::new("insert into late (owner_id) values ($1)");

#[tokio::test]
async fn the_state_alone_decides_how_often_a_job_runs() {
    let cases = [
        ("40001", 2, Ok(3)),
        ("40P01", 2, Ok(3)),
        ("57P01", 1, Ok(2)),
        ("0A000", 1, Ok(2)),
        ("25006", 1, Ok(2)),
        ("25006", 100, Err((FaultKind::ReadOnly, 5))),
        ("08006", 1, Ok(2)),
        ("08006", 100, Err((FaultKind::LostServer, 2))),
        ("40001", 100, Err((FaultKind::Conflict, 5))),
        ("57014", 1, Err((FaultKind::Unavailable, 1))),
        ("55P03", 1, Err((FaultKind::Unavailable, 1))),
        ("53100", 1, Err((FaultKind::Full, 1))),
        ("23505", 1, Err((FaultKind::Constraint, 1))),
        ("22012", 1, Err((FaultKind::Broken, 1))),
    ];
    for (state, times, expected) in cases {
        let database = database();
        database.execute(STUMBLE);
        let store = store(&database.url(), Batch::AcrossOwners);
        let runs = Arc::new(AtomicU32::new(0));
        let counted = Arc::clone(&runs);
        let result = write(&store, owner(1), move |tx| {
            counted.fetch_add(1, Ordering::SeqCst);
            add_once(tx, owner(1), 1, Expect::Rows(1))?;
            tx.query_one(&STUMBLES, &[Value::from(state), Value::Int(times)])?;
            Ok(())
        });
        let runs_of = |()| runs.load(Ordering::SeqCst);
        let seen = match result.await {
            Ok(()) => Ok(runs_of(())),
            Err(WriteError::Fault(fault)) => Err((fault.kind(), runs_of(()))),
            Err(error) => panic!("{state}: {error:?}"),
        };
        assert_eq!(seen, expected, "{state}");
        assert_eq!(done(&database), i64::from(seen.is_ok()), "{state}");
        store.close();
    }
}

#[tokio::test]
async fn a_job_of_a_lost_server_keeps_its_session_until_it_gives_up() {
    let database = database();
    database.execute(STUMBLE);
    let store = store(&database.url(), Batch::AcrossOwners);
    let sessions = Arc::new(Mutex::new(Vec::new()));
    let stumble = |times| {
        let seen = Arc::clone(&sessions);
        write(&store, owner(1), move |tx| {
            let session: i64 = tx.query_one(&SESSION, &[])?.get("session")?;
            seen.lock().unwrap().push(session);
            tx.query_one(&STUMBLES, &[Value::from("08006"), Value::Int(times)])?;
            Ok(())
        })
    };
    stumble(1).await.unwrap();
    stumble(100).await.unwrap_err();
    stumble(0).await.unwrap();
    let sessions = sessions.lock().unwrap();
    let [first, again, third, given_up, next] = sessions[..] else { panic!("{sessions:?}") };
    assert_eq!([again, third, given_up], [first; 3]);
    assert_ne!(next, first);
    store.close();
}

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "the test's own session needs a task to drive it")]
async fn the_victim_of_a_deadlock_runs_again() {
    let database = database();
    database.execute("insert into totals values (decode(repeat('01', 16), 'hex'), 0), (decode(repeat('02', 16), 'hex'), 0)");
    // Only the store's session looks for deadlocks, so that it is the victim.
    let first_to_look = format!("{}%20-c%20deadlock_timeout%3D10ms", patient(&database));
    let store = store(&first_to_look, Batch::AcrossOwners);
    let (other, connection) = tokio_postgres::connect(&database.url(), NoTls).await.unwrap();
    let driver = tokio::spawn(connection);
    other.batch_execute("set deadlock_timeout = '1h'; begin").await.unwrap();
    let lock = "update totals set total = total + 1 where owner_id = $1";
    other.execute(lock, &[&[2_u8; 16].as_slice()]).await.unwrap();

    let (locked, has_locked) = tokio::sync::oneshot::channel();
    let (go_on, may_go_on) = mpsc::channel::<()>();
    let first_run = Mutex::new(Some((locked, may_go_on)));
    let job = write(&store, owner(1), move |tx| {
        tx.execute(&LOCK, &[owner(1).into()])?;
        if let Some((locked, may_go_on)) = first_run.lock().unwrap().take() {
            locked.send(()).unwrap();
            may_go_on.recv().unwrap();
            tx.execute(&LOCK_OTHER, &[owner(2).into()])?;
            return Ok("first");
        }
        Ok("again")
    });
    let rest = async {
        has_locked.await.unwrap();
        let first = [1_u8; 16];
        let params: [&(dyn tokio_postgres::types::ToSql + Sync); 1] = [&first.as_slice()];
        let wait = other.execute(lock, &params);
        let watch = async {
            let waiting = "select count(*) from pg_stat_activity \
                           where wait_event_type = 'Lock' and datname = current_database()";
            while database.number(waiting) == 0 {
                tokio::task::yield_now().await;
            }
            go_on.send(()).unwrap();
        };
        let (waited, ()) = tokio::join!(wait, watch);
        waited.unwrap();
        other.batch_execute("commit").await.unwrap();
    };
    let (result, ()) = tokio::join!(job, rest);
    assert_eq!(result.unwrap(), "again");
    drop(other);
    driver.await.unwrap().unwrap();
    store.close();
}

#[tokio::test]
async fn a_constraint_that_fails_the_commit_is_certainly_not_applied() {
    let database = database();
    database.execute(
        "create table late (owner_id bytea not null, \
         unique (owner_id) deferrable initially deferred)",
    );
    for expect in [Expect::Rows(1), Expect::Any] {
        let store = store(&database.url(), Batch::AcrossOwners);
        let result = write(&store, owner(1), move |tx| {
            tx.defer(&INSERT_TWICE, [owner(1).into()], expect)?;
            tx.defer(&INSERT_TWICE, [owner(1).into()], expect)
        });
        let Err(WriteError::Fault(fault)) = result.await else { panic!("not a fault") };
        assert_eq!(fault.kind(), FaultKind::Constraint);
        assert_eq!(database.number("select count(*) from late"), 0);
        store.close();
    }
}

/// Nothing is said of a commit that was never sent but that it did not happen.
#[tokio::test]
async fn a_session_that_ends_before_the_commit_is_run_again() {
    let database = Arc::new(database());
    let elsewhere = Arc::clone(&database);
    let store = store(&database.url(), Batch::AcrossOwners);
    let runs = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&runs);
    let job = write(&store, owner(1), move |tx| {
        add_once(tx, owner(1), 1, Expect::Any)?;
        // Nothing is left to be sent but the commit.
        tx.execute(&LOCK, &[owner(1).into()])?;
        if counted.fetch_add(1, Ordering::SeqCst) == 0 {
            end_sessions_in_a_transaction(&elsewhere);
        }
        Ok(())
    });
    job.await.unwrap();
    assert_eq!(runs.load(Ordering::SeqCst), 2);
    assert_eq!(database.number("select count(*) from marks"), 1);
    store.close();
}

fn end_sessions_in_a_transaction(database: &Database) {
    const THEM: &str = "from pg_stat_activity where state = 'idle in transaction' \
        and datname = current_database()";
    database.execute(&format!("select pg_terminate_backend(pid) {THEM}"));
    while database.number(&format!("select count(*) {THEM}")) > 0 {}
}
