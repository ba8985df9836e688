//! When a cached answer is used. That none is older than an answered commit is a case of every engine too.

use std::sync::Barrier;
use std::thread;

use domain::ids::{OwnerId, SessionId};

use super::*;
use crate::conformance::schema::{CHARGE, SCHEMA, TURN, TURN_UP, insert_owner, insert_session};
use crate::conformance::{Folder, at, never_fatal, wait, write};
use crate::fault::Fault;
use crate::meter::Meter;
use crate::options::{Engine, Options};
use crate::point_query::{PointQuery, at_most_one};
use crate::sql::Sql;
use crate::sqlite::Settings;
use crate::sqlite::fault_injection::FaultInjection;
use crate::store::Store;
use crate::tx::Tx;
use crate::value::Value;

const OWNER: OwnerId = OwnerId::from_bytes([1; 16]);
const SESSION: SessionId = SessionId::from_bytes([2; 16]);

/// However long the machine takes.
const HOUR: Duration = Duration::from_hours(1);

static NAME: Sql =
    Sql::new("select turn as name from sessions where owner_id = $1 and $2 = $2").reads_auth();
static EMAIL: Sql =
    Sql::new("select turn as email from sessions where owner_id = $1 and $2 = $2").reads_auth();
static BALANCE: Sql = Sql::new("select balance from owners where owner_id = $1");

fn asked(sql: &'static Sql, param: i64) -> BoundStatement {
    BoundStatement { sql, params: vec![OWNER.into(), param.into()] }
}

fn rows(value: impl Into<Value>) -> Rows {
    vec![Row::new(&NAME, vec![value.into()])].into()
}

fn stamp(cache: &AuthCache) -> CacheStamp {
    cache.stamp().unwrap()
}

/// Returns what the cache answers now.
fn get(cache: &AuthCache, statement: &BoundStatement) -> Option<Rows> {
    cache.get(cache.stamp()?, statement)
}

#[test]
fn an_answer_is_used_until_a_commit_that_touches_auth_tables_begins() {
    let (cache, name) = (AuthCache::new(HOUR), asked(&NAME, 0));
    assert_eq!(get(&cache, &name), None);
    cache.insert(stamp(&cache), &name, &rows(7));
    assert_eq!(get(&cache, &name), Some(rows(7)));
    cache.during_commit(|| {
        assert!(cache.stamp().is_none());
    });
    assert_eq!(get(&cache, &name), None);
    cache.insert(stamp(&cache), &name, &rows(8));
    assert_eq!(get(&cache, &name), Some(rows(8)));
}

#[test]
fn an_answer_that_was_read_before_a_commit_is_never_used_after_it() {
    let (cache, name) = (AuthCache::new(HOUR), asked(&NAME, 0));
    // Stored while the commit is under way, and after it.
    let before = stamp(&cache);
    cache.during_commit(|| cache.insert(before, &name, &rows(7)));
    assert_eq!(get(&cache, &name), None);
    cache.insert(before, &name, &rows(7));
    assert_eq!(get(&cache, &name), None);
    // A late one does not take the place of one that is current.
    cache.insert(stamp(&cache), &name, &rows(8));
    cache.insert(before, &name, &rows(7));
    assert_eq!(get(&cache, &name), Some(rows(8)));
    // Nor is one used that was stored under a stamp that was current then.
    let current = stamp(&cache);
    cache.during_commit(|| ());
    assert_eq!(cache.get(current, &name), Some(rows(8)), "it was the answer at that instant");
    assert_eq!(get(&cache, &name), None);
}

#[test]
fn a_commit_that_panics_ends_the_use_of_the_cache() {
    let (cache, name) = (AuthCache::new(HOUR), asked(&NAME, 0));
    let before = stamp(&cache);
    cache.insert(before, &name, &rows(7));
    thread::scope(|scope| {
        let commit = scope.spawn(|| cache.during_commit(|| panic!("within a commit")));
        assert!(commit.join().is_err());
    });
    assert!(cache.stamp().is_none());
}

#[test]
fn an_answer_is_used_for_a_second_at_most() {
    let (cache, name) = (AuthCache::new(MAX_AGE), asked(&NAME, 0));
    let read = stamp(&cache);
    cache.insert(read, &name, &rows(7));
    let late = CacheStamp { at: read.at + Duration::from_millis(999), ..read };
    let too_late = CacheStamp { at: read.at + MAX_AGE, ..read };
    assert_eq!(cache.get(late, &name), Some(rows(7)));
    assert_eq!(cache.get(too_late, &name), None);
    cache.insert(too_late, &name, &rows(8));
    assert_eq!(cache.get(too_late, &name), Some(rows(8)));
}

#[test]
fn another_statement_or_another_parameter_has_another_answer() {
    let cache = AuthCache::new(HOUR);
    cache.insert(stamp(&cache), &asked(&NAME, 1), &rows(7));
    assert_eq!(get(&cache, &asked(&EMAIL, 1)), None);
    assert_eq!(get(&cache, &asked(&NAME, 2)), None);
    cache.insert(stamp(&cache), &asked(&EMAIL, 1), &rows(8));
    assert_eq!(get(&cache, &asked(&EMAIL, 1)), Some(rows(8)));
    assert_eq!(get(&cache, &asked(&NAME, 1)), Some(rows(7)));
}

#[test]
fn the_cache_is_bounded() {
    let cache = AuthCache::new(HOUR);
    let now = stamp(&cache);
    let long = rows("a".repeat(10 * BYTES_OF_ENTRY));
    for param in 0..2_000 {
        cache.insert(now, &asked(&NAME, param), &long);
        assert!(cache.answers.weight() <= BYTES_MAX);
    }
    assert!(cache.answers.weight() > BYTES_MAX / 2, "it is used");
    let too_long = rows("a".repeat(usize::try_from(BYTES_MAX).unwrap()));
    cache.insert(now, &asked(&EMAIL, 0), &too_long);
    assert_eq!(get(&cache, &asked(&EMAIL, 0)), None);
}

/// A store with an owner who has a session, and the folder that it lies in.
fn store(faults: FaultInjection) -> (Store, Folder) {
    let folder = Folder::new();
    let path = folder.0.join("store.db");
    let settings =
        Settings { faults, auth_cache_max_age: HOUR, read_limit: HOUR, ..Settings::new(path) };
    let options = Options { engine: Engine::Sqlite(settings), now: at(1), on_fatal: never_fatal() };
    let store = Store::open(&SCHEMA, &options).unwrap();
    write(&store, OWNER, |tx| {
        insert_owner(tx, OWNER)?;
        insert_session(tx, OWNER, SESSION)
    })
    .unwrap();
    (store, folder)
}

/// Returns what a query answers, and how many statements it took to know it.
fn look_up<T: Send + 'static>(store: &Store, query: PointQuery<T>) -> (T, u64) {
    let meter = Meter::default();
    let answer = wait(store.look_up_auth(&meter, query)).unwrap();
    (answer, meter.statements())
}

/// How many turns a session has had, if there is one, and how many statements it took to know it.
fn turn(store: &Store, session: SessionId) -> (Option<i64>, u64) {
    let params = [OWNER.into(), session.into()];
    let read = |rows: &[Row]| at_most_one(rows)?.map(|row| row.get("turn")).transpose();
    look_up(store, PointQuery::new(&TURN, params, read))
}

fn charge(tx: &mut Tx<'_>) -> Result<(), Fault> {
    tx.query(&CHARGE, &[OWNER.into()]).map(drop)
}

fn turn_up(tx: &mut Tx<'_>) -> Result<(), Fault> {
    tx.query(&TURN_UP, &[OWNER.into()]).map(drop)
}

#[test]
fn a_session_is_read_once_until_it_changes_however_often_its_owner_is_charged() {
    let (store, _folder) = store(FaultInjection::default());
    assert_eq!(turn(&store, SESSION), (Some(0), 1));
    for _ in 0..3 {
        write(&store, OWNER, charge).unwrap();
        assert_eq!(turn(&store, SESSION), (Some(0), 0));
    }
    write(&store, OWNER, turn_up).unwrap();
    assert_eq!(turn(&store, SESSION), (Some(1), 1));
    assert_eq!(turn(&store, SESSION), (Some(1), 0));
}

#[test]
fn a_job_of_no_owner_that_touches_auth_tables_invalidates_too() {
    let (store, _folder) = store(FaultInjection::default());
    assert_eq!(turn(&store, SESSION), (Some(0), 1));
    wait(store.write_shared(&Meter::default(), charge)).unwrap();
    assert_eq!(turn(&store, SESSION), (Some(0), 0));
    wait(store.write_shared(&Meter::default(), turn_up)).unwrap();
    assert_eq!(turn(&store, SESSION), (Some(1), 1));
}

#[test]
fn a_missing_row_is_cached_until_it_is_written() {
    let (store, _folder) = store(FaultInjection::default());
    let absent = SessionId::from_bytes([9; 16]);
    assert_eq!(turn(&store, absent), (None, 1));
    assert_eq!(turn(&store, absent), (None, 0));
    write(&store, OWNER, move |tx| insert_session(tx, OWNER, absent)).unwrap();
    assert_eq!(turn(&store, absent), (Some(0), 1));
    assert_eq!(turn(&store, absent), (Some(0), 0));
}

#[test]
fn a_commit_that_can_be_seen_has_invalidated_what_was_before_it() {
    let faults = FaultInjection::default();
    let (store, _folder) = store(faults.clone());
    turn(&store, SESSION);
    assert_eq!(turn(&store, SESSION), (Some(0), 0));
    let barrier = Arc::new(Barrier::new(2));
    *faults.halts_after_commit.lock().unwrap() = Some(Arc::clone(&barrier));
    thread::scope(|scope| {
        let writer = scope.spawn(|| write(&store, OWNER, turn_up).unwrap());
        barrier.wait();
        // It is in the database, and the writer has not gone on.
        assert_eq!(turn(&store, SESSION), (Some(1), 1));
        assert_eq!(turn(&store, SESSION), (Some(1), 1));
        barrier.wait();
        writer.join().unwrap();
    });
    assert_eq!(turn(&store, SESSION), (Some(1), 1));
    assert_eq!(turn(&store, SESSION), (Some(1), 0));
}

#[test]
fn an_answer_from_other_tables_is_never_cached() {
    let (store, _folder) = store(FaultInjection::default());
    let balance = || {
        let query = PointQuery::new(&BALANCE, [OWNER.into()], |rows| rows[0].get::<i64>("balance"));
        look_up(&store, query)
    };
    assert_eq!(balance(), (0, 1));
    write(&store, OWNER, charge).unwrap();
    assert_eq!(balance(), (1, 1));
}
