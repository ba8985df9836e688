//! Questions that leave while the store still works for them.

use std::sync::mpsc;

use domain::verification::Failure;
use futures_util::FutureExt;
use store::bank_tokens::{self, Reached};
use store::{Lane, Meter};

use super::file::Folder;
use super::world::{BANK, CREDENTIALS, World, token};
use crate::verification::simulation::surroundings::poll;

#[tokio::test]
async fn a_lease_that_was_being_taken_when_all_left_is_released() {
    let folder = Folder::new("leaving");
    let store = folder.store();
    let world = World::on(&store);
    world.make_owner(world.owner).await;
    let node = world.node(1);
    // The writer stands still, so that the lease is asked for and nobody knows yet whether it is given.
    let (held, is_held) = mpsc::channel();
    let (open, is_open) = mpsc::channel();
    let meter = Meter::default();
    let mut gate = Box::pin(store.write(&meter, Lane::Completion, world.owner, move |_| {
        held.send(()).unwrap();
        is_open.recv().unwrap();
        Ok(())
    }));
    assert!(gate.as_mut().now_or_never().is_none());
    is_held.recv().unwrap();
    let mut question = world.current(&node);
    assert!(poll(question.as_mut()).is_none());
    assert_eq!(store.metrics().completion, 1, "the lease is being taken");
    drop(question);
    open.send(()).unwrap();
    gate.await.unwrap();
    node.finish_tasks().await;

    let account = Reached { owner: world.owner, bank: BANK, credentials: CREDENTIALS };
    let find = move |tx: &mut store::tx::Tx<'_>| bank_tokens::find(tx, account);
    let state = store.look_up(&meter, find).await.unwrap().unwrap();
    assert_eq!((state.fence, state.lease_until), (1, None), "it was taken, and is free");
    let found: Result<_, Failure> = world.current(&node).await;
    assert_eq!(found.map(|token| super::text(&token)), Ok(token(1)));
}
