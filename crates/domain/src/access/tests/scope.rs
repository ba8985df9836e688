//! What callers reach.

use super::*;

#[test]
fn a_caller_reaches_the_accounts_of_its_scope() {
    let selected = || limited(client_key(true));
    for (caller, bank, client_of_bank, reaches) in [
        (Caller::Nobody, BANK, None, false),
        (owner(), BANK, Some(CLIENT), true),
        (Caller::Employee(employee([])), BANK, Some(CLIENT), true),
        (Caller::Key(key(&[])), BANK, None, true),
        (Caller::Key(key(&[])), BANK, Some(CLIENT), true),
        (Caller::Key(limited(key(&[]))), BANK, Some(CLIENT), true),
        (Caller::Key(limited(key(&[]))), OTHER_BANK, None, false),
        (Caller::Key(client_key(false)), BANK, Some(CLIENT), true),
        (Caller::Key(client_key(true)), BANK, Some(OTHER_CLIENT), false),
        (Caller::Key(client_key(true)), BANK, None, false),
        (Caller::Client(person(true)), BANK, Some(CLIENT), true),
        (Caller::Client(person(true)), BANK, Some(OTHER_CLIENT), false),
        (Caller::Client(person(true)), BANK, None, false),
        (Caller::Key(selected()), BANK, Some(CLIENT), true),
        (Caller::Key(selected()), BANK, Some(OTHER_CLIENT), false),
        (Caller::Key(selected()), OTHER_BANK, Some(CLIENT), false),
    ] {
        let case = format!("{caller:?} {bank} {client_of_bank:?}");
        assert_eq!(caller.reaches(bank, client_of_bank), reaches, "{case}");
        assert!(reaches || caller.is_scoped(), "{case}");
    }
}

#[test]
fn owners_and_their_keys_without_a_limit_have_no_scope() {
    assert!(!owner().is_scoped());
    assert!(!Caller::Key(key(&[])).is_scoped());
    assert!(Caller::Key(limited(key(&[]))).is_scoped());
    assert!(Caller::Key(client_key(true)).is_scoped());
}

#[test]
fn a_caller_sees_the_keys_of_its_scope() {
    for (caller, key, client_of_key, sees) in [
        (Caller::Nobody, KEY, None, false),
        (owner(), OTHER_KEY, Some(CLIENT), true),
        (Caller::Key(key(&[])), OTHER_KEY, Some(CLIENT), true),
        (Caller::Key(limited(key(&[]))), KEY, None, true),
        (Caller::Key(limited(key(&[]))), OTHER_KEY, None, false),
        (Caller::Key(client_key(false)), OTHER_KEY, Some(CLIENT), true),
        (Caller::Key(client_key(false)), OTHER_KEY, Some(OTHER_CLIENT), false),
        (Caller::Key(client_key(false)), OTHER_KEY, None, false),
        (Caller::Key(limited(client_key(false))), OTHER_KEY, Some(CLIENT), false),
        (Caller::Client(person(false)), OTHER_KEY, Some(CLIENT), true),
        (Caller::Client(person(false)), OTHER_KEY, Some(OTHER_CLIENT), false),
        (Caller::Client(person(false)), OTHER_KEY, None, false),
    ] {
        assert_eq!(caller.sees_key(key, client_of_key), sees, "{caller:?} {key}");
    }
}
