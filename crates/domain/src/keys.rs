//! The text of an API key: made, checked, hashed and shown in part.

use std::fmt;

use sha2::{Digest, Sha256};

use crate::ids::IdSource;
use crate::secret::{SecretText, same};

/// Prefix of every key. Scanners for leaked secrets look for it: it never changes.
const PREFIX: &str = "ck_live_";

/// How many random characters follow: 62^32 is more than 2^190.
pub(crate) const RANDOM_LEN: usize = 32;

/// How many characters the checksum takes: 62^6 is more than 2^32.
const CHECKSUM_LEN: usize = 6;

const KEY_LEN: usize = PREFIX.len() + RANDOM_LEN + CHECKSUM_LEN;

/// How many characters at the end people may see.
const HINT_LEN: usize = 4;

const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// The whole text of a key. It exists while a key is handed out or a request is checked, and is
/// kept nowhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyText(SecretText);

impl KeyText {
    /// A new key from the randomness of `source`.
    #[must_use]
    pub fn generate(source: &dyn IdSource) -> Self {
        let mut text = String::with_capacity(KEY_LEN);
        text.push_str(PREFIX);
        push_random(&mut text, source);
        let checksum = checksum(text.as_bytes());
        text.extend(checksum.map(char::from));
        Self(SecretText::new(text))
    }

    /// Tells whether `text` says that it is a key, right or wrong: then it is nothing else.
    #[must_use]
    pub fn is_meant(text: &str) -> bool {
        text.starts_with(PREFIX)
    }

    /// The key that `text` is, if it has the form and its checksum is right: a slip in copying is
    /// found without asking the store.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        if bytes.len() != KEY_LEN || !bytes.starts_with(PREFIX.as_bytes()) {
            return None;
        }
        let (body, given) = bytes.split_at(KEY_LEN - CHECKSUM_LEN);
        let alphanumeric = body.iter().skip(PREFIX.len()).all(u8::is_ascii_alphanumeric);
        let right = alphanumeric && same(given, &checksum(body));
        right.then(|| Self(SecretText::from(text)))
    }

    /// The SHA-256 of the text, which is all that a store keeps.
    #[must_use]
    pub fn hash(&self) -> KeyHash {
        KeyHash(Sha256::digest(self.0.expose()).into())
    }

    /// The last four characters, by which people distinguish keys.
    #[must_use]
    pub fn hint(&self) -> String {
        self.0.expose().chars().skip(KEY_LEN - HINT_LEN).collect()
    }

    /// The text itself, for the one answer that shows it.
    #[must_use]
    pub fn expose(&self) -> &str {
        self.0.expose()
    }
}

/// The SHA-256 of a key's text.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeyHash([u8; 32]);

impl KeyHash {
    /// The hash that a store keeps as these bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The bytes that a store keeps.
    #[must_use]
    pub const fn to_bytes(self) -> [u8; 32] {
        self.0
    }
}

impl fmt::Debug for KeyHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyHash(…)")
    }
}

/// How a key is shown after its creation: `ck_live_…a1B2`.
#[must_use]
pub fn masked(hint: &str) -> String {
    format!("{PREFIX}…{hint}")
}

/// Puts [`RANDOM_LEN`] random characters behind `text`, each as likely as any other.
pub(crate) fn push_random(text: &mut String, source: &dyn IdSource) {
    let len = text.len() + RANDOM_LEN;
    text.reserve(RANDOM_LEN);
    let mut random = zeroize::Zeroizing::new([0; RANDOM_LEN]);
    while text.len() < len {
        source.fill(&mut *random);
        for byte in random.iter() {
            // 248 is the last multiple of 62 in a byte: beyond it, some characters would come more
            // often than others.
            if *byte < 248 && text.len() < len {
                text.push(char::from(BASE62[usize::from(byte % 62)]));
            }
        }
    }
}

/// The CRC-32 of `body` in six base62 characters, the most significant first.
fn checksum(body: &[u8]) -> [u8; CHECKSUM_LEN] {
    let mut rest = crc32fast::hash(body);
    let mut text = [0; CHECKSUM_LEN];
    for slot in text.iter_mut().rev() {
        *slot = BASE62[(rest % 62) as usize];
        rest /= 62;
    }
    text
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use proptest::prelude::*;

    use super::*;

    /// SplitMix64: even enough to judge a distribution by.
    struct Seeded(AtomicU64);

    impl IdSource for Seeded {
        fn fill(&self, bytes: &mut [u8]) {
            for byte in bytes {
                let state = self.0.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed);
                let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
                *byte = (mixed >> 56) as u8;
            }
        }
    }

    fn key(seed: u64) -> KeyText {
        KeyText::generate(&Seeded(AtomicU64::new(seed)))
    }

    #[test]
    fn a_key_has_the_described_form_and_reads_back() {
        let key = key(1);
        let text = key.expose();
        assert_eq!(text.len(), 46);
        assert!(text.starts_with("ck_live_"));
        assert!(text.bytes().skip(8).all(|byte| byte.is_ascii_alphanumeric()));
        assert_eq!(KeyText::parse(text), Some(key.clone()));
        assert!(text.ends_with(&key.hint()));
        assert_eq!(key.hint().len(), 4);
    }

    #[test]
    fn the_checksum_is_the_common_crc_32() {
        // The check value of CRC-32/ISO-HDLC is cbf43926 for the nine digits.
        assert_eq!(crc32fast::hash(b"123456789"), 0xcbf4_3926);
        assert_eq!(&checksum(b"123456789"), b"3jZRME");
        assert_eq!(&checksum(b""), b"000000");
    }

    #[test]
    fn a_key_is_not_shown_by_accident() {
        let key = key(2);
        let shown = format!("{key:?} {:?} {}", key.hash(), masked(&key.hint()));
        assert!(!shown.contains(key.expose()));
        assert_eq!(masked("a1B2"), "ck_live_…a1B2");
    }

    #[test]
    fn the_hash_is_the_sha_256_of_the_text() {
        let key = key(3);
        assert_eq!(key.hash().to_bytes(), <[u8; 32]>::from(Sha256::digest(key.expose())));
        assert_eq!(KeyHash::from_bytes(key.hash().to_bytes()), key.hash());
        assert_ne!(key.hash(), self::key(4).hash());
    }

    #[test]
    fn every_character_comes_equally_often() {
        let mut counts = [0_u32; 62];
        for seed in 0..2_000 {
            for byte in key(seed * 7_919).expose().bytes().skip(PREFIX.len()).take(RANDOM_LEN) {
                counts[BASE62.iter().position(|known| *known == byte).unwrap()] += 1;
            }
        }
        // 64,000 draws, 1,032 expected of each, 32 the standard deviation; with a modulo alone the
        // first eight would come 1,250 times.
        assert!(counts.iter().all(|count| (850..1_215).contains(count)), "{counts:?}");
    }

    #[test]
    fn other_text_is_not_a_key() {
        let text = key(5).expose().to_owned();
        for other in [
            "",
            "ck_live_",
            "á",
            &text.to_lowercase(),
            &format!("{text}0"),
            &format!(" {text}"),
            &text.replace("ck_live_", "ck_test_"),
            &"é".repeat(23),
        ] {
            assert_eq!(KeyText::parse(other), None, "{other}");
        }
    }

    proptest! {
        #[test]
        fn one_wrong_character_is_noticed(seed: u64, place in 0..KEY_LEN, other in 0..62_usize) {
            let text = key(seed).expose().to_owned();
            let mut wrong = text.clone().into_bytes();
            wrong[place] = BASE62[other];
            let wrong = String::from_utf8(wrong).unwrap();
            prop_assert_eq!(KeyText::parse(&wrong).is_some(), wrong == text);
        }
    }
}
