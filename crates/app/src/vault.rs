//! The vault: secrets at rest, sealed with AES-256-GCM under the master key.
//!
//! A sealed secret is bound to its place: copied into another row, column or owner it does not
//! open. It names the key that sealed it, so that several master keys can be in use at once while
//! an installation changes from one to the next.
//!
//! Nonces are random, 96 bits: one key is good for some four billion secrets before two of them
//! would meet with a chance worth mentioning.

mod key;

use std::fmt;

use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use aws_lc_rs::hmac;
use domain::ids::{IdSource, OwnerId};
use domain::secret::SecretBytes;

pub use self::key::{InvalidKey, KeyId, MasterKey};

/// Label from which the master key derives the key of keyed hashes.
const HASHING_LABEL: &[u8] = b"cotejo keyed hashes";

/// The first byte of every sealed secret, so that another construction can follow this one.
const VERSION: u8 = 1;

/// Version and key id: what a sealed secret begins with, and what it is bound to besides its place.
const HEADER_LEN: usize = 1 + KeyId::LEN;

/// Place where a secret is kept. The secret opens nowhere else.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The table.
    pub table: &'static str,
    /// The column.
    pub column: &'static str,
    /// Whose row it is; `None` in tables of the installation.
    pub owner: Option<OwnerId>,
    /// What distinguishes the row from all others of that owner and table.
    pub row: &'a [u8],
}

/// Why a secret was not opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VaultError {
    /// What was read is not a sealed secret.
    #[error("not a sealed secret")]
    Malformed,
    /// It was sealed under a key that is not on the ring.
    #[error("sealed under master key {0}, which is not at hand")]
    UnknownKey(KeyId),
    /// It was changed, or belongs to another place.
    #[error("a sealed secret was altered or moved")]
    Forged,
}

/// Seals under the current master key, opens under any on the ring.
pub struct Vault {
    current: KeyId,
    ring: Vec<(KeyId, LessSafeKey)>,
    hashing: hmac::Key,
}

impl fmt::Debug for Vault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Vault").field("current", &self.current).finish_non_exhaustive()
    }
}

impl Vault {
    /// A vault that seals under `current` and still opens what any of `former` sealed, latest first. Keyed hashes are
    /// made with the oldest, so that they stay while there are former keys.
    #[must_use]
    pub fn new(current: &MasterKey, former: &[MasterKey]) -> Self {
        let ring = std::iter::once(current).chain(former).map(|key| (key.id(), cipher(key)));
        // A key of its own, so that no key is used for two things.
        let master = hmac::Key::new(hmac::HMAC_SHA256, former.last().unwrap_or(current).expose());
        let hashing = hmac::sign(&master, HASHING_LABEL);
        let hashing = hmac::Key::new(hmac::HMAC_SHA256, hashing.as_ref());
        Self { current: current.id(), ring: ring.collect(), hashing }
    }

    /// A hash that only a holder of the master key makes: for what is compared, could be guessed,
    /// and must not be tried out by a person who has the database alone.
    #[must_use]
    pub fn keyed_hash(&self, data: &[u8]) -> [u8; 32] {
        let mut hash = [0; 32];
        hash.copy_from_slice(hmac::sign(&self.hashing, data).as_ref());
        hash
    }

    /// Seals `plain` for that place.
    #[must_use]
    pub fn seal(&self, ids: &dyn IdSource, place: Place<'_>, plain: &[u8]) -> Vec<u8> {
        let mut nonce = [0; NONCE_LEN];
        ids.fill(&mut nonce);
        let header = header(self.current);
        // Made as long as it will be: a vector that grows would leave the plain bytes behind.
        let mut body = Vec::with_capacity(plain.len() + AES_256_GCM.tag_len());
        body.extend_from_slice(plain);
        let (_, cipher) = &self.ring[0];
        cipher
            .seal_in_place_append_tag(
                Nonce::assume_unique_for_key(nonce),
                Aad::from(associated_data(&header, place)),
                &mut body,
            )
            .expect("AES-GCM seals everything below 64 GiB");
        [&header[..], &nonce, &body].concat()
    }

    /// Seals under the current key what was sealed for that place under a former one; `None` where it is under the
    /// current key already.
    ///
    /// # Errors
    /// As [`Vault::open`].
    pub fn reseal(
        &self,
        ids: &dyn IdSource,
        place: Place<'_>,
        sealed: &[u8],
    ) -> Result<Option<Vec<u8>>, VaultError> {
        let plain = SecretBytes::new(self.open(place, sealed)?);
        let is_current = sealed.starts_with(&header(self.current));
        Ok((!is_current).then(|| self.seal(ids, place, plain.expose())))
    }

    /// Opens what was sealed for that place.
    ///
    /// # Errors
    /// [`VaultError`] where it is not a sealed secret, not under a key at hand, or not of there.
    pub fn open(&self, place: Place<'_>, sealed: &[u8]) -> Result<Vec<u8>, VaultError> {
        let (header, rest) =
            sealed.split_first_chunk::<HEADER_LEN>().ok_or(VaultError::Malformed)?;
        let (nonce, body) = rest.split_first_chunk::<NONCE_LEN>().ok_or(VaultError::Malformed)?;
        let [VERSION, id @ ..] = *header else { return Err(VaultError::Malformed) };
        let id = KeyId::from_bytes(id);
        let known = self.ring.iter().find(|(known, _)| *known == id);
        let (_, cipher) = known.ok_or(VaultError::UnknownKey(id))?;
        let mut body = body.to_vec();
        let nonce = Nonce::assume_unique_for_key(*nonce);
        let plain = cipher
            .open_in_place(nonce, Aad::from(associated_data(header, place)), &mut body)
            .map_err(|_| VaultError::Forged)?
            .len();
        body.truncate(plain);
        Ok(body)
    }
}

fn cipher(key: &MasterKey) -> LessSafeKey {
    let key = UnboundKey::new(&AES_256_GCM, key.expose()).expect("a master key has 32 bytes");
    LessSafeKey::new(key)
}

fn header(id: KeyId) -> [u8; HEADER_LEN] {
    let mut header = [VERSION; HEADER_LEN];
    header[1..].copy_from_slice(&id.to_bytes());
    header
}

/// Every part is preceded by its length, so that no two places read alike.
fn associated_data(header: &[u8; HEADER_LEN], place: Place<'_>) -> Vec<u8> {
    let owner = place.owner.map(OwnerId::to_bytes);
    let owner = owner.as_ref().map_or(&[][..], |bytes| bytes);
    let mut data = header.to_vec();
    for part in [place.table.as_bytes(), place.column.as_bytes(), owner, place.row] {
        data.extend_from_slice(&(part.len() as u64).to_be_bytes());
        data.extend_from_slice(part);
    }
    data
}

#[cfg(test)]
mod tests;
