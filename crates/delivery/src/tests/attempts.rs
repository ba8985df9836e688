//! Attempts that end in the middle, as in a process that is killed.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;
use std::time::Duration;

use domain::webhooks::{self, DeliveryState, WebhookSecret};
use egress::DEADLINE;
use futures_util::FutureExt as _;
use futures_util::future::{join_all, poll_fn};
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use store::due::Lease;
use store::tx::Tx;
use store::{Meter, deliveries};
use testkit::scripted::{Play, Scripted};
use tokio::sync::Notify;

use super::world::{OWNER, World, claim_all_by, take_by};
use crate::{Deliveries, LEASE};

#[tokio::test]
async fn an_attempt_that_ends_anywhere_is_made_again_until_it_was_received() {
    let world = World::new(Duration::ZERO).await;
    let receiver = Scripted::start(|_| Play::Answer(204, Vec::new()));
    let mut waits = 0;
    loop {
        let id = world.write(&receiver.base_url()).await;
        let is_over = world.attempt_up_to(id, waits).await;
        // Nobody else has it as long as the lease runs.
        let before = world.look(id).await;
        let later = world.now().plus(LEASE);
        *world.now.lock().unwrap() = later;
        world.attempt_up_to(id, usize::MAX).await;
        let delivery = world.look(id).await;
        assert_eq!(delivery.state, DeliveryState::Delivered, "ended after {waits} waits");
        assert!(!is_over || before.state == DeliveryState::Delivered);
        let text = id.to_string();
        let received = receiver
            .asked()
            .iter()
            .filter(|asked| asked.header("x-service-event-id") == Some(&*text))
            .count();
        assert!((1..=2).contains(&received), "heard {received} times after {waits} waits");
        if is_over {
            assert_eq!(received, 1, "an attempt that was kept is not made again");
            break;
        }
        waits += 1;
    }
    assert!(waits >= 3, "taking, asking and keeping are waited for");
    world.end();
}

/// A receiver knows the former secret alone, so that every attempt is two, and a process may end
/// before, between and behind them.
#[tokio::test]
async fn a_repeat_that_ends_anywhere_is_made_again_until_it_was_received() {
    let world = World::new(Duration::ZERO).await;
    let receiver = Scripted::start(|asked| {
        let seconds = asked.header("x-service-timestamp").unwrap().parse().unwrap();
        let former = WebhookSecret::kept("former".into());
        let known = webhooks::sign(&former, seconds, asked.body.as_bytes());
        let is_known = asked.header("x-service-signature") == Some(&*known);
        Play::Answer(if is_known { 204 } else { 401 }, Vec::new())
    });
    let mut waits = 0;
    loop {
        let id = world.write(&receiver.base_url()).await;
        let is_over = world.attempt_up_to(id, waits).await;
        let later = world.now().plus(LEASE);
        *world.now.lock().unwrap() = later;
        world.attempt_up_to(id, usize::MAX).await;
        let delivery = world.look(id).await;
        assert_eq!(delivery.state, DeliveryState::Delivered, "ended after {waits} waits");
        assert_eq!(delivery.step, 1, "one step, however often it was begun");
        let text = id.to_string();
        let asked = receiver.asked();
        let received = asked.iter().filter(|one| one.header("x-service-event-id") == Some(&*text));
        let received = received.count();
        assert!((2..=4).contains(&received), "heard {received} times after {waits} waits");
        let find = move |tx: &mut Tx<'_>| deliveries::attempts(tx, OWNER, id);
        let kept = world.deliveries.store.look_up(&Meter::default(), find).await.unwrap();
        assert!(kept.len() <= received && (1..).zip(&kept).all(|(place, one)| one.number == place));
        assert_eq!(kept.last().unwrap().status, Some(204));
        if is_over {
            assert_eq!((received, kept.len()), (2, 2));
            break;
        }
        waits += 1;
    }
    assert!(waits >= 6, "taking, asking and keeping are waited for, twice");
    world.end();
}

/// In whatever order deliveries were found, their rows are locked in one order on every node.
#[tokio::test]
async fn deliveries_are_taken_together_in_the_order_of_their_ids() {
    let world = World::new(Duration::ZERO).await;
    let receiver = Scripted::start(|_| Play::Answer(204, Vec::new()));
    let mut ids = Vec::new();
    for _ in 0..3 {
        ids.push(world.write(&receiver.base_url()).await);
    }
    let found: Vec<_> = ids.iter().rev().copied().collect();
    let taken = claim_all_by(&world.deliveries, &found).await;
    assert!(taken.iter().map(|one| one.held.delivery.event.id).eq(ids));
    drop(taken);
    world.end();
}

/// Between taking and sending, most of the lease may pass, as in a process that was stopped.
#[tokio::test]
async fn nothing_is_sent_on_a_lease_that_is_nearly_over_and_it_is_given_back() {
    let world = World::new(LEASE - DEADLINE).await;
    let receiver = Scripted::start(|_| Play::Answer(204, Vec::new()));
    let id = world.write(&receiver.base_url()).await;
    world.attempt(id).await;
    assert_eq!((receiver.connections(), world.look(id).await.attempts), (0, 0));
    assert_eq!(world.take(id).await[0].held.lease.tries, Lease::FIRST.tries + 1, "not counted");
    world.end();
}

/// Another node need not wait for the lease of one that has stopped.
#[tokio::test]
async fn what_was_taken_and_not_begun_is_given_back_at_a_stop() {
    let world = World::new(Duration::ZERO).await;
    let receiver = Scripted::start(|_| Play::Answer(204, Vec::new()));
    let id = world.write(&receiver.base_url()).await;
    let taken = world.take(id).await.pop().unwrap();
    Arc::clone(&world.deliveries).run(std::future::ready(())).await;
    world.deliveries.attempt(taken).await;
    assert_eq!((receiver.connections(), world.look(id).await.attempts), (0, 0));
    assert_eq!(world.take(id).await[0].held.lease.tries, Lease::FIRST.tries + 1, "not counted");
    world.end();
}

/// The attempt that is answered first has the duty to keep what comes meanwhile, and no other waits.
#[tokio::test]
async fn what_came_of_attempts_gathers_and_is_kept_together() {
    let world = World::new(Duration::ZERO).await;
    let receiver = Scripted::start(|_| Play::Answer(204, Vec::new()));
    let (node, gate, begun) = gated(&world);
    let mut ids = Vec::new();
    let attempts = FuturesUnordered::new();
    for _ in 0..3 {
        let id = world.write(&receiver.base_url()).await;
        ids.push(id);
        for taken in take_by(&node, id).await {
            attempts.push(node.attempt(taken));
        }
    }
    let states = async || join_all(ids.iter().map(async |id| world.look(*id).await.state)).await;
    let mut attempts = attempts;
    attempts.next().await.unwrap();
    attempts.next().await.unwrap();
    let mut last = Box::pin(attempts.next());
    until(last.as_mut(), || begun.load(Ordering::Relaxed) == 1).await;
    assert_eq!(states().await, [DeliveryState::Pending; 3]);
    gate.notify_one();
    until(last.as_mut(), || begun.load(Ordering::Relaxed) == 2).await;
    assert_eq!(states().await, [DeliveryState::Delivered; 3]);
    gate.notify_one();
    last.await.unwrap();
    world.end();
}

/// In whatever order attempts end, the rows of their deliveries are locked in one order on every node.
#[tokio::test]
async fn results_are_recorded_in_the_order_of_ids_whichever_came_first() {
    let world = World::new(Duration::ZERO).await;
    let receiver = Scripted::start(|_| Play::Answer(204, Vec::new()));
    let (node, gate, begun) = gated(&world);
    let (mut ids, mut taken) = (Vec::new(), Vec::new());
    for _ in 0..3 {
        let id = world.write(&receiver.base_url()).await;
        ids.push(id);
        taken.extend(take_by(&node, id).await);
    }
    // The last one is the first to end, and records what comes meanwhile.
    let mut recording = Box::pin(node.attempt(taken.pop().unwrap()));
    until(recording.as_mut(), || begun.load(Ordering::Relaxed) == 1).await;
    for earlier in taken.into_iter().rev() {
        node.attempt(earlier).await;
    }
    gate.notify_one();
    until(recording.as_mut(), || begun.load(Ordering::Relaxed) == 2).await;
    for id in ids {
        assert_eq!(world.look(id).await.state, DeliveryState::Delivered);
    }
    gate.notify_one();
    recording.await;
    world.end();
}

/// A node that gathers results until the gate is opened, and how often it has begun to.
fn gated(world: &World) -> (Deliveries, Arc<Notify>, Arc<AtomicUsize>) {
    let (gate, begun) = (Arc::new(Notify::new()), Arc::new(AtomicUsize::new(0)));
    let (over, count) = (Arc::clone(&gate), Arc::clone(&begun));
    let node = world.node_gathering(Arc::new(move || {
        let over = Arc::clone(&over);
        count.fetch_add(1, Ordering::Relaxed);
        Box::pin(async move { over.notified().await })
    }));
    (node, gate, begun)
}

/// Drives what does not end yet until something is so.
async fn until(mut going: impl Future + Unpin, is_so: impl Fn() -> bool) {
    poll_fn(|context| {
        assert!(going.poll_unpin(context).is_pending(), "it has ended");
        if is_so() { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}
