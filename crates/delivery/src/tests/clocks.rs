//! Nodes whose clocks are apart.

use std::time::Duration;

use store::tx::Tx;
use store::{Meter, deliveries_ahead, due};
use testkit::scripted::{Play, Scripted};

use crate::LEASE;
use crate::clock_ahead::PASS_PAGES_MAX;
use crate::limits::PAGE_LEN;
use crate::poller::Cursors;

use super::world::{OWNER, World, take_by};

/// More than is left of a lease when an attempt of ten seconds is over.
const APART: i64 = 25;

const SECOND: Duration = Duration::from_secs(1);

#[tokio::test]
async fn a_node_whose_clock_is_ahead_takes_nothing_that_another_has() {
    let world = World::new(Duration::ZERO).await;
    let id = world.write("https://well.example/").await;
    let held = world.take(id).await;
    let node = world.node_ahead(APART, true);
    world.pass(Duration::from_secs(12));
    node.look(&mut Cursors::default()).await.unwrap();
    assert!(!node.scheduler.is_known(id), "it is not due");
    assert!(take_by(&node, id).await.is_empty());
    assert_eq!(world.look(id).await.attempts, 0);
    // One that did not compare them would.
    let hasty = world.node_ahead(APART, false);
    hasty.look(&mut Cursors::default()).await.unwrap();
    assert!(hasty.scheduler.is_known(id));
    drop(held);
    world.pass(LEASE - Duration::from_secs(12));
    assert_eq!(take_by(&node, id).await.len(), 1, "it takes over when the lease is over");
    world.end();
}

#[tokio::test]
async fn a_node_whose_clock_is_behind_has_what_it_takes_for_as_long_as_any() {
    let world = World::new(Duration::ZERO).await;
    let id = world.write("https://well.example/").await;
    let node = world.node_ahead(-APART, true);
    node.look(&mut Cursors::default()).await.unwrap();
    assert!(node.scheduler.next().is_some(), "what others wrote is no later for it");
    let held = take_by(&node, id).await;
    assert!(node.begin(&held[0].held).is_ok(), "and has time for its attempt");
    world.pass(LEASE - SECOND);
    assert!(world.take(id).await.is_empty());
    world.pass(SECOND);
    assert_eq!(world.take(id).await.len(), 1);
    world.end();
}

/// Clocks are never quite the same, and a small difference harms nobody.
#[tokio::test]
async fn a_clock_that_is_hardly_off_is_not_corrected_and_one_that_was_set_back_looks_again() {
    let world = World::new(Duration::ZERO).await;
    let node = world.node_ahead(1, true);
    let mut cursors = Cursors::default();
    node.look(&mut cursors).await.unwrap();
    assert_eq!(node.shared(world.now()), world.now());
    *world.now.lock().unwrap() = world.now().minus(60 * SECOND);
    let id = world.write_all(OWNER, ["https://well.example/".to_owned()]).await[0];
    node.look(&mut cursors).await.unwrap();
    assert!(node.scheduler.is_known(id));
    world.end();
}

/// A retry, an event that nobody has attempted, and one that was taken by a process that ended.
#[tokio::test]
async fn what_was_put_off_while_the_clock_was_ahead_is_due_once_it_is_set_right() {
    for hours in [3, 365 * 24] {
        let world = World::new(Duration::ZERO).await;
        let receiver = Scripted::start(|_| Play::Answer(500, Vec::new()));
        let mut cursors = Cursors::default();
        world.deliveries.look(&mut cursors).await.unwrap();
        let right = world.now();
        world.pass(Duration::from_secs(hours * 60 * 60));
        let retried = world.write(&receiver.base_url()).await;
        world.attempt(retried).await;
        let fresh = world.write("https://well.example/").await;
        let taken = world.write("https://well.example/").await;
        drop(world.take(taken).await);
        world.deliveries.look(&mut cursors).await.unwrap();
        assert!(!world.deliveries.scheduler.is_known(retried), "it waits for ten seconds");
        *world.now.lock().unwrap() = right;

        // A node that starts finds them, and a node that goes on notices.
        let started = world.node_ahead(0, false);
        let mut cursors_of_started = Cursors::default();
        if hours == 3 {
            world.deliveries.look(&mut cursors).await.unwrap();
            assert!(world.deliveries.scheduler.is_known(retried));
        }
        started.look(&mut cursors_of_started).await.unwrap();
        assert!(started.scheduler.is_known(retried), "{hours} hours ahead");
        assert!(started.scheduler.is_known(fresh), "{hours} hours ahead");
        assert!(!started.scheduler.is_known(taken), "its holder may be at it still");
        world.pass(LEASE);
        started.look(&mut cursors_of_started).await.unwrap();
        assert!(started.scheduler.is_known(taken), "{hours} hours ahead");
        world.end();
    }
}

/// Checks that a retry which waits because it is to wait is left alone, also by a node that starts.
#[tokio::test]
async fn a_retry_that_a_clock_has_put_off_that_goes_right_is_waited_for() {
    let world = World::new(Duration::ZERO).await;
    let receiver = Scripted::start(|_| Play::Answer(500, Vec::new()));
    let id = world.write(&receiver.base_url()).await;
    world.attempt(id).await;
    // Another node, since the one that has attempted it may still be putting it away.
    let started = world.node_ahead(0, false);
    started.look(&mut Cursors::default()).await.unwrap();
    assert!(!started.scheduler.is_known(id));
    world.end();
}

/// So many wait that one pass would hold everything else up: the next look goes on where this one has come to.
#[tokio::test]
async fn what_waits_is_looked_through_in_several_passes() {
    let world = World::new(Duration::ZERO).await;
    let urls = (0..=PASS_PAGES_MAX * PAGE_LEN).map(|_| "https://well.example/".to_owned());
    world.write_due_in(60 * 60 * SECOND, OWNER, urls).await;
    let mut cursors = Cursors::default();
    for left in [1, 0] {
        world.deliveries.look(&mut cursors).await.unwrap();
        let after = due::behind(world.now());
        let ahead = move |tx: &mut Tx<'_>| deliveries_ahead::scan(tx, after);
        let ahead = world.deliveries.store.look_up(&Meter::default(), ahead).await.unwrap();
        assert_eq!(ahead.len(), left);
    }
    world.end();
}
