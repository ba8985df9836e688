//! Several nodes on one database: one of them logs in, and the others wait for what it gets.

use std::time::Duration;

use store::bank_tokens::{self, Reached};

use super::super::flight::{LEASE, LOOK_AGAIN};
use super::world::{BANK, CREDENTIALS, World, poll_all, text, token};
use crate::verification::simulation::surroundings::{at_once, poll};

#[test]
fn two_nodes_log_in_once() {
    let world = World::new();
    let nodes = [world.node(1), world.node(2)];
    world.bank.set_silent(true);
    let mut first = world.current(&nodes[0]);
    assert!(poll(first.as_mut()).is_none());
    let mut others: Vec<_> = (0..3).map(|_| world.current(&nodes[1])).collect();
    assert_eq!(poll_all(&mut others), []);
    world.bank.set_silent(false);
    assert_eq!(poll(first.as_mut()).unwrap().map(|token| text(&token)), Ok(token(1)));
    // They look again when it is time, and not whenever they are woken.
    assert_eq!(poll_all(&mut others), []);
    world.pass(LOOK_AGAIN);
    assert_eq!(poll_all(&mut others), vec![Ok(token(1)); 3]);
    assert_eq!(world.bank.logins(), 1);
}

#[test]
fn two_nodes_renew_a_stale_token_once() {
    let world = World::new();
    let nodes = [world.node(1), world.node(2)];
    let stale = at_once(world.current(&nodes[0])).unwrap();
    world.bank.set_silent(true);
    let mut waiting = vec![world.renew(&nodes[0], &stale), world.renew(&nodes[1], &stale)];
    waiting.push(world.current(&nodes[1]));
    assert_eq!(poll_all(&mut waiting), []);
    world.bank.set_silent(false);
    assert_eq!(poll_all(&mut waiting), [Ok(token(2))]);
    world.pass(LOOK_AGAIN);
    assert_eq!(poll_all(&mut waiting), vec![Ok(token(2)); 2]);
    assert_eq!(world.bank.logins(), 2);
}

/// The flight at the second node was begun by one who does not know that the token is stale.
#[test]
fn who_joins_a_flight_that_finds_the_stale_token_goes_on() {
    let world = World::new();
    let nodes = [world.node(1), world.node(2)];
    world.bank.set_silent(true);
    let mut first = world.current(&nodes[0]);
    assert!(poll(first.as_mut()).is_none());
    let mut unknowing = world.current(&nodes[1]);
    assert!(poll(unknowing.as_mut()).is_none());
    world.bank.set_silent(false);
    let stale = poll(first.as_mut()).unwrap().unwrap();
    let mut knowing = world.renew(&nodes[1], &stale);
    assert!(poll(knowing.as_mut()).is_none());
    world.pass(LOOK_AGAIN);
    assert_eq!(poll(knowing.as_mut()).unwrap().map(|token| text(&token)), Ok(token(2)));
    assert_eq!(poll(unknowing.as_mut()).unwrap().map(|token| text(&token)), Ok(token(1)));
}

#[test]
fn where_the_holder_of_the_lease_dies_another_takes_over() {
    let world = World::new();
    let nodes = [world.node(1), world.node(2)];
    world.bank.set_silent(true);
    let mut first = world.current(&nodes[0]);
    assert!(poll(first.as_mut()).is_none());
    let mut second = world.current(&nodes[1]);
    assert!(poll(second.as_mut()).is_none());
    // What a process leaves to its tasks is not done where it dies.
    drop(first);
    world.bank.set_silent(false);
    while world.now() < super::world::START.plus(LEASE) {
        assert!(poll(second.as_mut()).is_none());
        assert_eq!(world.bank.logins(), 1);
        world.pass(LOOK_AGAIN);
    }
    assert_eq!(poll(second.as_mut()).unwrap().map(|token| text(&token)), Ok(token(2)));
}

#[test]
fn a_late_holder_changes_nothing() {
    let world = World::new();
    let nodes = [world.node(1), world.node(2)];
    world.bank.set_silent(true);
    let mut late = world.current(&nodes[0]);
    assert!(poll(late.as_mut()).is_none());
    // It stands still for so long.
    world.pass(LEASE);
    world.bank.set_silent(false);
    assert_eq!(world.ask(&nodes[1]), Ok(token(2)));
    let kept = world.state(CREDENTIALS);
    // Its own question is still asked by what it got.
    let got = poll(late.as_mut()).unwrap().unwrap();
    assert_eq!(text(&got), token(1));
    assert_eq!(world.state(CREDENTIALS), kept);
    // And learns of the newer one where the bank has ended that.
    assert_eq!(at_once(world.renew(&nodes[0], &got)).map(|token| text(&token)), Ok(token(2)));
    assert_eq!(world.bank.logins(), 2);
}

#[test]
fn a_late_failure_ends_no_other_lease() {
    let world = World::new();
    let nodes = [world.node(1), world.node(2)];
    world.bank.set_silent(true);
    let mut late = world.current(&nodes[0]);
    assert!(poll(late.as_mut()).is_none());
    world.pass(LEASE);
    let mut second = world.current(&nodes[1]);
    assert!(poll(second.as_mut()).is_none());
    assert!(poll(late.as_mut()).unwrap().is_err());
    let state = world.state(CREDENTIALS).unwrap();
    assert_eq!((state.fence, state.lease_until), (2, Some(world.now().plus(LEASE))));
}

#[test]
fn a_lease_that_a_clock_ahead_has_written_is_not_waited_for() {
    let world = World::new();
    let node = world.node(1);
    let year = Duration::from_secs(365 * 86_400);
    let account = Reached { owner: world.owner, bank: BANK, credentials: CREDENTIALS };
    let until = world.now().plus(year);
    let taken = world.write(move |tx| bank_tokens::take(tx, account, 0, until));
    assert_eq!(taken, Some(1));
    assert_eq!(world.ask(&node), Ok(token(1)));
}
