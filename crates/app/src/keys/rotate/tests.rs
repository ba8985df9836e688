use domain::access::{Operation as _, OwnerCaller};
use domain::ids::{AuditId, SessionId};
use domain::refusal::{BadCredentials, Refusal};
use domain::second_factor::Proof;
use domain::session::Session;
use store::{Meter, Store, sessions};

use super::*;
use crate::keys::tests::{NOW, an_owner};

const SESSION: SessionId = SessionId::from_bytes([9; 16]);

/// An owner who is signed in.
async fn signed_in(store: &Store) -> OwnerId {
    let owner = an_owner(store).await.owner;
    let session = Session::begin(NOW);
    let open = move |tx: &mut Tx<'_>| {
        sessions::insert(tx, (owner, None), SESSION, (&session, false), None)
    };
    store.write(&Meter::default(), Lane::Admission, owner, open).await.unwrap();
    owner
}

fn hash(number: u8) -> KeyHash {
    KeyHash::from_bytes([number; 32])
}

/// Rotates to the hash of that number, and answers of which text nothing is kept from then on, or why it was refused,
/// with nothing where another rotation came after it; and the hash that is there then.
async fn try_rotation(
    store: &Store,
    owner: OwnerId,
    number: u8,
    was_lost: bool,
) -> (Result<Option<KeyHash>, Option<Refusal>>, KeyHash) {
    let find = move |tx: &mut Tx<'_>| keys::find_default(tx, owner);
    let id = store.look_up(&Meter::default(), find).await.unwrap().unwrap();
    let rotation = Rotation {
        caller: Caller::Owner(OwnerCaller { owner, session: SESSION, proof: Proof::NotAsked }),
        access: RotateKey::ENTRY,
        owner,
        id,
        hash: hash(number),
        hint: "hint".to_owned(),
        issuer: Issuer::default(),
        slot: None,
        entry: audit::Entry {
            id: AuditId::from_bytes([number; 16]),
            actor: "session".to_owned(),
            employee: None,
            action: "rotate_default_key",
            subject: "key".to_owned(),
            address: None,
        },
        now: NOW,
    };
    let job = move |tx: &mut Tx<'_>| {
        let rotated = as_answer(replace_hash(tx, &rotation, was_lost))?;
        let rotated = rotated.map_err(Some).and_then(|rotated| rotated.ok_or(None));
        Ok((rotated.map(|rotated| rotated.forgotten), keys::lock(tx, owner, id)?.unwrap().hash))
    };
    store.write(&Meter::default(), Lane::Admission, owner, job).await.unwrap()
}

#[tokio::test]
async fn a_rotation_that_another_came_after_is_not_made_again() {
    let store = store::inline().unwrap();
    let owner = signed_in(&store).await;
    // One that was not applied is made when it is tried again, and one that was is known.
    assert_eq!(try_rotation(&store, owner, 1, true).await.1, hash(1));
    assert_eq!(try_rotation(&store, owner, 1, true).await, (Ok(None), hash(1)));
    let (forgotten, present) = try_rotation(&store, owner, 2, false).await;
    assert!(forgotten.unwrap().is_some_and(|first| first != hash(1)) && present == hash(2));
    let superseded = (Err(None), hash(2));
    assert_eq!(try_rotation(&store, owner, 1, true).await, superseded);
    assert_eq!(try_rotation(&store, owner, 2, true).await, (Ok(None), hash(2)));
    assert_eq!(try_rotation(&store, owner, 3, false).await, (Ok(Some(hash(1))), hash(3)));
}

#[tokio::test]
async fn a_session_that_ended_meanwhile_rotates_nothing() {
    let store = store::inline().unwrap();
    let owner = signed_in(&store).await;
    try_rotation(&store, owner, 1, false).await.0.unwrap();
    let end = move |tx: &mut Tx<'_>| sessions::end(tx, owner, SESSION, NOW);
    store.write(&Meter::default(), Lane::Admission, owner, end).await.unwrap();
    let unknown = Refusal::Unauthorized(BadCredentials::Unknown);
    let refused = (Err(Some(unknown)), hash(1));
    assert_eq!(try_rotation(&store, owner, 2, false).await, refused);
    // What it rotated before it ended is answered all the same.
    assert_eq!(try_rotation(&store, owner, 1, true).await, (Ok(None), hash(1)));
}
