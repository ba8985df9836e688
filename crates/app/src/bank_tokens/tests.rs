//! Tokens as connectors get them: one login for many questions, nothing of it in the open, and nothing that is over.

mod file;
mod leaving;
mod nodes;
mod sealing;
mod storm;
mod world;

use std::time::Duration;

use bank::{Token, Tokens};
use domain::verification::Failure;
use store::bank_access;
use store::tx::Tx;

use self::world::{BANK, CREDENTIALS, Waiting, World, link, poll_all, text, token};
use super::flight::{OBTAIN_MAX, TOKEN_BYTES_MAX};
use crate::verification::simulation::surroundings::{at_once, poll};

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn many_questions_at_once_obtain_one_token() {
    let world = World::new();
    let node = world.node(1);
    world.bank.set_silent(true);
    let mut waiting: Vec<_> = (0..10).map(|_| world.current(&node)).collect();
    assert_eq!(poll_all(&mut waiting), []);
    world.bank.set_silent(false);
    assert_eq!(poll_all(&mut waiting), vec![Ok(token(1)); 10]);
    // It is kept for those who come later, at any node.
    assert_eq!(world.ask(&node), Ok(token(1)));
    assert_eq!(world.ask(&world.node(2)), Ok(token(1)));
    assert_eq!(world.bank.logins(), 1);
}

#[test]
fn many_that_saw_the_same_stale_token_renew_it_once() {
    let world = World::new();
    let node = world.node(1);
    let stale = at_once(world.current(&node)).unwrap();
    world.bank.set_silent(true);
    let mut waiting: Vec<_> = (0..5).map(|_| world.renew(&node, &stale)).collect();
    assert_eq!(poll_all(&mut waiting), []);
    // A question that comes meanwhile is not sent away with the stale one.
    waiting.push(world.current(&node));
    assert_eq!(poll_all(&mut waiting), []);
    world.bank.set_silent(false);
    assert_eq!(poll_all(&mut waiting), vec![Ok(token(2)); 6]);
    // Those that learn only now that it is stale, here or at another node.
    for late in [&node, &world.node(2)] {
        assert_eq!(at_once(world.renew(late, &stale)).map(|token| text(&token)), Ok(token(2)));
    }
    assert_eq!(world.bank.logins(), 2);
}

#[test]
fn a_token_that_is_renewed_is_another_one_each_time() {
    let world = World::new();
    let node = world.node(1);
    let mut seen: Vec<Token> = vec![at_once(world.current(&node)).unwrap()];
    for round in 2..5 {
        let next = at_once(world.renew(&node, &seen[seen.len() - 1])).unwrap();
        assert_eq!(text(&next), token(round));
        assert!(seen.iter().all(|former| former.generation() < next.generation()));
        seen.push(next);
    }
}

#[test]
fn a_token_that_is_about_to_end_counts_as_none() {
    let world = World::new();
    let node = world.node(1);
    world.bank.set_expiry(world.now().plus(300 * SECOND));
    assert_eq!(world.ask(&node), Ok(token(1)));
    world.pass(269 * SECOND);
    assert_eq!(world.ask(&node), Ok(token(1)));
    world.pass(SECOND);
    // One that lives shortly, as those of before midnight do, is not obtained anew by each question.
    world.bank.set_expiry(world.now().plus(20 * SECOND));
    assert_eq!(world.ask(&node), Ok(token(2)));
    world.pass(17 * SECOND);
    assert_eq!(world.ask(&node), Ok(token(2)));
    world.pass(SECOND);
    assert_eq!(world.ask(&node), Ok(token(3)));
}

#[test]
fn a_token_without_an_end_is_used_until_the_bank_refuses_it() {
    let world = World::new();
    let node = world.node(1);
    assert_eq!(world.ask(&node), Ok(token(1)));
    world.pass(400 * 86_400 * SECOND);
    assert_eq!(world.ask(&node), Ok(token(1)));
}

#[test]
fn a_failure_reaches_all_who_wait_and_is_not_kept() {
    let world = World::new();
    let node = world.node(1);
    world.bank.set_silent(true);
    let mut waiting: Vec<_> = (0..4).map(|_| world.current(&node)).collect();
    assert_eq!(poll_all(&mut waiting), []);
    world.bank.fail_with(Failure::RejectedCredentials);
    world.bank.set_silent(false);
    assert_eq!(poll_all(&mut waiting), vec![Err(Failure::RejectedCredentials); 4]);
    assert_eq!(world.bank.logins(), 1);
    // The next asks the bank at once.
    assert_eq!(world.ask(&node), Ok(token(2)));
}

#[test]
fn a_renewal_that_fails_does_not_bring_the_stale_token_back() {
    let world = World::new();
    let node = world.node(1);
    let stale = at_once(world.current(&node)).unwrap();
    world.bank.fail_with(Failure::Maintenance);
    assert_eq!(at_once(world.renew(&node, &stale)), Err(Failure::Maintenance));
    assert_eq!(world.ask(&node), Ok(token(3)));
}

#[test]
fn a_flight_goes_on_when_the_one_that_began_it_leaves() {
    let world = World::new();
    let node = world.node(1);
    world.bank.set_silent(true);
    let mut first = world.current(&node);
    assert!(poll(first.as_mut()).is_none());
    let mut waiting = vec![world.current(&node)];
    assert_eq!(poll_all(&mut waiting), []);
    drop(first);
    world.bank.set_silent(false);
    assert_eq!(poll_all(&mut waiting), [Ok(token(1))]);
    assert_eq!((world.bank.logins(), world.ask(&node)), (1, Ok(token(1))));
}

#[test]
fn when_all_have_left_the_next_need_not_wait_for_their_lease() {
    let world = World::new();
    let node = world.node(1);
    world.bank.set_silent(true);
    let mut first = world.current(&node);
    assert!(poll(first.as_mut()).is_none());
    assert_eq!(node.flights(), "TokenFlights(1)");
    drop(first);
    assert_eq!(node.flights(), "TokenFlights(0)");
    node.run_tasks();
    world.bank.set_silent(false);
    assert_eq!(world.ask(&node), Ok(token(2)));
    assert_eq!(node.flights(), "TokenFlights(0)");
}

/// However many come and go, so that somebody always waits.
#[test]
fn a_bank_that_gives_no_token_is_waited_for_so_long_and_no_longer() {
    let world = World::new();
    let node = world.node(1);
    world.bank.set_silent(true);
    let mut first = world.current(&node);
    assert!(poll(first.as_mut()).is_none());
    world.pass(OBTAIN_MAX - SECOND);
    let mut waiting = vec![first, world.current(&node)];
    assert_eq!(poll_all(&mut waiting), []);
    world.pass(SECOND);
    assert_eq!(poll_all(&mut waiting), vec![Err(Failure::TimedOut); 2]);
    world.bank.set_silent(false);
    assert_eq!(world.ask(&node), Ok(token(2)));
}

#[test]
fn a_login_that_panics_is_a_failure_of_its_flight_alone() {
    let world = World::new();
    let node = world.node(1);
    let tokens = node.tokens(world.account(), CREDENTIALS);
    let mut panics = tokens.current(Box::pin(async { panic!("on purpose") }));
    assert!(poll(panics.as_mut()).is_some_and(|token| token.is_err()));
    assert_eq!(world.ask(&node), Ok(token(1)), "the lease is free");
}

#[test]
fn a_token_of_any_length_is_not_taken() {
    let world = World::new();
    let node = world.node(1);
    world.bank.lengthen(TOKEN_BYTES_MAX);
    assert_eq!(world.ask(&node), Err(Failure::BadResponse));
    world.bank.lengthen(TOKEN_BYTES_MAX / 2);
    assert!(world.ask(&node).is_ok_and(|token| token.len() > TOKEN_BYTES_MAX / 2));
}

#[test]
fn other_credentials_discard_the_token() {
    let world = World::new();
    let node = world.node(1);
    assert_eq!(world.ask(&node), Ok(token(1)));
    world.change_credentials(b"others");
    assert!(world.state(b"others").unwrap().token.is_none());
    // A question from before neither gets nor obtains one.
    assert_eq!(world.ask(&node), Err(Failure::Unavailable));
    let tokens = node.tokens(world.account(), b"others");
    assert_eq!(at_once(tokens.current(world.bank.login())).map(|token| text(&token)), Ok(token(2)));
}

/// Both hold the first lease of their credentials, so that their fences are the same number.
#[test]
fn what_was_obtained_by_former_credentials_is_not_kept() {
    let world = World::new();
    let node = world.node(1);
    world.bank.set_silent(true);
    let mut former = world.current(&node);
    assert!(poll(former.as_mut()).is_none());
    world.change_credentials(b"others");
    let tokens = node.tokens(world.account(), b"others");
    let mut present: Waiting<'_> = Box::pin(tokens.current(world.bank.login()));
    assert!(poll(present.as_mut()).is_none());
    assert_eq!(world.bank.logins(), 2, "it does not wait for a login by former credentials");

    world.bank.set_silent(false);
    assert_eq!(poll(former.as_mut()).unwrap().map(|token| text(&token)), Ok(token(1)));
    let state = world.state(b"others").unwrap();
    assert!(state.token.is_none() && state.lease_until.is_some(), "{state:?}");
    assert_eq!(poll(present.as_mut()).unwrap().map(|token| text(&token)), Ok(token(2)));
    let again = tokens.current(world.bank.login());
    assert_eq!(at_once(again).map(|token| text(&token)), Ok(token(2)));
}

#[test]
fn a_failure_by_former_credentials_does_not_end_the_lease_of_the_present_ones() {
    let world = World::new();
    let node = world.node(1);
    world.bank.set_silent(true);
    let mut former = world.current(&node);
    assert!(poll(former.as_mut()).is_none());
    world.change_credentials(b"others");
    let tokens = node.tokens(world.account(), b"others");
    let mut present: Waiting<'_> = Box::pin(tokens.current(world.bank.login()));
    assert!(poll(present.as_mut()).is_none());
    world.bank.fail_with(Failure::RejectedCredentials);
    world.bank.set_silent(false);
    assert_eq!(poll(former.as_mut()).unwrap(), Err(Failure::RejectedCredentials));
    assert!(world.state(b"others").unwrap().lease_until.is_some());
}

#[test]
fn an_account_that_is_unlinked_loses_its_token() {
    let world = World::new();
    let node = world.node(1);
    let owner = world.owner;
    for is_removed in [true, false] {
        let stale = at_once(world.current(&node)).unwrap();
        world.write(move |tx: &mut Tx<'_>| {
            if is_removed {
                bank_access::remove(tx, owner, BANK)?;
            }
            // Linked again, by chance with the same bytes.
            link(tx, owner, BANK)
        });
        let state = world.state(CREDENTIALS).unwrap();
        assert!(state.token.is_none() && state.fence < stale.generation(), "{state:?}");
    }
    world.write(move |tx: &mut Tx<'_>| bank_access::remove(tx, owner, BANK));
    assert_eq!(world.ask(&node), Err(Failure::Unavailable));
    assert_eq!(world.bank.logins(), 2);
}
