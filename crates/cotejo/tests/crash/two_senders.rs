//! Two servers that send what is in one database: together, and one in the place of the other.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use delivery::{LEASE, OF_ONE_OWNER_TO_ONE_RECEIVER_MAX, POLL_INTERVAL};
use testkit::Engine;
use testkit::scripted::Play;

use crate::fair::Fair;
use crate::http::Connection;
use crate::patience::until;

/// How many events wait when both start, and how many are made while they send them.
const WAITING: usize = 1_000;
const MEANWHILE: usize = 1_000;

/// How many a receiver holds at once: as many as may be there of one owner.
const HELD: usize = OF_ONE_OWNER_TO_ONE_RECEIVER_MAX;

/// How many make events at once.
const MAKERS: usize = 8;

/// How long everything takes to be sent, on a machine with other things to do.
const SENT_TIMEOUT: Duration = Duration::from_secs(60);

/// For what needs no waiting; less than an attempt may take.
const SOON: Duration = Duration::from_secs(8);

/// Makes so many events, at these servers in turns.
fn make(fair: &Fair, at: &[std::net::SocketAddr], count: usize) {
    thread::scope(|scope| {
        for maker in 0..MAKERS.min(count) {
            let addr = at[maker % at.len()];
            scope.spawn(move || {
                let mut line = Connection::to(addr).unwrap();
                (maker..count).step_by(MAKERS).for_each(|_| fair.make(&mut line).unwrap());
            });
        }
    });
}

#[test]
fn no_event_is_sent_twice_by_two_nodes() {
    let fair = Fair::open(Engine::Postgres, |_| Play::Answer(204, Vec::new()));
    let silent = fair.start_in_silence();
    make(&fair, &[silent.addr], WAITING);
    silent.stop();
    let (first, second) = (fair.site.launch("a"), fair.site.launch("b"));
    let nodes = [first.wait(), second.wait()];
    make(&fair, &[nodes[0].addr, nodes[1].addr], MEANWHILE);
    until(SENT_TIMEOUT, "every event is told", || fair.pending() == 0);
    let (again, wrong) = fair.violations(0);
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!((fair.receiver.received().len(), again), (WAITING + MEANWHILE, 0));
    nodes.into_iter().for_each(crate::program::Node::stop);
}

#[test]
fn a_node_sends_what_another_one_was_killed_with() {
    let holds = Arc::new(AtomicBool::new(true));
    let is_held = Arc::clone(&holds);
    let fair = Fair::open(Engine::Postgres, move |_| match is_held.load(Ordering::SeqCst) {
        true => Play::Silence,
        false => Play::Answer(204, Vec::new()),
    });
    let received = || fair.receiver.received().len();
    let first = fair.site.start();
    make(&fair, &[first.addr], HELD);
    until(SOON, "everything is on its way", || received() == HELD);
    let second = fair.site.launch("b").wait();
    first.kill();
    let attempts = "select count(*) from webhook_attempts";
    assert_eq!(fair.site.database.number(attempts), 0, "nothing had its end by then");
    holds.store(false, Ordering::SeqCst);

    // What nobody has had waits for nobody.
    make(&fair, &[second.addr], 1);
    until(SOON, "a new one is told", || received() > HELD);
    let waited = until(LEASE + POLL_INTERVAL + SOON, "the takeover", || fair.pending() == 0);
    assert!(waited + SOON + SOON > LEASE, "taken while the lease still held: {waited:?}");
    assert_eq!(received(), 2 * HELD + 1);
    let (again, wrong) = fair.violations(HELD);
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(again, HELD);
    second.stop();
}
