//! What jobs see of one another while they run at the same time.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::mpsc;
use std::thread;

use super::*;
use crate::owners;
use crate::question::{Both, Question};

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

/// An owner's balance as a question, as whoever asks who is calling asks it.
fn balance(store: &Store, owner: OwnerId) -> i64 {
    let both = Both(owners::finding(owner), Question::nothing());
    let (found, ()) = wait(store.ask(&Meter::default(), both)).unwrap();
    found.unwrap().balance
}

pub(crate) fn no_answer_is_older_than_what_was_told(store: &Store) {
    const WRITES: i64 = 500;
    let owner = owner();
    write(store, owner, move |tx| owners::insert(tx, owner, "a@b", "A", "", at(1))).unwrap();
    // By a write, or by an answer to anybody.
    let told = AtomicI64::new(0);
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let mut seen = 0;
                while seen < WRITES {
                    let least = told.load(Ordering::SeqCst);
                    seen = balance(store, owner);
                    assert!(seen >= least, "{seen} after {least} had been told");
                    told.fetch_max(seen, Ordering::SeqCst);
                }
            });
        }
        for _ in 0..WRITES {
            let count =
                move |tx: &mut Tx<'_>| tx.query_one(&COUNT_UP, &[owner.into()])?.get::<i64>(0);
            told.fetch_max(write(store, owner, count).unwrap(), Ordering::SeqCst);
        }
    });
}
