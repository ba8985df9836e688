//! What a locator leads to.

use super::*;
use crate::locators::{self, Located};

pub(crate) fn locators_belong_to_the_owner_that_came_first(store: &Store) {
    let meter = Meter::default();
    let mut hash = [0; 32];
    hash[..8].copy_from_slice(&random().to_be_bytes());
    let claim = |owner| {
        let to = Located { owner, subject: [1; 16] };
        let job = move |tx: &mut Tx<'_>| locators::claim(tx, locators::Kind::ApiKey, &hash, to);
        wait(store.write_shared(&meter, job)).unwrap()
    };
    let (first, second) = (owner(), owner());
    assert!(claim(first));
    assert!(!claim(second));
    let job = move |tx: &mut Tx<'_>| locators::find(tx, locators::Kind::ApiKey, &hash);
    let found = wait(store.look_up(&meter, job)).unwrap();
    assert_eq!(found.map(|located| located.owner), Some(first));
}
