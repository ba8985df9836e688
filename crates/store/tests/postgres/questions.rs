//! Questions that travel together: each is answered for itself, whatever becomes of the connection or of
//! the others.

use std::sync::Arc;

use domain::ids::SessionId;
use domain::time::Timestamp;
use futures_util::future::join_all;
use store::question::{Both, Question};
use store::tx::Tx;
use store::{Batch, Lane, Meter, Store, deliveries, owners, sessions, webhook_secrets};
use testkit::proxy::Proxy;

use crate::bench::{database, owner, store, write};

/// Owners who can be asked for.
const OWNERS: u8 = 6;

async fn with_owners(store: &Store) {
    for number in 0..OWNERS {
        let make = write(store, owner(number), move |tx| {
            let email = format!("owner-{number}@example.com");
            owners::insert(tx, owner(number), &email, "Ana", "none", Timestamp::from_micros(0))
        });
        make.await.unwrap();
    }
}

/// The address of that owner, by a question of its own.
async fn email(store: &Store, number: u8) -> Option<String> {
    let both = Both(owners::finding(owner(number)), owners::finding(owner(number)));
    let (one, same) = store.ask(&Meter::default(), both).await.unwrap();
    let [one, same] = [one, same].map(|found| found.map(|owner| owner.email));
    assert_eq!(one, same);
    one
}

fn expected(number: u8) -> Option<String> {
    (number < OWNERS).then(|| format!("owner-{number}@example.com"))
}

#[tokio::test]
async fn questions_survive_a_cut_at_any_message() {
    let database = database();
    let proxy = Proxy::before(&database.url());
    let store = store(proxy.url(), Batch::AcrossOwners);
    with_owners(&store).await;
    let all = || join_all((0..=OWNERS).map(|number| email(&store, number)));
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
async fn one_that_cannot_be_answered_harms_no_other() {
    let database = database();
    let store = store(&database.url(), Batch::AcrossOwners);
    with_owners(&store).await;
    database.execute("alter table sessions rename to elsewhere");
    let meter = Meter::default();
    let bad = Both(sessions::find(owner(1), SessionId::from_bytes([1; 16])), Question::nothing());
    for _ in 0..20 {
        let asked = join_all((0..3).map(|_| store.ask(&meter, bad.clone())));
        let (bad, good) =
            tokio::join!(asked, join_all((0..OWNERS).map(|number| email(&store, number))));
        assert!(bad.iter().all(Result::is_err));
        assert_eq!(good, (0..OWNERS).map(expected).collect::<Vec<_>>());
    }
    store.close();
    assert!(store.ask(&meter, Both(owners::finding(owner(1)), Question::nothing())).await.is_err());
}

#[tokio::test]
async fn a_question_sees_the_latest_commit() {
    let database = database();
    let store = store(&database.url(), Batch::AcrossOwners);
    with_owners(&store).await;
    for number in 0..50 {
        database.execute(&format!("update owner_profiles set email = '{number}@example.com'"));
        assert_eq!(email(&store, 1).await, Some(format!("{number}@example.com")));
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
        let (_, found) = deliveries::take_all(tx, owner, &[], now, now)?;
        Ok((found, elsewhere.number(free)))
    };
    let taken = store.write(&Meter::default(), Lane::Taking, owner, take).await.unwrap();
    assert_eq!(taken, (Some(made), 0), "a rotation has to wait");
    assert_eq!(database.number(free), 1);
    store.close();
}
