use std::sync::atomic::{AtomicU8, Ordering};

use super::*;

/// Counts, so that no two fills are alike.
struct Counting(AtomicU8);

impl IdSource for Counting {
    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill_with(|| self.0.fetch_add(1, Ordering::Relaxed));
    }
}

fn ids() -> Counting {
    Counting(AtomicU8::new(1))
}

const HERE: Place<'_> =
    Place { table: "t", column: "c", owner: Some(OwnerId::from_bytes([7; 16])), row: b"row" };

#[test]
fn what_is_sealed_opens_in_its_place_alone() {
    let ids = ids();
    let vault = Vault::new(&MasterKey::generate(&ids), &[]);
    let sealed = vault.seal(&ids, HERE, b"secret");
    assert_eq!(vault.open(HERE, &sealed), Ok(b"secret".to_vec()));
    for elsewhere in [
        Place { table: "u", ..HERE },
        Place { column: "d", ..HERE },
        Place { owner: None, ..HERE },
        Place { owner: Some(OwnerId::from_bytes([8; 16])), ..HERE },
        Place { row: b"ro", ..HERE },
        // The same bytes, divided otherwise.
        Place { table: "tc", column: "", ..HERE },
    ] {
        assert_eq!(vault.open(elsewhere, &sealed), Err(VaultError::Forged), "{elsewhere:?}");
    }
}

#[test]
fn every_changed_or_missing_byte_is_noticed() {
    let ids = ids();
    let vault = Vault::new(&MasterKey::generate(&ids), &[]);
    let sealed = vault.seal(&ids, HERE, b"");
    for at in 0..sealed.len() {
        let mut altered = sealed.clone();
        altered[at] ^= 1;
        assert!(vault.open(HERE, &altered).is_err(), "byte {at}");
        assert!(vault.open(HERE, &sealed[..at]).is_err(), "cut at {at}");
    }
    assert_eq!(vault.open(HERE, &[2; 40]), Err(VaultError::Malformed));
}

#[test]
fn a_former_key_opens_and_the_current_one_seals() {
    let ids = ids();
    let (old, new) = (MasterKey::generate(&ids), MasterKey::generate(&ids));
    let before = Vault::new(&old, &[]);
    let after = Vault::new(&new, std::slice::from_ref(&old));
    let sealed = before.seal(&ids, HERE, b"secret");
    assert_eq!(after.open(HERE, &sealed), Ok(b"secret".to_vec()));
    let again = after.seal(&ids, HERE, b"secret");
    assert_eq!(before.open(HERE, &again), Err(VaultError::UnknownKey(new.id())));
}

#[test]
fn the_same_secret_never_looks_the_same() {
    let ids = ids();
    let vault = Vault::new(&MasterKey::generate(&ids), &[]);
    assert_ne!(vault.seal(&ids, HERE, b"secret"), vault.seal(&ids, HERE, b"secret"));
}

#[test]
fn a_key_reads_back_from_its_text_and_is_not_shown() {
    let key = MasterKey::generate(&ids());
    let text = key.to_text();
    assert_eq!(MasterKey::parse(text.expose()), Ok(key.clone()));
    assert_eq!(MasterKey::parse(&text.expose().to_uppercase()), Ok(key.clone()));
    assert!(!format!("{key:?}").contains(text.expose()));
    for other in ["", "0", &"g".repeat(64), &"0".repeat(63), &"0".repeat(66), &"é".repeat(32)] {
        assert_eq!(MasterKey::parse(other), Err(InvalidKey), "{other}");
    }
}

#[test]
fn a_keyed_hash_is_one_masters_alone_and_no_plain_hash() {
    use sha2::{Digest, Sha256};
    let ids = ids();
    let (one, other) = (MasterKey::generate(&ids), MasterKey::generate(&ids));
    let (vault, same) = (Vault::new(&one, &[]), Vault::new(&one, &[]));
    assert_eq!(vault.keyed_hash(b"body"), same.keyed_hash(b"body"));
    assert_ne!(vault.keyed_hash(b"body"), vault.keyed_hash(b"bodies"));
    assert_ne!(vault.keyed_hash(b"body"), Vault::new(&other, &[]).keyed_hash(b"body"));
    assert_ne!(vault.keyed_hash(b"body"), <[u8; 32]>::from(Sha256::digest(b"body")));
}

#[test]
fn what_a_former_key_sealed_is_sealed_anew_once() {
    let ids = ids();
    let (old, new) = (MasterKey::generate(&ids), MasterKey::generate(&ids));
    let ring = Vault::new(&new, std::slice::from_ref(&old));
    let sealed = Vault::new(&old, &[]).seal(&ids, HERE, b"secret");
    let anew = ring.reseal(&ids, HERE, &sealed).unwrap().unwrap();
    assert_eq!(Vault::new(&new, &[]).open(HERE, &anew), Ok(b"secret".to_vec()));
    assert_eq!(ring.reseal(&ids, HERE, &anew), Ok(None));
    let elsewhere = Place { row: b"other", ..HERE };
    assert_eq!(ring.reseal(&ids, elsewhere, &sealed), Err(VaultError::Forged));
}

#[test]
fn keyed_hashes_stay_while_there_is_a_former_key() {
    let ids = ids();
    let (old, new) = (MasterKey::generate(&ids), MasterKey::generate(&ids));
    let ring = Vault::new(&new, std::slice::from_ref(&old));
    assert_eq!(ring.keyed_hash(b"body"), Vault::new(&old, &[]).keyed_hash(b"body"));
}
