//! The master key: thirty-two bytes that are never in the database.

use std::fmt;

use domain::ids::IdSource;
use domain::secret::SecretBytes;
use sha2::{Digest, Sha256};

/// How many bytes a key has, and half as many as its text has digits.
const KEY_LEN: usize = 32;

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Prefix that is hashed before a key to make its id, so that the id is the hash of nothing else.
const ID_LABEL: &[u8] = b"cotejo master key id\0";

/// Text that is not a master key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a master key is 64 hexadecimal digits")]
pub struct InvalidKey;

/// Distinguishes master keys without showing anything of them: the beginning of a hash.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct KeyId([u8; Self::LEN]);

impl KeyId {
    pub(super) const LEN: usize = 4;

    pub(super) const fn from_bytes(bytes: [u8; Self::LEN]) -> Self {
        Self(bytes)
    }

    pub(super) const fn to_bytes(self) -> [u8; Self::LEN] {
        self.0
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:08x}", u32::from_be_bytes(self.0))
    }
}

impl fmt::Debug for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A master key. It is wiped from memory when dropped and never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct MasterKey(SecretBytes);

impl MasterKey {
    /// A new key.
    #[must_use]
    pub fn generate(ids: &dyn IdSource) -> Self {
        let mut bytes = vec![0; KEY_LEN];
        ids.fill(&mut bytes);
        Self(SecretBytes::new(bytes))
    }

    /// Reads a key from its text.
    ///
    /// # Errors
    /// [`InvalidKey`] where the text is anything else than 64 hexadecimal digits.
    pub fn parse(text: &str) -> Result<Self, InvalidKey> {
        let (pairs, rest) = text.as_bytes().as_chunks::<2>();
        if pairs.len() != KEY_LEN || !rest.is_empty() {
            return Err(InvalidKey);
        }
        let bytes = pairs.iter().map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?));
        let bytes: Option<Vec<u8>> = bytes.collect();
        bytes.map(|bytes| Self(SecretBytes::new(bytes))).ok_or(InvalidKey)
    }

    /// Its text, for the file that keeps it.
    #[must_use]
    pub fn to_text(&self) -> domain::secret::SecretText {
        let digits = self.0.expose().iter().flat_map(|byte| [byte >> 4, byte & 15]);
        let text: String = digits.map(|digit| char::from(DIGITS[usize::from(digit)])).collect();
        text.into()
    }

    /// Its id.
    #[must_use]
    pub fn id(&self) -> KeyId {
        let hash: [u8; 32] =
            Sha256::new().chain_update(ID_LABEL).chain_update(self.0.expose()).finalize().into();
        let [a, b, c, d, ..] = hash;
        KeyId([a, b, c, d])
    }

    pub(super) fn expose(&self) -> &[u8] {
        self.0.expose()
    }
}

impl fmt::Debug for MasterKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MasterKey({})", self.id())
    }
}

fn digit(character: u8) -> Option<u8> {
    char::from(character).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}
