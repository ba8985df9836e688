//! By which verification the same call is answered, and for how long.

use domain::fingerprint::Fingerprint;
use domain::ids::{IdentityId, LinkId, PaymentId, VerificationId};
use domain::verification::Failed;

use super::lines::{new_verification, with_credits};
use super::*;
use crate::movements::ReferenceQuery;
use crate::recent_calls::{delete_old, find_old};
use crate::verifications::{self, Confirmation, NewVerification, ReserveOutcome, Verification};

/// Call that an owner makes twice and more often.
const CALL: Fingerprint = Fingerprint::from_bytes([7; 32]);

/// An account without movements.
const IDENTITY: IdentityId = IdentityId::from_bytes([9; 16]);

fn payment(number: u8) -> PaymentId {
    PaymentId::from_bytes([number; 16])
}

/// A verification of that number that is open.
fn open(store: &Store, owner: OwnerId, number: u8, new: NewVerification) -> Verification {
    let id = VerificationId::from_bytes([number; 16]);
    let new = NewVerification { id, ..new };
    let begin = move |tx: &mut Tx<'_>| {
        let (begun, _) = verifications::reserve(tx, owner, &new, None, at(0))?;
        assert!(matches!(begun, ReserveOutcome::Reserved(_)));
        verifications::find(tx, owner, id)
    };
    write(store, owner, begin).unwrap().unwrap()
}

/// The same call once more.
fn same_call(store: &Store, owner: OwnerId, number: u8) -> Verification {
    open(store, owner, number, NewVerification { fingerprint: CALL, ..new_verification(KEY, 1) })
}

/// Confirms it with the payment of that number.
fn confirm(store: &Store, owner: OwnerId, row: &Verification, number: u8, now: i64) {
    let row = row.clone();
    let confirmation =
        Confirmation { payment: payment(number), reported_by: None, is_answered: true };
    write(store, owner, move |tx| verifications::confirm(tx, owner, &row, confirmation, at(now)))
        .unwrap();
}

/// Finds the payment that answers a call, if its verification ended after `since`.
fn prior(store: &Store, owner: OwnerId, call: Fingerprint, since: i64) -> Option<PaymentId> {
    let sought = ReferenceQuery::Whole("67890".to_owned());
    let look = move |tx: &mut Tx<'_>| {
        verifications::find_prior_result(
            tx,
            owner,
            IDENTITY,
            (call, at(since)),
            std::slice::from_ref(&sought),
        )
    };
    wait(store.look_up(&Meter::default(), look)).unwrap().payment
}

/// The owner's calls whose verification ended up to `until`.
fn old(store: &Store, owner: OwnerId, until: i64) -> Vec<Fingerprint> {
    let look = move |tx: &mut Tx<'_>| find_old(tx, at(until), 500);
    let found = wait(store.look_up(&Meter::default(), look)).unwrap();
    // Others may keep their rows in the same database.
    found.into_iter().filter(|(whose, _)| *whose == owner).map(|(_, call)| call).collect()
}

fn delete(store: &Store, owner: OwnerId, calls: &[Fingerprint], until: i64) {
    let calls = calls.to_vec();
    write(store, owner, move |tx| delete_old(tx, owner, &calls, at(until))).unwrap();
}

pub(crate) fn the_same_call_is_answered_by_what_was_confirmed_last(store: &Store) {
    let (owner, other) = (with_credits(store), with_credits(store));
    let first = same_call(store, owner, 1);
    assert_eq!(prior(store, owner, CALL, 0), None);
    confirm(store, owner, &first, 1, 50);
    assert_eq!(prior(store, owner, CALL, 49), Some(payment(1)));
    assert_eq!(prior(store, owner, CALL, 50), None);
    assert_eq!(prior(store, other, CALL, 0), None);
    assert_eq!(prior(store, owner, Fingerprint::from_bytes([8; 32]), 0), None);

    // Another one is open, and ends without a payment.
    let second = same_call(store, owner, 2);
    assert_eq!(prior(store, owner, CALL, 49), Some(payment(1)));
    let failed = move |tx: &mut Tx<'_>| {
        verifications::fail(tx, owner, second.id, &Failed::NotFound { same_bank: None }, at(60))
    };
    write(store, owner, failed).unwrap();
    assert_eq!(prior(store, owner, CALL, 49), Some(payment(1)));

    // Whatever its clock said.
    for (number, ended) in [(3, 70), (4, 40)] {
        let again = same_call(store, owner, number);
        confirm(store, owner, &again, number, ended);
        assert_eq!(prior(store, owner, CALL, 39), Some(payment(number)));
    }
    assert_eq!(prior(store, owner, CALL, 40), None);
}

pub(crate) fn a_payers_check_answers_no_other_call(store: &Store) {
    let owner = with_credits(store);
    let link = Some(LinkId::from_bytes([5; 16]));
    let of_link = NewVerification { fingerprint: CALL, link, ..new_verification(KEY, 1) };
    let check = open(store, owner, 1, of_link);
    confirm(store, owner, &check, 1, 50);
    assert_eq!(prior(store, owner, CALL, 0), None);
}

pub(crate) fn calls_are_forgotten_once_their_verification_is_old(store: &Store) {
    let owner = with_credits(store);
    let call = |number| Fingerprint::from_bytes([number; 32]);
    for (number, ended) in [(1, 30), (2, 10), (3, 20)] {
        let new = new_verification(KEY, number);
        let row = NewVerification { fingerprint: call(number), ..new };
        confirm(store, owner, &open(store, owner, number, row), number, ended);
    }
    assert_eq!(old(store, owner, 9), []);
    let found = old(store, owner, 20);
    assert_eq!(found, [call(2), call(3)]);

    // One is confirmed again since it was found old, another is open.
    let again = NewVerification { fingerprint: call(2), ..new_verification(KEY, 4) };
    confirm(store, owner, &open(store, owner, 4, again), 4, 40);
    let asked = NewVerification { fingerprint: call(3), ..new_verification(KEY, 5) };
    let asked = open(store, owner, 5, asked);
    delete(store, owner, &found, 20);
    assert_eq!(old(store, owner, 100), [call(1), call(2)]);
    assert_eq!(prior(store, owner, call(2), 20), Some(payment(4)));
    assert_eq!(prior(store, owner, call(3), 0), None);
    confirm(store, owner, &asked, 5, 50);
    assert_eq!(prior(store, owner, call(3), 20), Some(payment(5)));
}
