//! What jobs see of one another while they run at the same time.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::mpsc;
use std::thread;

use domain::ids::SessionId;
use domain::session::Session;

use super::*;
use crate::question::{Both, Question};
use crate::{owners, sessions};

pub(crate) fn concurrent_writes_add_up(store: &Store) {
    const THREADS: i64 = 8;
    const WRITES: i64 = 25;
    let owner = owner();
    write(store, owner, move |tx| insert(tx, owner, 0)).unwrap();
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                for _ in 0..WRITES {
                    write(store, owner, move |tx| add(tx, owner, 1)).unwrap();
                }
            });
        }
    });
    assert_eq!(seen(store, owner), Some(THREADS * WRITES));
}

pub(crate) fn a_snapshot_does_not_move(store: &Store) {
    let owner = owner();
    write(store, owner, move |tx| insert(tx, owner, 1)).unwrap();
    let (begun, has_begun) = mpsc::channel();
    let (written, is_written) = mpsc::channel();
    thread::scope(|scope| {
        let reader = scope.spawn(move || {
            let job = move |tx: &mut Tx<'_>| {
                let before = posted(tx, owner)?;
                begun.send(()).unwrap();
                is_written.recv().unwrap();
                Ok((before, posted(tx, owner)?))
            };
            wait(store.read(&Meter::default(), job)).unwrap()
        });
        has_begun.recv().unwrap();
        write(store, owner, move |tx| add(tx, owner, 1)).unwrap();
        written.send(()).unwrap();
        assert_eq!(reader.join().unwrap(), (Some(1), Some(1)));
    });
    assert_eq!(seen(store, owner), Some(2));
}

pub(crate) fn look_ups_go_on_beside_a_write(store: &Store) {
    let owner = owner();
    write(store, owner, move |tx| insert(tx, owner, 1)).unwrap();
    let (begun, has_begun) = mpsc::channel();
    let (looked, has_looked) = mpsc::channel();
    thread::scope(|scope| {
        let writer = scope.spawn(move || {
            write(store, owner, move |tx| {
                add(tx, owner, 1)?;
                let uncommitted = posted(tx, owner)?;
                begun.send(()).unwrap();
                has_looked.recv().unwrap();
                Ok(uncommitted)
            })
        });
        has_begun.recv().unwrap();
        let found = wait(store.look_up(&Meter::default(), move |tx| posted(tx, owner)));
        looked.send(()).unwrap();
        assert_eq!(found.unwrap(), Some(1), "nobody sees what is not committed");
        assert_eq!(writer.join().unwrap().unwrap(), Some(2));
    });
}

static COUNT_UP: Sql =
    Sql::new("update owners set balance = balance + 1 where owner_id = $1 returning balance");
static TURN_UP: Sql =
    Sql::new("update sessions set turn = turn + 1 where owner_id = $1 returning turn");

/// Counts up from 1 while three threads ask how far it is: nobody is answered less than anybody was told before, by a
/// write or by an answer.
fn no_answer_is_older(count_up: impl Fn() -> i64, ask: impl Fn() -> i64 + Sync) {
    const WRITES: i64 = 500;
    let told = AtomicI64::new(0);
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let mut seen = 0;
                while seen < WRITES {
                    let least = told.load(Ordering::SeqCst);
                    seen = ask();
                    assert!(seen >= least, "{seen} after {least} had been told");
                    told.fetch_max(seen, Ordering::SeqCst);
                }
            });
        }
        for _ in 0..WRITES {
            told.fetch_max(count_up(), Ordering::SeqCst);
        }
    });
}

/// Adds one to what the statement counts of the owner, and answers what it is then.
fn count(store: &Store, owner: OwnerId, sql: &'static Sql) -> i64 {
    write(store, owner, move |tx| tx.query_one(sql, &[owner.into()])?.get::<i64>(0)).unwrap()
}

pub(crate) fn no_answer_is_older_than_what_was_told(store: &Store) {
    let owner = owner();
    write(store, owner, move |tx| owners::insert(tx, owner, "a@b", "A", "", at(1))).unwrap();
    let balance = || {
        let both = Both(owners::finding(owner), Question::nothing());
        let (found, ()) = wait(store.ask(&Meter::default(), both)).unwrap();
        found.unwrap().balance
    };
    no_answer_is_older(|| count(store, owner, &COUNT_UP), balance);
}

pub(crate) fn no_answer_about_who_may_ask_is_older_than_what_was_told(store: &Store) {
    let (owner, session) = (owner(), SessionId::from_bytes([1; 16]));
    write(store, owner, move |tx| {
        owners::insert(tx, owner, "a@b", "A", "", at(1))?;
        sessions::insert(tx, owner, session, &Session::begin(at(1)))
    })
    .unwrap();
    let turn = || {
        let both = Both(sessions::find(owner, session), Question::nothing());
        let (found, ()) = wait(store.ask(&Meter::default(), both)).unwrap();
        found.unwrap().0.turn
    };
    // Charges go between, after which what is remembered of a session stays.
    let turn_up = || {
        count(store, owner, &COUNT_UP);
        count(store, owner, &TURN_UP)
    };
    no_answer_is_older(turn_up, turn);
}
