//! What jobs see of one another while they run at the same time.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::mpsc;
use std::thread;

use domain::ids::SessionId;

use super::schema::{
    CHARGE, TURN, TURN_UP, add, balance, insert, insert_owner, insert_session, total,
};
use super::*;
use crate::point_query::PointQuery;
use crate::sql::Sql;

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
                let before = total(tx, owner)?;
                begun.send(()).unwrap();
                is_written.recv().unwrap();
                Ok((before, total(tx, owner)?))
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
                let uncommitted = total(tx, owner)?;
                begun.send(()).unwrap();
                has_looked.recv().unwrap();
                Ok(uncommitted)
            })
        });
        has_begun.recv().unwrap();
        let found = wait(store.look_up(&Meter::default(), move |tx| total(tx, owner)));
        looked.send(()).unwrap();
        assert_eq!(found.unwrap(), Some(1), "nobody sees what is not committed");
        assert_eq!(writer.join().unwrap().unwrap(), Some(2));
    });
}

/// Counts up from 1 while three threads read how far it is: nobody reads less than a write or a read has answered
/// before.
fn no_read_is_stale(count_up: impl Fn() -> i64, read: impl Fn() -> i64 + Sync) {
    const WRITES: i64 = 500;
    let answered = AtomicI64::new(0);
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let mut seen = 0;
                while seen < WRITES {
                    let least = answered.load(Ordering::SeqCst);
                    seen = read();
                    assert!(seen >= least, "{seen} after {least} had been answered");
                    answered.fetch_max(seen, Ordering::SeqCst);
                }
            });
        }
        for _ in 0..WRITES {
            answered.fetch_max(count_up(), Ordering::SeqCst);
        }
    });
}

/// Adds one to what the statement counts of the owner, and answers what it is then.
fn count(store: &Store, owner: OwnerId, sql: &'static Sql) -> i64 {
    write(store, owner, move |tx| tx.query_one(sql, &[owner.into()])?.get("counted")).unwrap()
}

pub(crate) fn a_look_up_is_never_older_than_an_answered_commit(store: &Store) {
    let owner = owner();
    write(store, owner, move |tx| insert_owner(tx, owner)).unwrap();
    let balance = || wait(store.look_up(&Meter::default(), move |tx| balance(tx, owner))).unwrap();
    no_read_is_stale(|| count(store, owner, &CHARGE), balance);
}

pub(crate) fn an_auth_look_up_is_never_older_than_an_answered_commit(store: &Store) {
    let (owner, session) = (owner(), SessionId::from_bytes([1; 16]));
    write(store, owner, move |tx| {
        insert_owner(tx, owner)?;
        insert_session(tx, owner, session)
    })
    .unwrap();
    let turn = || {
        let params = [owner.into(), session.into()];
        let query = PointQuery::new(&TURN, params, |rows| rows[0].get("turn"));
        wait(store.look_up_auth(&Meter::default(), query)).unwrap()
    };
    // Charges go between, which leave the cached answer valid.
    let turn_up = || {
        count(store, owner, &CHARGE);
        count(store, owner, &TURN_UP)
    };
    no_read_is_stale(turn_up, turn);
}
