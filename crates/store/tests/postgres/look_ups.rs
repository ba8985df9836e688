//! Look-ups by point queries: each is answered for itself, whatever happens to its connection or to the others.

use std::sync::Arc;

use domain::ids::{ClientId, KeyId, OwnerId, SessionId};
use domain::session::Session;
use domain::time::Timestamp;
use futures_util::future::join_all;
use store::fault::Fault;
use store::tx::Tx;
use store::{
    Batch, Lane, Meter, Store, client_webhook_secrets, deliveries, keys, owners, sessions,
    webhook_secrets,
};
use testkit::proxy::Proxy;

use crate::bench::{database, owner, store, write};

/// Owners with a session.
const OWNERS: u8 = 6;

const SESSION: SessionId = SessionId::from_bytes([1; 16]);

async fn with_owners(store: &Store) {
    for number in 0..OWNERS {
        let make = write(store, owner(number), move |tx| {
            let (email, now) = (format!("owner-{number}@example.com"), at(number));
            owners::insert(tx, owner(number), &email, "Ana", "none", now)?;
            sessions::insert(
                tx,
                (owner(number), None),
                SESSION,
                (&Session::begin(now), false),
                None,
            )
        });
        make.await.unwrap();
    }
}

/// When the session of that owner began.
fn at(number: u8) -> Timestamp {
    Timestamp::from_micros(i64::from(number))
}

/// When the session of that owner began, as the store says.
async fn begin(store: &Store, number: u8) -> Option<Timestamp> {
    let (meter, find) = (Meter::default(), sessions::find(owner(number), SESSION));
    store.look_up_auth(&meter, find).await.unwrap().map(|found| found.session.created_at)
}

fn expected(number: u8) -> Option<Timestamp> {
    (number < OWNERS).then(|| at(number))
}

#[tokio::test]
async fn look_ups_survive_a_cut_at_any_message() {
    let database = database();
    let proxy = Proxy::before(&database.url());
    let store = store(proxy.url(), Batch::AcrossOwners);
    with_owners(&store).await;
    let all = || join_all((0..=OWNERS).map(|number| begin(&store, number)));
    for cut_at in 1.. {
        let mut count = 0;
        proxy.cut_when(move |_| {
            count += 1;
            count == cut_at
        });
        let found = all().await;
        assert_eq!(found, (0..=OWNERS).map(expected).collect::<Vec<_>>(), "message {cut_at}");
        if proxy.disarm() {
            assert!(cut_at > 10, "nothing was cut");
            return store.close();
        }
    }
}

#[tokio::test]
async fn a_look_up_that_fails_does_not_affect_others() {
    let database = database();
    let store = store(&database.url(), Batch::AcrossOwners);
    with_owners(&store).await;
    database.execute("alter table api_keys rename to elsewhere");
    let meter = Meter::default();
    let bad = || store.look_up_auth(&meter, keys::standing(owner(1), KeyId::from_bytes([1; 16])));
    for _ in 0..20 {
        let asked = join_all((0..3).map(|_| bad()));
        let (bad, good) =
            tokio::join!(asked, join_all((0..OWNERS).map(|number| begin(&store, number))));
        assert!(bad.iter().all(Result::is_err));
        assert_eq!(good, (0..OWNERS).map(expected).collect::<Vec<_>>());
    }
    store.close();
    assert!(store.look_up_auth(&meter, sessions::find(owner(1), SESSION)).await.is_err());
}

#[tokio::test]
async fn a_look_up_sees_a_commit_of_another_node() {
    let database = database();
    let store = store(&database.url(), Batch::AcrossOwners);
    with_owners(&store).await;
    for number in 0..50 {
        database.execute(&format!("update sessions set created_at = {number}"));
        assert_eq!(begin(&store, 1).await, Some(at(number)));
    }
    store.close();
}

#[tokio::test]
async fn what_signs_is_held_until_what_it_signs_is_taken() {
    let database = Arc::new(database());
    let store = store(&database.url(), Batch::AcrossOwners);
    with_owners(&store).await;
    let (owner, now) = (owner(1), Timestamp::from_micros(0));
    let make = write(&store, owner, move |tx| webhook_secrets::make(tx, owner, b"sealed", now));
    let made = make.await.unwrap();

    let free = "select count(*) from (select 1 from webhook_secrets for update skip locked) as s";
    let elsewhere = Arc::clone(&database);
    let take = move |tx: &mut Tx<'_>| {
        let (_, found) = deliveries::claim_all(tx, owner, &[], now, now)?;
        Ok((found, elsewhere.number(free)))
    };
    let taken = store.write(&Meter::default(), Lane::Claiming, owner, take).await.unwrap();
    assert_eq!(taken, (Some(made), 0), "a rotation has to wait");
    assert_eq!(database.number(free), 1);
    store.close();
}

/// A change of a client's webhook secret.
type Change = fn(&mut Tx<'_>, OwnerId, ClientId) -> Result<(), Fault>;

#[tokio::test]
async fn who_changes_what_signs_for_a_client_holds_what_signs_for_its_owner() {
    let database = Arc::new(database());
    let store = store(&database.url(), Batch::AcrossOwners);
    with_owners(&store).await;
    let (owner, now) = (owner(1), Timestamp::from_micros(0));
    let make = write(&store, owner, move |tx| webhook_secrets::make(tx, owner, b"sealed", now));
    make.await.unwrap();

    let free =
        "select count(*) from (select 1 from webhook_secrets for key share skip locked) as s";
    let changes: [Change; 2] = [
        |tx, owner, client| {
            client_webhook_secrets::lock(tx, owner, client)?;
            Ok(())
        },
        |tx, owner, client| {
            client_webhook_secrets::remove(tx, owner, client)?;
            Ok(())
        },
    ];
    for change in changes {
        let elsewhere = Arc::clone(&database);
        let job = move |tx: &mut Tx<'_>| {
            change(tx, owner, ClientId::from_bytes([1; 16]))?;
            Ok(elsewhere.number(free))
        };
        let seen = write(&store, owner, job).await.unwrap();
        assert_eq!(seen, 0, "whoever claims has to wait");
        assert_eq!(database.number(free), 1);
    }
    store.close();
}
