//! Who is found, and when, however long the rows are.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use domain::webhooks::receiver;
use egress::Wait;
use futures_util::FutureExt;
use futures_util::future::{join, select};
use tokio::sync::Notify;
use tokio::task::yield_now;

use super::world::{OTHER, OWNER, World, dead};
use crate::OF_ONE_OWNER_TO_ONE_RECEIVER_MAX;
use crate::limits::{BACKLOG_PAUSE, WAITING_IN_A_LINE_MAX};
use crate::poller::{Cursors, OVERLAP, PAGES_MAX};
use crate::scheduler::{Added, Candidate};

/// There is more of one receiver than a look reads, and nothing of it can begin.
#[tokio::test]
async fn a_long_row_of_one_receiver_holds_up_nobody_behind_it() {
    let world = World::new(Duration::ZERO).await;
    let many = world.write_all(OWNER, dead(PAGES_MAX * 500 + 100)).await;
    world.pass(OVERLAP);
    let last = world.write("https://well.example/").await;
    let mut cursors = Cursors::default();
    assert!(world.look_and_begin(&mut cursors).await, "there is more than a page");
    assert!(!world.is_under_way(last));
    world.look_and_begin(&mut cursors).await;
    assert!(world.is_under_way(last));
    assert_eq!(world.under_way(&many), OF_ONE_OWNER_TO_ONE_RECEIVER_MAX);
    // From then on whatever becomes due is found by one look, however much is before it.
    let next = world.write("https://well.example/").await;
    world.look_and_begin(&mut cursors).await;
    assert!(world.is_under_way(next));
    // And those that wait have their turn, as soon as there is a slot.
    world.end_all();
    world.deliveries.begin_all();
    assert_eq!(world.under_way(&many), OF_ONE_OWNER_TO_ONE_RECEIVER_MAX);
    world.end();
}

/// Checks that what has no room to wait is passed over, and found again from behind.
#[tokio::test]
async fn what_was_passed_over_is_reached_again() {
    let world = World::new(Duration::ZERO).await;
    let first = world.write_all(OWNER, dead(WAITING_IN_A_LINE_MAX)).await;
    let later = world.write("https://dead.example/").await;
    world.pass(OVERLAP);
    let mut cursors = Cursors::default();
    world.look_and_begin(&mut cursors).await;
    assert_eq!(world.under_way(&first), OF_ONE_OWNER_TO_ONE_RECEIVER_MAX);
    // Had all of them ended, their rows would be gone.
    while world.under_way(&first) > 0 {
        world.end_all();
        world.deliveries.begin_all();
    }
    for _ in 0..2 {
        world.look_and_begin(&mut cursors).await;
    }
    let known =
        Candidate { owner: OWNER, id: later, receiver: "dead.example".into(), written: None };
    assert!(world.is_under_way(later) || world.deliveries.scheduler.add(known) == Added::Known);
    world.end();
}

/// Between what has room here and what has none are more rows of another owner than a look reads.
#[tokio::test]
async fn the_rest_of_a_burst_does_not_wait_for_the_rows_of_others() {
    let world = World::new(Duration::ZERO).await;
    let burst = |count| (0..count).map(|_| "https://well.example/".to_owned());
    let first = world.write_all(OWNER, burst(WAITING_IN_A_LINE_MAX)).await;
    world.write_all(OTHER, dead(PAGES_MAX * 500)).await;
    let rest = world.write_all(OWNER, burst(300)).await;
    world.pass(OVERLAP);
    let mut cursors = Cursors::default();
    world.look_and_begin(&mut cursors).await;
    world.look_and_begin(&mut cursors).await;
    // As much as has begun of the first.
    assert_eq!(world.have_room(&rest), OF_ONE_OWNER_TO_ONE_RECEIVER_MAX);
    let mut delivered = 0;
    while world.deliveries.scheduler.backfill_requested().now_or_never().is_none() {
        let begun = first.iter().copied().filter(|id| world.is_under_way(*id)).collect::<Vec<_>>();
        delivered += begun.len();
        world.deliver(OWNER, begun).await;
    }
    assert!(delivered < WAITING_IN_A_LINE_MAX, "before nothing is left");
    world.look_and_begin(&mut cursors).await;
    assert!(world.have_room(&rest) < rest.len(), "a look is far from coming past it");
    world.deliveries.backfill().await.unwrap();
    assert_eq!(world.have_room(&rest), rest.len());
    assert_eq!(world.deliveries.scheduler.next_backfill(), None);
    world.end();
}

/// Nobody waits here, since time stands still: a line is read as often as it asks for it.
#[tokio::test]
async fn a_short_line_is_read_again_at_once() {
    let world = World::new(Duration::ZERO).await;
    let url = "https://well.example/";
    let line = receiver(url).into();
    let script = async {
        for _ in 0..3 {
            let id = world.write(url).await;
            world.deliveries.scheduler.request_backfill(OWNER, &line);
            while world.have_room(&[id]) == 0 {
                yield_now().await;
            }
        }
    };
    select(pin!(world.deliveries.run_backfill()), pin!(script)).await;
    world.end();
}

/// Nobody looks here but once, before it is written, and there is more than a look reads.
#[tokio::test]
async fn what_was_written_here_begins_without_a_look() {
    let world = World::new(Duration::ZERO).await;
    world.write_all(OWNER, dead(PAGES_MAX * 500 + 100)).await;
    let over = Notify::new();
    let script = async {
        let fresh = world.write("https://fresh.example/").await;
        while !world.is_under_way(fresh) {
            yield_now().await;
        }
        let later = world.write_due_in(Duration::from_secs(9), OTHER, dead(1)).await[0];
        let other = world.write_all(OTHER, dead(1)).await[0];
        while !world.is_under_way(other) {
            yield_now().await;
        }
        assert!(!world.is_under_way(later), "nothing is sent before its time");
        over.notify_one();
    };
    join(Arc::clone(&world.deliveries).run(over.notified()), script).await;
    world.end();
}

/// Bells that ring after a long look are answered together, once the rest is over.
#[tokio::test]
async fn a_long_row_is_not_read_anew_for_every_bell() {
    let (looked, rested) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (telling, resting) = (Arc::clone(&looked), Arc::clone(&rested));
    let wait: Wait = Arc::new(move |duration| {
        // A look is over when the loop begins to wait.
        telling.notify_one();
        let resting = Arc::clone(&resting);
        Box::pin(async move {
            match duration {
                BACKLOG_PAUSE => resting.notified().await,
                _ => std::future::pending().await,
            }
        })
    });
    let world = World::waiting(Duration::ZERO, wait).await;
    world.write_all(OWNER, dead(600)).await;
    let (ring, over) = (|| world.deliveries.bell.notify_one(), Notify::new());
    // Written while nobody listens, so that it is found by looking alone.
    let due = world.write_due_in(Duration::from_secs(1), OTHER, dead(1)).await[0];
    let script = async {
        looked.notified().await;
        world.pass(Duration::from_secs(1));
        for _ in 0..100 {
            ring();
            yield_now().await;
        }
        assert!(!world.is_under_way(due), "nobody looks");
        rested.notify_one();
        while !world.is_under_way(due) {
            yield_now().await;
        }
        over.notify_one();
    };
    join(Arc::clone(&world.deliveries).run(over.notified()), script).await;
    world.end();
}

/// A store that answers nothing any more is not asked without an end, however much was in front.
#[tokio::test]
async fn a_look_that_fails_is_not_repeated_at_once() {
    let world = World::new(Duration::ZERO).await;
    let many = (0..10_100).map(|_| "https://dead.example/".to_owned());
    world.write_all(OWNER, many).await;
    let mut cursors = Cursors::default();
    assert!(world.deliveries.look(&mut cursors).await.unwrap());
    assert!(cursors.has_more_in_front);
    world.deliveries.store.close();
    assert!(world.deliveries.look(&mut cursors).await.is_err());
    assert!(!cursors.has_more_in_front);
    world.end();
}
