//! The feed of events where several nodes write and ask: nothing is skipped, in whatever order they commit.

use std::collections::HashSet;
use std::sync::{Mutex, mpsc};

use domain::ids::{EventCursor, EventId, OwnerId};
use domain::time::Timestamp;
use domain::webhooks::EventKind;
use futures_util::future::{join, join_all};
use store::deliveries::{self, Event};
use store::event_feed::{self, Asked, Page};
use store::fault::{Fault, WriteError};
use store::sql::Sql;
use store::tx::Tx;
use store::{Batch, Lane, Meter, Store, owners};

use crate::bench::{database, owner, store, write};

fn now() -> Timestamp {
    Timestamp::from_micros(1_000)
}

fn event(number: u8) -> Event {
    Event {
        id: EventId::from_bytes([number; 16]),
        kind: EventKind::LinkPaid,
        subject: [1; 16],
        client: None,
        url: "http://shop.example/".to_owned(),
        body: vec![number],
    }
}

/// The writer's own connection and a node of its own.
async fn nodes(url: &str) -> [Store; 2] {
    let nodes = [(); 2].map(|()| store(url, Batch::AcrossOwners));
    let id = owner(1);
    let made = move |tx: &mut Tx<'_>| owners::insert(tx, id, "a@example.com", "a", "b", now());
    write(&nodes[0], id, made).await.unwrap();
    nodes
}

async fn enqueue(node: &Store, owner: OwnerId, number: u8) {
    let event = event(number);
    let job = move |tx: &mut Tx<'_>| deliveries::enqueue(tx, owner, &event, now());
    write(node, owner, job).await.unwrap();
}

/// Hands the job in as one that records results of deliveries.
async fn keep<T: Send + 'static>(
    node: &Store,
    owner: OwnerId,
    job: impl Fn(&mut Tx<'_>) -> Result<T, Fault> + Send + 'static,
) -> Result<T, WriteError> {
    node.write(&Meter::default(), Lane::Recording, owner, job).await
}

async fn look(node: &Store, owner: OwnerId, after: Option<EventCursor>) -> Page {
    let asked = Asked { after, event: None, limit: 7 };
    let look = move |tx: &mut Tx<'_>| event_feed::page(tx, owner, &asked, now());
    node.read(&Meter::default(), look).await.unwrap().unwrap()
}

/// Brings what is committed into the feed, and returns what the feed shows behind that place.
async fn ask(node: &Store, owner: OwnerId, after: Option<EventCursor>) -> Page {
    write(node, owner, move |tx| event_feed::enter(tx, owner)).await.unwrap();
    look(node, owner, after).await
}

fn numbers(page: &Page) -> Vec<u8> {
    page.events.iter().map(|event| event.body.as_ref().unwrap()[0]).collect()
}

#[tokio::test]
async fn an_event_whose_transaction_stays_open_is_shown_once_it_commits() {
    let database = database();
    let [one, other] = nodes(&database.url()).await;
    let owner = owner(1);
    let (began, has_begun) = tokio::sync::oneshot::channel();
    let (release, released) = mpsc::channel::<()>();
    let gate = Mutex::new(Some((began, released)));
    // As a node that keeps an attempt and notifies of it: without the owner's row, which the others want.
    let slow = keep(&one, owner, move |tx| {
        let event = event(1);
        deliveries::enqueue(tx, owner, &event, now())?;
        // Waits for an answer, so that it is written when the gate is reached.
        deliveries::find(tx, owner, event.id)?;
        if let Some((began, released)) = gate.lock().unwrap().take() {
            began.send(()).unwrap();
            released.recv().map_err(|_| Fault::broken("nobody let the slow job go"))?;
        }
        Ok(())
    });
    let meanwhile = async {
        has_begun.await.unwrap();
        // Later in every respect, and committed before.
        enqueue(&other, owner, 2).await;
        let page = ask(&other, owner, None).await;
        assert_eq!((numbers(&page), page.is_behind), (vec![2], false));
        let again = ask(&other, owner, page.next).await;
        assert_eq!((numbers(&again), again.next), (vec![], page.next));
        release.send(()).unwrap();
        page.next
    };
    let (slow, place) = join(slow, meanwhile).await;
    slow.unwrap();
    assert!(look(&other, owner, place).await.is_behind);
    for node in [&one, &other] {
        let page = ask(node, owner, place).await;
        assert_eq!((numbers(&page), page.is_behind), (vec![1], false));
    }
    assert_eq!(numbers(&look(&one, owner, None).await), [2, 1], "places are kept");
    one.close();
    other.close();
}

#[tokio::test]
async fn an_event_that_somebody_holds_is_not_waited_for_and_not_lost() {
    static HOLD: Sql = Sql::new(
        "update webhook_deliveries set step = 1 where owner_id = $1 and id = $2 returning id",
    );
    let database = database();
    let [one, other] = nodes(&database.url()).await;
    let owner = owner(1);
    for number in [1, 2] {
        enqueue(&one, owner, number).await;
    }
    let (began, has_begun) = tokio::sync::oneshot::channel();
    let (release, released) = mpsc::channel::<()>();
    let gate = Mutex::new(Some((began, released)));
    // As a node that keeps an attempt.
    let slow = keep(&one, owner, move |tx| {
        tx.query_one(&HOLD, &[owner.into(), event(1).id.into()])?;
        if let Some((began, released)) = gate.lock().unwrap().take() {
            began.send(()).unwrap();
            released.recv().map_err(|_| Fault::broken("nobody let the slow job go"))?;
        }
        Ok(())
    });
    let meanwhile = async {
        has_begun.await.unwrap();
        let page = ask(&other, owner, None).await;
        assert_eq!((numbers(&page), page.is_behind), (vec![2], true), "there is more to come");
        release.send(()).unwrap();
        page.next
    };
    let (slow, place) = join(slow, meanwhile).await;
    slow.unwrap();
    let page = ask(&other, owner, place).await;
    assert_eq!((numbers(&page), page.is_behind), (vec![1], false));
    one.close();
    other.close();
}

#[tokio::test]
async fn rounds_of_two_nodes_lose_and_double_nothing() {
    const EVENTS: u8 = 120;
    let database = database();
    let nodes = nodes(&database.url()).await;
    let owner = owner(1);
    // Even numbers come from one node, upwards, and odd ones from the other, downwards.
    let writers = async {
        let upwards = (0..EVENTS).filter(|number| number % 2 == 0);
        let downwards = (0..EVENTS).rev().filter(|number| number % 2 == 1);
        let up = join_all(upwards.map(|number| enqueue(&nodes[0], owner, number)));
        join(up, join_all(downwards.map(|number| enqueue(&nodes[1], owner, number)))).await;
    };
    let reader = async |node: &Store| {
        let (mut shown, mut after) = (Vec::new(), None);
        while shown.len() < usize::from(EVENTS) {
            let page = ask(node, owner, after).await;
            shown.extend(numbers(&page));
            after = page.next;
        }
        shown
    };
    let readers = join(reader(&nodes[0]), reader(&nodes[1]));
    let (_, (first, second)) = join(writers, readers).await;
    assert_eq!(first, second, "there is one order");
    assert_eq!(first.iter().collect::<HashSet<_>>().len(), usize::from(EVENTS));
    assert!(!look(&nodes[0], owner, None).await.is_behind);
    nodes.iter().for_each(Store::close);
}
