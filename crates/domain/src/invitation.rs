//! Invitations: the secret at the end of a one-time address by which somebody becomes an employee.

use std::time::Duration;

use crate::ids::IdSource;
use crate::keys::{RANDOM_LEN, push_random};
use crate::secret::SecretText;
use crate::secret_hash::secret_hash;

/// How long an invitation can be accepted.
pub const INVITATION_LIFETIME: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// Prefix of the secret of every invitation, so that scanners for leaked secrets know it.
const PREFIX: &str = "iv_live_";

/// The whole text of an invitation's secret. It exists while it is handed out, and is kept nowhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvitationToken(SecretText);

impl InvitationToken {
    /// A new one from the randomness of `source`.
    #[must_use]
    pub fn generate(source: &dyn IdSource) -> Self {
        let mut text = PREFIX.to_owned();
        push_random(&mut text, source);
        Self(SecretText::new(text))
    }

    /// Parses the secret that a call shows; `None` if it does not have the form of one. Anything else is wrong, which
    /// is found without asking the store.
    #[must_use]
    pub fn parse(shown: &str) -> Option<Self> {
        let random = shown.strip_prefix(PREFIX)?;
        let is_one =
            random.len() == RANDOM_LEN && random.bytes().all(|b| b.is_ascii_alphanumeric());
        is_one.then(|| Self(SecretText::from(shown)))
    }

    /// All that a store keeps of it.
    #[must_use]
    pub fn hash(&self) -> InvitationHash {
        InvitationHash::of(&self.0)
    }

    /// The text itself, for the one answer that shows it.
    #[must_use]
    pub fn expose(&self) -> &str {
        self.0.expose()
    }
}

secret_hash! {
    /// The SHA-256 of an invitation's secret.
    InvitationHash
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
    fn an_invitation_is_known_by_its_hash_alone_and_not_shown_by_accident() {
        let (one, other) =
            (InvitationToken::generate(&Fixed(1)), InvitationToken::generate(&Fixed(2)));
        assert_eq!(one.expose(), format!("iv_live_{}", "1".repeat(32)));
        assert_eq!(InvitationToken::parse(one.expose()), Some(one.clone()));
        assert_ne!(one.hash(), other.hash());
        assert_eq!(InvitationHash::from_bytes(one.hash().to_bytes()), one.hash());
        assert_eq!(format!("{one:?} {:?}", one.hash()), "InvitationToken(…) InvitationHash(…)");
    }

    #[test]
    fn what_has_not_the_form_is_no_invitation() {
        let text = format!("iv_live_{}", "aZ09".repeat(8));
        assert_eq!(InvitationToken::parse(&text).unwrap().expose(), text);
        for wrong in [
            "",
            "iv_live_",
            &format!("iv_live_{}", "a".repeat(31)),
            &format!("{text}0"),
            &text.replace("iv_", "ps_"),
            &text.replace('Z', "-"),
        ] {
            assert!(InvitationToken::parse(wrong).is_none(), "{wrong}");
        }
    }
}
