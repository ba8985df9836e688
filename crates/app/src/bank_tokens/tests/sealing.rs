//! What of a token is at rest, and where it opens.

use std::sync::atomic::AtomicU64;

use bank::Tokens;
use domain::ids::{BankId, OwnerId};
use store::bank_tokens::{self, Reached};
use store::{Lane, Meter};

use super::file::Folder;
use super::world::{BANK, CREDENTIALS, NUMBER, OTHER, START, World, token};
use crate::admin::{Operator, reseal};
use crate::vault::{MasterKey, Vault};
use crate::verification::simulation::surroundings::{Ids, at_once};

#[tokio::test]
async fn a_token_is_kept_and_its_bytes_are_in_no_file_of_the_database() {
    let folder = Folder::new("sealing");
    let store = folder.store();
    let world = World::on(&store);
    world.make_owner(world.owner).await;
    assert_eq!(world.current(&world.node(1)).await.map(|token| super::text(&token)), Ok(token(1)));
    // Another process finds it, and the store has written what it has.
    assert_eq!(world.current(&world.node(2)).await.map(|token| super::text(&token)), Ok(token(1)));
    assert_eq!(world.bank.logins(), 1);
    assert!(folder.has(NUMBER.as_bytes()));
    assert!(!folder.has(token(1).as_bytes()));
    store.close();
    assert!(folder.has(NUMBER.as_bytes()));
    assert!(!folder.has(token(1).as_bytes()));
}

/// Returns the token that the account asks by after somebody has written these bytes into its row.
fn ask_after_copy(world: &World, (owner, bank): (OwnerId, BankId), sealed: Vec<u8>) -> String {
    let account = Reached { owner, bank, credentials: CREDENTIALS };
    let write = move |tx: &mut store::tx::Tx<'_>| {
        let found = bank_tokens::find(tx, account)?.unwrap();
        let fence = bank_tokens::take(tx, account, found.fence, START)?.unwrap();
        bank_tokens::keep(tx, account, fence, &sealed, None)
    };
    let meter = Meter::default();
    assert!(at_once(world.store.write(&meter, Lane::Completion, owner, write)).unwrap());
    let node = world.node(9);
    let tokens = node.tokens((owner, bank), CREDENTIALS);
    at_once(tokens.current(world.bank.login())).map(|token| super::text(&token)).unwrap()
}

#[test]
fn a_token_that_was_copied_to_another_account_does_not_open_there() {
    let world = World::new();
    let stranger = OwnerId::from_bytes([2; 16]);
    at_once(world.make_owner(stranger));
    world.ask(&world.node(1)).unwrap();
    let sealed = world.state(CREDENTIALS).unwrap().token.unwrap();
    // In its own place it opens, and nobody logs in.
    assert_eq!(ask_after_copy(&world, world.account(), sealed.clone()), token(1));
    assert_eq!(ask_after_copy(&world, (world.owner, OTHER), sealed.clone()), token(2));
    assert_eq!(ask_after_copy(&world, (stranger, BANK), sealed.clone()), token(3));
    // What is no sealed token at all counts as none, too.
    assert_eq!(ask_after_copy(&world, world.account(), sealed[1..].to_vec()), token(4));
}

#[test]
fn a_new_master_key_drops_tokens_with_the_step_that_seals_credentials_anew() {
    let world = World::new();
    let node = world.node(1);
    let (owner, ids) = (world.owner, Ids(AtomicU64::new(5 << 32)));
    // Credentials that the vault has sealed.
    let place =
        |bank: &[u8; 16]| node.app.vault.seal(&ids, crate::accounts::place(owner, bank), b"{}");
    let [sealed, other] = [BANK, OTHER].map(|bank| place(&bank.to_bytes()));
    let first = sealed.clone();
    world.write(move |tx| {
        let change = store::bank_access::change_credentials;
        Ok(change(tx, owner, BANK, &first, CREDENTIALS, START)?
            && change(tx, owner, OTHER, &other, CREDENTIALS, START)?)
    });
    let tokens = node.tokens(world.account(), &sealed);
    at_once(tokens.current(world.bank.login())).unwrap();

    let former = world.master();
    let vault = Vault::new(&MasterKey::generate(&ids), std::slice::from_ref(former));
    let done = at_once(reseal(&Operator::of(&node.app), &vault, |_| {})).unwrap();
    assert_eq!(done.secrets, 2);
    let kept = world.write(move |tx| store::bank_access::sealed(tx, owner));
    let anew = kept.into_iter().find(|kept| kept.bank == BANK).unwrap().credentials;
    assert_ne!(anew, sealed);
    let state = world
        .write(move |tx| bank_tokens::find(tx, Reached { owner, bank: BANK, credentials: &anew }));
    assert_eq!(state.map(|state| (state.fence, state.token)), Some((bank_tokens::NO_FENCE, None)));
}

#[test]
fn the_place_of_a_token_shows_no_secret() {
    let world = World::new();
    let node = world.node(1);
    let tokens = node.tokens(world.account(), CREDENTIALS);
    world.ask(&node).unwrap();
    let state = world.state(CREDENTIALS).unwrap();
    let shared = tokens.share();
    for shown in [format!("{tokens:?}"), format!("{shared:?}"), format!("{state:?}")] {
        let bytes = format!("{CREDENTIALS:?}");
        assert!(!shown.contains(bytes.trim_matches(['[', ']'])), "{shown}");
        assert!(!shown.contains("token-1"), "{shown}");
    }
    // It leads to the same token.
    assert_eq!(
        at_once(shared.current(world.bank.login())).map(|token| super::text(&token)),
        Ok(token(1))
    );
}
