//! The engine against a real server. What needs other sessions or a bad network is among the tests of `store`.

use std::sync::mpsc;

use futures_util::FutureExt;
use testkit::postgres::Database;

use super::settings::Settings;
use super::{OwnerId, place};
use crate::backend::Lane;
use crate::conformance::schema::SCHEMA;
use crate::conformance::{Fixture, at, conformance, conformance_with_threads, never_fatal, owner};
use crate::meter::Meter;
use crate::opening::OnFatal;
use crate::options::{Engine, Options};
use crate::schema::Schema;
use crate::sql::Sql;
use crate::store::Store;

conformance!(open);
conformance_with_threads!(open);

/// A store on a database of its own.
fn open() -> Fixture {
    let database = Database::empty();
    let settings = Settings { connections: 2, readers: 2, ..Settings::at(database.url()) };
    let options = Options {
        engine: Engine::Postgres(settings),
        now: domain::time::Timestamp::from_micros(0),
        on_fatal: never_fatal(),
    };
    let store = Store::open(&SCHEMA, &options).unwrap();
    Fixture { store, _keep: Box::new(database) }
}

/// Checks that a job may hold the last handle of its store: what it captured is dropped by the thread that ran it.
#[test]
fn a_job_may_have_the_last_handle_of_its_store() {
    let database = Database::empty();
    let (fatal, is_over) = mpsc::channel();
    let options = Options {
        engine: Engine::Postgres(Settings::at(database.url())),
        now: at(0),
        on_fatal: OnFatal::new(move |reason| fatal.send(reason.to_owned()).unwrap()),
    };
    let store = Store::open(&SCHEMA, &options).unwrap();
    drop(options);
    let (release, released) = mpsc::channel::<()>();
    let (handle, meter) = (store.clone(), Meter::default());
    let mut job = Box::pin(store.write(&meter, Lane::Admission, owner(), move |_| {
        let _ = (&handle, released.recv());
        Ok(())
    }));
    assert!(job.as_mut().now_or_never().is_none());
    drop(job);
    drop(store);
    release.send(()).unwrap();
    // The store is gone with what would say that it failed.
    assert_eq!(is_over.recv(), Err(mpsc::RecvError));
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
            let lanes = [Lane::Admission, Lane::Recording, Lane::Claiming];
            let [first, kept, taken] = lanes.map(|lane| place(owner, lane, connections));
            assert!(first != kept && kept != taken && taken != first, "none waits for another");
        }
        assert_ne!(place(owner, Lane::Claiming, 2), place(owner, Lane::Admission, 2));
        assert_eq!(place(owner, Lane::Claiming, 2), place(owner, Lane::Recording, 2));
        assert_eq!([Lane::Claiming, Lane::Recording].map(|lane| place(owner, lane, 1)), [0, 0]);
        used[at] += 1;
    }
    assert!(used.iter().all(|count| (16..=48).contains(count)), "{used:?}");
    assert_eq!(place(None, Lane::Admission, 8), 0);
}

#[test]
fn a_statement_that_the_tables_do_not_know_is_found_when_the_database_is_opened() {
    static UNKNOWN: Sql = Sql::shared("select a from nowhere");
    static WITH_UNKNOWN: Schema =
        Schema { statements: &[("tests", &[("UNKNOWN", &UNKNOWN)])], ..SCHEMA };
    let database = Database::empty();
    let engine = Engine::Postgres(Settings::at(database.url()));
    let options = Options { engine, now: at(0), on_fatal: never_fatal() };
    Store::open(&SCHEMA, &options).unwrap().close();
    let error = Store::open(&WITH_UNKNOWN, &options).unwrap_err();
    assert!(format!("{error:?}").contains("nowhere"), "{error:?}");
}
