//! The hashes of owners' passwords: renewed, and counted by what they cost.

use super::*;
use crate::owners;

/// Salt and hash: the text that follows the cost in a password hash.
const SALT_AND_HASH: &str = "$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

fn with_hash(store: &Store, owner: OwnerId, hash: &str) {
    let (email, hash) = (format!("{owner}@example.com"), hash.to_owned());
    write(store, owner, move |tx| owners::insert(tx, owner, &email, "A", &hash, at(0))).unwrap();
}

pub(crate) fn a_hash_is_renewed_in_the_place_of_the_one_that_was_checked_alone(store: &Store) {
    let owner = owner();
    with_hash(store, owner, "former");
    let renew = |former: &'static str, hash: &'static str| {
        write(store, owner, move |tx| {
            owners::replace_password_hash(tx, owner, former, hash, at(1))?;
            Ok(owners::find(tx, owner)?.unwrap().password_hash)
        })
        .unwrap()
    };
    assert_eq!(renew("former", "changed by its owner"), "changed by its owner");
    // A sign-in that has checked the former password comes late.
    assert_eq!(renew("former", "former at a new cost"), "changed by its owner");
}

pub(crate) fn hashes_are_counted_by_their_cost(store: &Store) {
    // Others may be at work on the same database.
    let test = random();
    let counted = |cost: &str| {
        let meter = Meter::default();
        let costs = wait(store.look_up(&meter, owners::password_costs)).unwrap();
        let found = costs.into_iter().find(|(of, _)| *of == format!("{cost}{test}"));
        found.map(|(_, count)| count)
    };
    assert_eq!((counted("cheap"), counted("dear")), (None, None));
    for cost in ["cheap", "dear", "cheap"] {
        with_hash(store, owner(), &format!("{cost}{test}{SALT_AND_HASH}"));
    }
    // What is too short for a hash counts for nothing.
    with_hash(store, owner(), "");
    assert_eq!((counted("cheap"), counted("dear")), (Some(2), Some(1)));
}
