//! Who obtains the token of an account, and what of it is kept.

use domain::ids::{BankId, IdentityId};
use domain::payer::AccountNumber;

use super::*;
use crate::accounts::{self, NewAccount};
use crate::bank_access::{self, Access, Facts};
use crate::bank_tokens::{self, NO_FENCE, Reached, TokenState};
use crate::owners;

const BANK: BankId = BankId::from_bytes([4; 16]);
const FIRST: &[u8] = b"first";
const SECOND: &[u8] = b"second";

/// Keeps what the account is reached with.
fn put(tx: &mut Tx<'_>, owner: OwnerId, sealed: &[u8]) -> Result<(), Fault> {
    let number = AccountNumber::parse("01990000890000000001").unwrap();
    let facts = Facts { bank: BANK, number, phone: None, document: None, holder: None };
    bank_access::put(tx, owner, &Access { facts, sealed: sealed.to_vec() }, None, at(0))
}

/// An owner with an account that is reached with the first credentials.
fn linked(store: &Store) -> OwnerId {
    let owner = owner();
    write(store, owner, move |tx| {
        owners::insert(tx, owner, "a@b", "A", "", at(0))?;
        let account = NewAccount {
            id: BANK,
            identity: IdentityId::from_bytes([5; 16]),
            provider: "BANK_MADE_UP".to_owned(),
            account: "1".to_owned(),
            description: String::new(),
            client: None,
        };
        accounts::insert(tx, owner, &account, at(0))?;
        put(tx, owner, FIRST)
    })
    .unwrap();
    owner
}

const fn reached(owner: OwnerId, credentials: &'static [u8]) -> Reached<'static> {
    Reached { owner, bank: BANK, credentials }
}

fn find(store: &Store, account: Reached<'static>) -> Option<TokenState> {
    wait(store.look_up(&Meter::default(), move |tx| bank_tokens::find(tx, account))).unwrap()
}

fn take(store: &Store, account: Reached<'static>, found: i64, until: i64) -> Option<i64> {
    let job = move |tx: &mut Tx<'_>| bank_tokens::take(tx, account, found, at(until));
    write(store, account.owner, job).unwrap()
}

fn keep(store: &Store, account: Reached<'static>, fence: i64, token: &'static [u8]) -> bool {
    let job = move |tx: &mut Tx<'_>| bank_tokens::keep(tx, account, fence, token, Some(at(900)));
    write(store, account.owner, job).unwrap()
}

fn release(store: &Store, account: Reached<'static>, fence: i64) {
    write(store, account.owner, move |tx| bank_tokens::release(tx, account, fence)).unwrap();
}

/// A row that nobody has a lease on and that has no token.
const fn free(fence: i64) -> Option<TokenState> {
    Some(TokenState { fence, lease_until: None, token: None, usable_until: None })
}

fn leased(fence: i64, until: i64) -> Option<TokenState> {
    free(fence).map(|state| TokenState { lease_until: Some(at(until)), ..state })
}

fn kept(fence: i64, token: &[u8]) -> Option<TokenState> {
    let (token, usable_until) = (Some(token.to_vec()), Some(at(900)));
    free(fence).map(|state| TokenState { token, usable_until, ..state })
}

pub(crate) fn one_of_two_takes_the_lease_of_a_token(store: &Store) {
    let account = reached(linked(store), FIRST);
    assert_eq!(find(store, account), free(NO_FENCE));
    assert_eq!(take(store, account, NO_FENCE, 100), Some(1));
    assert_eq!(take(store, account, NO_FENCE, 100), None, "somebody was faster");
    assert_eq!(find(store, account), leased(1, 100));
    assert_eq!(take(store, account, 1, 200), Some(2));
    assert_eq!(take(store, account, 1, 200), None, "somebody was faster");
    release(store, account, 1);
    assert_eq!(find(store, account), leased(2, 200), "a former holder ends no other's lease");
    release(store, account, 2);
    assert_eq!(find(store, account), free(2));
}

pub(crate) fn a_token_is_kept_under_the_fence_of_its_holder_alone(store: &Store) {
    let account = reached(linked(store), FIRST);
    assert!(!keep(store, account, 1, b"nobody's"));
    assert_eq!(take(store, account, NO_FENCE, 100), Some(1));
    assert_eq!(take(store, account, 1, 200), Some(2));
    assert!(!keep(store, account, 1, b"late"));
    assert_eq!(find(store, account), leased(2, 200));
    // The answer of a commit may be lost, and the job run again.
    for _ in 0..2 {
        assert!(keep(store, account, 2, b"token"));
        assert_eq!(find(store, account), kept(2, b"token"));
    }
    assert!(!keep(store, account, 1, b"late"));
    assert_eq!(find(store, account), kept(2, b"token"));
    // A node that renews it forgets it first.
    assert_eq!(take(store, account, 2, 300), Some(3));
    assert_eq!(find(store, account), leased(3, 300));
}

pub(crate) fn a_token_goes_with_the_credentials_that_it_was_obtained_by(store: &Store) {
    let owner = linked(store);
    let (first, second) = (reached(owner, FIRST), reached(owner, SECOND));
    let change = move |to: &'static [u8], from: &'static [u8]| {
        let change = bank_access::change_credentials;
        write(store, owner, move |tx| change(tx, owner, BANK, to, from, at(0))).unwrap()
    };
    assert_eq!(take(store, first, NO_FENCE, 100), Some(1));
    assert!(keep(store, first, 1, b"token"));
    assert!(!change(SECOND, b"others"), "they are others");
    assert_eq!(find(store, first), kept(1, b"token"));
    assert!(change(SECOND, FIRST));
    assert_eq!((find(store, first), find(store, second)), (None, free(NO_FENCE)));

    // One that was on its way changes nothing, though the fence is the same again.
    assert_eq!(take(store, first, NO_FENCE, 100), None);
    assert_eq!(take(store, second, NO_FENCE, 200), Some(1));
    assert!(!keep(store, first, 1, b"former"));
    release(store, first, 1);
    assert_eq!(take(store, first, 1, 300), None);
    assert_eq!(find(store, second), leased(1, 200));

    assert!(keep(store, second, 1, b"token"));
    write(store, owner, move |tx| put(tx, owner, SECOND)).unwrap();
    assert_eq!(find(store, second), free(NO_FENCE), "it was linked anew");
    assert_eq!(take(store, second, NO_FENCE, 100), Some(1));
    write(store, owner, move |tx| bank_access::remove(tx, owner, BANK)).unwrap();
    assert_eq!(find(store, second), None);
    assert!(!keep(store, second, 1, b"token"));
    assert_eq!(take(store, second, NO_FENCE, 100), None);
}
