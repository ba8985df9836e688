//! Nodes whose clocks are apart.

use std::time::Duration;

use crate::LEASE;
use crate::looking::Cursors;

use super::world::{World, take_by};

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
    assert!(!node.turns.is_known(id), "it is not due");
    assert!(take_by(&node, id).await.is_empty());
    assert_eq!(world.look(id).await.attempts, 0);
    // One that did not compare them would.
    let hasty = world.node_ahead(APART, false);
    hasty.look(&mut Cursors::default()).await.unwrap();
    assert!(hasty.turns.is_known(id));
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
    assert!(node.turns.next().is_some(), "what others wrote is no later for it");
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
    let id = world.write_all(super::world::OWNER, ["https://well.example/".to_owned()]).await[0];
    node.look(&mut cursors).await.unwrap();
    assert!(node.turns.is_known(id));
    world.end();
}
