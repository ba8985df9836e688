//! The order of locks, as far as a job can break it: what it may lock without its owner's row.

use super::schema::{add, insert, insert_lease, insert_owner, note, take_lease};
use super::*;

/// The lanes whose jobs do not hold their owner's row, and those whose jobs hold it.
const WITHOUT: [Lane; 2] = [Lane::Recording, Lane::Claiming];
const HOLDING: [Lane; 3] = [Lane::Admission, Lane::Completion, Lane::Maintenance];

pub(crate) fn who_does_without_its_owners_row_locks_in_the_order_of_all(store: &Store) {
    let owner = owner();
    write(store, owner, move |tx| {
        insert_owner(tx, owner)?;
        insert_lease(tx, owner)?;
        insert(tx, owner, 0)
    })
    .unwrap();
    let meter = Meter::default();
    let in_order = move |tx: &mut Tx<'_>| {
        take_lease(tx, owner)?;
        note(tx, owner)?;
        // What is locked already is come back to.
        take_lease(tx, owner)
    };
    let backwards = move |tx: &mut Tx<'_>| {
        note(tx, owner)?;
        take_lease(tx, owner)
    };
    let elsewhere = move |tx: &mut Tx<'_>| add(tx, owner, 1);
    for lane in WITHOUT {
        wait(store.write(&meter, lane, owner, in_order)).unwrap();
        for wrong in [
            kind(wait(store.write(&meter, lane, owner, backwards))),
            kind(wait(store.write(&meter, lane, owner, elsewhere))),
        ] {
            assert_eq!(wrong, FaultKind::Broken, "{lane:?}");
        }
    }
    assert_eq!(seen(store, owner), Some(0));
    for lane in HOLDING {
        wait(store.write(&meter, lane, owner, backwards)).unwrap();
        wait(store.write(&meter, lane, owner, elsewhere)).unwrap();
    }
    assert_eq!(seen(store, owner), Some(3));
}
