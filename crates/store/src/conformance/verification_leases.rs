//! Who may take an open verification over.

use domain::ids::PaymentId;
use domain::verification::Failed;

use super::lines::{new_verification, with_credits};
use super::*;
use crate::verification_leases::{Open, renew, scan, take};
use crate::verifications::{self, Confirmation, NewVerification, ReserveOutcome, Verification};

/// Opens the verification of that number, with a lease until then.
fn open(store: &Store, owner: OwnerId, number: u8, until: i64) -> NewVerification {
    let new = NewVerification { lease_until: at(until), ..new_verification(KEY, number) };
    let opened = new.clone();
    let begin = move |tx: &mut Tx<'_>| verifications::reserve(tx, owner, &opened, None, at(0));
    assert!(matches!(write(store, owner, begin).unwrap(), (ReserveOutcome::Reserved(_), None)));
    new
}

fn row(store: &Store, owner: OwnerId, new: &NewVerification) -> Verification {
    let id = new.id;
    write(store, owner, move |tx| verifications::find(tx, owner, id)).unwrap().unwrap()
}

/// Tries at `now` to take over a verification that was found with a lease until `ended`; tells whether it did.
fn is_taken(store: &Store, owner: OwnerId, row: &Verification, ended: i64, now: i64) -> bool {
    let fingerprint = row.fingerprint;
    let found = Open { owner, fingerprint, id: row.id, until: at(ended), call: row.calls };
    let taken = move |tx: &mut Tx<'_>| take(tx, found, at(now + 100), at(now + 900));
    write(store, owner, taken).unwrap()
}

fn is_renewed(store: &Store, owner: OwnerId, row: &Verification, until: i64) -> bool {
    let (id, call) = (row.id, row.calls);
    write(store, owner, move |tx| renew(tx, owner, id, call, at(until))).unwrap()
}

/// The numbers of those of this owner whose lease is over.
fn over(store: &Store, owner: OwnerId, now: i64) -> Vec<u8> {
    let mut found = Vec::new();
    let mut after = None;
    loop {
        let page = move |tx: &mut Tx<'_>| scan(tx, after);
        let page = wait(store.read(&Meter::default(), page)).unwrap();
        // Others may keep their rows in the same database.
        let over = page.iter().filter(|open| open.owner == owner && open.until <= at(now));
        found.extend(over.map(|open| !open.id.to_bytes()[0]));
        after = page.last().copied();
        if after.is_none() {
            return found;
        }
    }
}

pub(crate) fn one_of_two_takes_a_verification_over(store: &Store) {
    let owner = with_credits(store);
    let new = open(store, owner, 1, 100);
    let first = row(store, owner, &new);
    assert!(is_taken(store, owner, &first, 100, 100));
    assert!(!is_taken(store, owner, &first, 100, 100), "somebody was faster");
    assert!(!is_taken(store, owner, &first, 200, 200), "somebody was faster");
    let second = row(store, owner, &new);
    assert_eq!((second.calls, second.deadline), (2, at(1_000)));
    assert!(is_taken(store, owner, &second, 200, 200));
}

pub(crate) fn a_former_holder_of_a_verification_renews_nothing(store: &Store) {
    let owner = with_credits(store);
    let new = open(store, owner, 1, 100);
    let first = row(store, owner, &new);
    assert!(is_renewed(store, owner, &first, 150));
    assert!(!is_taken(store, owner, &first, 100, 150), "the lease was renewed since it was found");
    assert!(is_taken(store, owner, &first, 150, 150));
    let second = row(store, owner, &new);
    assert!(!is_renewed(store, owner, &first, 5_000));
    assert!(is_taken(store, owner, &second, 250, 250));
}

/// The verifications of this owner that say until when somebody has them.
static LEASED: Sql =
    Sql::new("select id from verifications where owner_id = $1 and lease_until is not null");

pub(crate) fn a_verification_that_has_its_end_has_no_lease(store: &Store) {
    let owner = with_credits(store);
    let confirmed = open(store, owner, 1, 100);
    let failed = open(store, owner, 2, 100);
    let leased = || {
        let job = move |tx: &mut Tx<'_>| tx.query(&LEASED, &[owner.into()]);
        wait(store.read(&Meter::default(), job)).unwrap().len()
    };
    assert_eq!(leased(), 2);
    let rows = [&confirmed, &failed].map(|new| row(store, owner, new));
    let payment = PaymentId::from_bytes([6; 16]);
    let confirmation = Confirmation { payment, reported_by: None, is_answered: true };
    let open = rows[0].clone();
    let ends = move |tx: &mut Tx<'_>| {
        verifications::confirm(tx, owner, &open, confirmation, at(50))?;
        verifications::fail(tx, owner, failed.id, &Failed::NotFound { same_bank: None }, at(50))
    };
    write(store, owner, ends).unwrap();
    assert_eq!(leased(), 0);
    assert_eq!(over(store, owner, 1_000), [0_u8; 0]);
    for row in rows {
        assert!(!is_renewed(store, owner, &row, 5_000));
        assert!(!is_taken(store, owner, &row, 100, 1_000));
    }
}

pub(crate) fn open_verifications_are_found_once_their_lease_is_over(store: &Store) {
    let owner = with_credits(store);
    for (number, until) in [(3, -30), (1, -10), (2, -20)] {
        open(store, owner, number, until);
    }
    // In the order of their fingerprints.
    assert_eq!(over(store, owner, -10), [1, 2, 3]);
    assert_eq!(over(store, owner, -20), [2, 3]);
    assert_eq!(over(store, owner, -31), [0_u8; 0]);
}

pub(crate) fn a_scan_for_verifications_goes_on_where_the_last_one_ended(store: &Store) {
    let owner = with_credits(store);
    for number in [3, 1, 2] {
        open(store, owner, number, -50);
    }
    let page = |after| {
        let page = move |tx: &mut Tx<'_>| scan(tx, after);
        wait(store.read(&Meter::default(), page)).unwrap()
    };
    let all = page(None);
    let mine: Vec<_> = all.iter().copied().filter(|it| it.owner == owner).collect();
    let rest: Vec<_> = page(Some(mine[0])).into_iter().filter(|it| it.owner == owner).collect();
    assert_eq!(rest, mine[1..]);
}
