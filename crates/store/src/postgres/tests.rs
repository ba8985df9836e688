//! The engine against a real server. What needs other sessions or a bad network is in
//! `tests/postgres`.

mod parity;
mod statements;

use std::sync::Arc;

use testkit::postgres::Database;

use super::connection::Link;
use super::settings::{self, Settings};
use super::{OwnerId, place};
use crate::backend::Lane;
use crate::conformance::{Fixture, conformance, conformance_with_threads, never_fatal};
use crate::options::{Engine, Options};
use crate::store::Store;

conformance!(open);
conformance_with_threads!(open);

/// A store on a database of its own.
fn open() -> Option<Fixture> {
    let database = Database::migrated();
    let settings = Settings { connections: 2, readers: 2, ..Settings::at(database.url()) };
    let options = Options {
        engine: Engine::Postgres(settings),
        now: domain::time::Timestamp::from_micros(0),
        on_fatal: never_fatal(),
    };
    let store = Store::open(&options).unwrap();
    Some(Fixture { store, _keep: Box::new(database) })
}

/// A connection without a store around it.
fn link(database: &Database) -> Link {
    Link::new(Arc::new(settings::config(&Settings::at(database.url())).unwrap()))
}

#[test]
fn an_owner_always_has_the_same_place_and_owners_spread() {
    let mut used = [0; 8];
    for number in 0..=255 {
        let mut bytes = [7; 16];
        bytes[15] = number;
        let owner = Some(OwnerId::from_bytes(bytes));
        let at = place(owner, Lane::Admission, 8);
        assert_eq!(place(owner, Lane::Completion, 8), at);
        assert_eq!(place(owner, Lane::Maintenance, 8), at);
        for connections in [3, 8] {
            let lanes = [Lane::Admission, Lane::Keeping, Lane::Taking];
            let [first, kept, taken] = lanes.map(|lane| place(owner, lane, connections));
            assert!(first != kept && kept != taken && taken != first, "none waits for another");
        }
        assert_ne!(place(owner, Lane::Taking, 2), place(owner, Lane::Admission, 2));
        assert_eq!(place(owner, Lane::Taking, 2), place(owner, Lane::Keeping, 2));
        assert_eq!([Lane::Taking, Lane::Keeping].map(|lane| place(owner, lane, 1)), [0, 0]);
        used[at] += 1;
    }
    assert!(used.iter().all(|count| (16..=48).contains(count)), "{used:?}");
    assert_eq!(place(None, Lane::Admission, 8), 0);
}
