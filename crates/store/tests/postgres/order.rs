//! The order of locks: an owner's row first, so that two nodes wait for each other and never in a circle.

use std::sync::{Mutex, mpsc};
use std::time::Duration;

use domain::ids::{KeyId, OwnerId};
use domain::money::Credits;
use domain::time::{CaracasMonth, Timestamp};
use futures_util::future::{join, join_all};
use store::due::{self, Kind};
use store::fault::{Fault, WriteError};
use store::tx::Tx;
use store::{Batch, Lane, Meter, PostgresSettings, Store, credits, owners};
use testkit::postgres::Database;

use crate::bench::{owner, patient, store, store_with};

/// How many keys the owner has, and how many jobs each node has for them in each lane.
const KEYS: u8 = 6;
const JOBS: u8 = 120;

/// The lanes whose jobs hold their owner's row.
const LANES: [Lane; 3] = [Lane::Admission, Lane::Completion, Lane::Maintenance];

const NOW: Timestamp = Timestamp::from_micros(1_795_176_000_000_000);

/// How many wait for a lock.
const WAITING: &str = "select count(*) from pg_stat_activity \
                       where wait_event_type = 'Lock' and datname = current_database()";

/// Fails where somebody holds one of these rows.
const MONTHS: &str =
    "select count(*) from (select actor_id from actor_months for update nowait) as free";

/// The same of the second owner alone.
const MONTHS_OF_TWO: &str = "select count(*) from (select actor_id from actor_months \
                             where owner_id = decode(repeat('02', 16), 'hex') for update nowait) as free";

/// Writes the month of a key, and then the row of its owner, as a charge does.
fn charge(tx: &mut Tx<'_>, owner: OwnerId, key: u8) -> Result<(), Fault> {
    let key = KeyId::from_bytes([key; 16]);
    credits::count_attempt(tx, owner, key.into(), CaracasMonth::of(NOW))?;
    credits::grant(tx, owner, Credits::new(1), NOW)?;
    Ok(())
}

async fn make_owner(store: &Store, number: u8) {
    let make = move |tx: &mut Tx<'_>| {
        owners::insert(tx, owner(number), &format!("a{number}@b"), "A", "", NOW)?;
        due::insert(tx, owner(number), Kind::Delivery, [1; 16], NOW)
    };
    store.write(&Meter::default(), Lane::Admission, owner(number), make).await.unwrap();
}

/// A node's jobs, each of another key than the one before.
async fn node(store: &Store, key: impl Fn(u8) -> u8) {
    let meter = Meter::default();
    let jobs = (0..JOBS).flat_map(|number| LANES.map(|lane| (lane, key(number))));
    let jobs = jobs.map(|(lane, key)| {
        store.write(&meter, lane, owner(1), move |tx| charge(tx, owner(1), key))
    });
    for result in join_all(jobs).await {
        result.unwrap();
    }
}

#[tokio::test]
async fn two_nodes_with_one_owner_of_many_keys_never_deadlock() {
    for batch in [Batch::AcrossOwners, Batch::PerOwner, Batch::Off] {
        let database = Database::migrated();
        let [one, other] = [(); 2].map(|()| store(&database.url(), batch));
        make_owner(&one, 1).await;
        join(node(&one, |number| number % KEYS), node(&other, |number| KEYS - 1 - number % KEYS))
            .await;
        // A session says what befell it when it ends.
        [one, other].iter().for_each(Store::close);
        let deadlocks = "select deadlocks from pg_stat_database where datname = current_database()";
        assert_eq!(database.number(deadlocks), 0, "{batch:?}");
        let written = 2 * i64::from(JOBS) * LANES.len() as i64;
        assert_eq!(database.number("select balance from owners"), written);
        let requests = "select sum(requests)::bigint from actor_months";
        assert_eq!(database.number(requests), written);
    }
}

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "a job that waits needs a task to drive it")]
async fn a_job_that_waits_for_an_owner_holds_no_other_row_of_it() {
    let database = Database::migrated();
    let settings =
        PostgresSettings { connections: 4, readers: 1, ..PostgresSettings::at(patient(&database)) };
    let store = store_with(settings);
    make_owner(&store, 1).await;
    for (done, lane) in (1..).zip(LANES) {
        let meter = Meter::default();
        store.write(&meter, lane, owner(1), |tx| charge(tx, owner(1), 1)).await.unwrap();
        let held = database.hold("select from owners for no key update");
        let node = store.clone();
        let waiting = tokio::spawn(async move {
            node.write(&Meter::default(), lane, owner(1), |tx| charge(tx, owner(1), 1)).await
        });
        until_somebody_waits(&database).await;
        assert_eq!(database.number(MONTHS), 1, "{lane:?}");
        drop(held);
        waiting.await.unwrap().unwrap();
        assert_eq!(database.number("select balance from owners"), 2 * done);
    }
    store.close();
}

#[tokio::test]
async fn deliveries_are_taken_no_matter_who_holds_their_owner() {
    let database = Database::migrated();
    let settings =
        PostgresSettings { connections: 4, readers: 1, ..PostgresSettings::at(database.url()) };
    let store = store_with(settings);
    make_owner(&store, 1).await;
    let _held = database.hold("select from owners for no key update");
    for (second, lane) in (0..).zip([Lane::Claiming, Lane::Recording]) {
        let now = NOW.plus(Duration::from_secs(second));
        let until = now.plus(Duration::from_secs(1));
        let take =
            move |tx: &mut Tx<'_>| due::claim(tx, owner(1), Kind::Delivery, [1; 16], now, until);
        let taken: Result<_, WriteError> =
            store.write(&Meter::default(), lane, owner(1), take).await;
        assert!(taken.unwrap().is_some(), "{lane:?}");
    }
    store.close();
}

/// The batch has the jobs of two owners, and the first of the second owner's does not hold its row.
#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "a job that waits needs a task to drive it")]
async fn each_owners_part_of_a_batch_begins_with_its_row() {
    let database = Database::migrated();
    let node = store(&patient(&database), Batch::AcrossOwners);
    for number in [1, 2] {
        make_owner(&node, number).await;
        let count = move |tx: &mut Tx<'_>| charge(tx, owner(number), 1);
        node.write(&Meter::default(), Lane::Completion, owner(number), count).await.unwrap();
    }
    let held = database.hold(
        "select from owners where owner_id = decode(repeat('02', 16), 'hex') for no key update",
    );
    let behind = node.clone();
    let batch = tokio::spawn(async move {
        let (began, has_begun) = tokio::sync::oneshot::channel();
        let (release, released) = mpsc::channel::<()>();
        let gate = Mutex::new(Some((began, released)));
        let meter = Meter::default();
        let slow = behind.write(&meter, Lane::Completion, owner(9), move |_| {
            let (began, released) = gate.lock().unwrap().take().unwrap();
            began.send(()).unwrap();
            released.recv().map_err(|_| Fault::broken("nobody let the slow job go"))
        });
        let others = async {
            has_begun.await.unwrap();
            let nothing = behind.write(&meter, Lane::Recording, owner(2), |_| Ok(()));
            let charges = [1, 2].map(|number| {
                let count = move |tx: &mut Tx<'_>| charge(tx, owner(number), 1);
                behind.write(&meter, Lane::Completion, owner(number), count)
            });
            // The futures hand their jobs in when first polled, in this order, and then this one.
            let let_go = async { release.send(()).unwrap() };
            join(nothing, join(join_all(charges), let_go)).await
        };
        let (slow, (nothing, (charges, ()))) = join(slow, others).await;
        [slow, nothing]
            .into_iter()
            .chain(charges)
            .for_each(|result: Result<(), WriteError>| result.unwrap());
    });
    until_somebody_waits(&database).await;
    assert_eq!(database.number(MONTHS_OF_TWO), 1, "a month is locked before its owner");
    drop(held);
    batch.await.unwrap();
    node.close();
}

#[expect(clippy::disallowed_methods, reason = "the test waits for a session of the server")]
async fn until_somebody_waits(database: &Database) {
    while database.number(WAITING) == 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}
