//! Who may end what is due.

use super::*;
use crate::due::{self, Due, Kind, Lease};

const KIND: Kind = Kind::MonthTurn;
const SUBJECT: [u8; 16] = [9; 16];

fn take(store: &Store, owner: OwnerId, now: i64, until: i64) -> Option<Lease> {
    write(store, owner, move |tx| due::claim(tx, owner, KIND, SUBJECT, at(now), at(until))).unwrap()
}

fn postpone(store: &Store, owner: OwnerId, lease: Lease, until: i64) -> bool {
    write(store, owner, move |tx| due::postpone(tx, owner, KIND, SUBJECT, lease, at(until)))
        .unwrap()
}

pub(crate) fn only_one_of_two_takes_a_lease(store: &Store) {
    let owner = owner();
    write(store, owner, move |tx| due::insert(tx, owner, KIND, SUBJECT, at(100))).unwrap();
    assert_eq!(take(store, owner, 99, 200), None, "its maker still has it");
    assert_eq!(take(store, owner, 100, 200), Some(Lease { fence: 2, tries: 2 }));
    assert_eq!(take(store, owner, 100, 200), None, "somebody was faster");
    assert_eq!(take(store, owner, 200, 300), Some(Lease { fence: 3, tries: 3 }));
}

pub(crate) fn an_older_lease_changes_nothing(store: &Store) {
    let owner = owner();
    write(store, owner, move |tx| due::insert(tx, owner, KIND, SUBJECT, at(100))).unwrap();
    assert!(postpone(store, owner, Lease::FIRST, 150));
    assert_eq!(take(store, owner, 149, 200), None, "the lease was renewed");
    let newer = take(store, owner, 150, 200).unwrap();
    assert!(!postpone(store, owner, Lease::FIRST, 500));
    assert!(postpone(store, owner, newer, 160), "given up early");
    assert!(take(store, owner, 160, 200).is_some());
}

pub(crate) fn a_scan_goes_on_where_the_last_one_ended(store: &Store) {
    let owners = [owner(), owner()];
    for (owner, subjects) in owners.into_iter().zip([[1, 3], [2, 4]]) {
        let insert = move |tx: &mut Tx<'_>| {
            let mut add = |n: u8| due::insert(tx, owner, KIND, [n; 16], at(-100 + i64::from(n)));
            subjects.into_iter().try_for_each(&mut add)
        };
        write(store, owner, insert).unwrap();
    }
    let scan = |after: Option<Due>, now| {
        let job = move |tx: &mut Tx<'_>| due::scan(tx, KIND, at(now), after);
        let found = wait(store.read(&Meter::default(), job)).unwrap();
        // Others may keep their rows in the same database.
        found.into_iter().filter(|due| owners.contains(&due.owner)).collect::<Vec<_>>()
    };
    let subjects = |found: &[Due]| found.iter().map(|due| due.subject[0]).collect::<Vec<_>>();
    let all = scan(None, 0);
    assert_eq!(subjects(&all), [1, 2, 3, 4]);
    assert_eq!(subjects(&scan(Some(all[1]), 0)), [3, 4]);
    assert_eq!(subjects(&scan(None, -98)), [1, 2]);
}

pub(crate) fn an_unknown_subject_cannot_be_removed(store: &Store) {
    let owner = owner();
    write(store, owner, move |tx| due::insert(tx, owner, KIND, SUBJECT, at(100))).unwrap();
    write(store, owner, move |tx| due::remove(tx, owner, KIND, SUBJECT)).unwrap();
    let again = write(store, owner, move |tx| due::remove(tx, owner, KIND, SUBJECT));
    assert_eq!(kind(again), FaultKind::Broken);
    assert_eq!(take(store, owner, 1_000, 2_000), None);
}
