//! The secret that a bank shows when it reports payments by itself: made, hashed and compared.

use crate::ids::IdSource;
use crate::keys::{RANDOM_LEN, push_random};
use crate::secret::SecretText;
use crate::secret_hash::secret_hash;

/// Prefix of every push secret, so that scanners for leaked secrets know it. It is not a key's: neither is ever taken
/// for the other.
const PREFIX: &str = "ps_live_";

/// The whole text of a push secret. It exists while it is handed out, and is kept nowhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PushSecret(SecretText);

impl PushSecret {
    /// A new secret from the randomness of `source`.
    #[must_use]
    pub fn generate(source: &dyn IdSource) -> Self {
        let mut text = PREFIX.to_owned();
        push_random(&mut text, source);
        Self(SecretText::new(text))
    }

    /// The secret that a call shows, if it has the form of one: whatever else is shown is wrong, which is
    /// found without asking the store.
    #[must_use]
    pub fn parse(shown: SecretText) -> Option<Self> {
        let random = shown.expose().strip_prefix(PREFIX)?;
        let is_one =
            random.len() == RANDOM_LEN && random.bytes().all(|b| b.is_ascii_alphanumeric());
        is_one.then_some(Self(shown))
    }

    /// All that a store keeps of it.
    #[must_use]
    pub fn hash(&self) -> PushSecretHash {
        PushSecretHash::of(&self.0)
    }

    /// The text itself, for the one answer that shows it.
    #[must_use]
    pub fn expose(&self) -> &str {
        self.0.expose()
    }
}

secret_hash! {
    /// The SHA-256 of a push secret.
    PushSecretHash
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fixed(u8);

    impl IdSource for Fixed {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(self.0);
        }
    }

    #[test]
    fn a_push_secret_is_known_by_its_hash_alone_and_not_shown_by_accident() {
        let (one, other) = (PushSecret::generate(&Fixed(1)), PushSecret::generate(&Fixed(2)));
        assert_eq!(one.expose(), format!("ps_live_{}", "1".repeat(32)));
        assert_eq!(one.hash(), PushSecretHash::of(&SecretText::from(one.expose())));
        assert_ne!(one.hash(), other.hash());
        assert_eq!(PushSecretHash::from_bytes(one.hash().to_bytes()), one.hash());
        assert_eq!(format!("{one:?} {:?}", one.hash()), "PushSecret(…) PushSecretHash(…)");
    }

    #[test]
    fn what_has_not_the_form_is_no_secret() {
        let parse = |text: &str| PushSecret::parse(SecretText::from(text));
        let text = format!("ps_live_{}", "aZ09".repeat(8));
        assert_eq!(parse(&text).unwrap().expose(), text);
        let short = format!("ps_live_{}", "a".repeat(31));
        for wrong in ["", "ps_live_", "ps_live_wrong", &short, &format!("{text}0")] {
            assert!(parse(wrong).is_none(), "{wrong}");
        }
        for wrong in ["ck_live_", "PS_LIVE_"] {
            assert!(parse(&text.replace("ps_live_", wrong)).is_none(), "{wrong}");
        }
        assert!(parse(&text.replace('Z', "-")).is_none());
        assert!(parse(&format!("ps_live_{}", "ñ".repeat(16))).is_none());
    }
}
