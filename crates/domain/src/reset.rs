//! Resets of a password: the secret at the end of a link that a person gets by mail.
//!
//! What it is made of is said in [`crate::person_link`].

use std::fmt;
use std::time::Duration;

use crate::ids::{ActorId, IdSource, OwnerId};
use crate::person_link::PersonLink;

/// How long a link sets a password.
pub const RESET_LIFETIME: Duration = Duration::from_secs(60 * 60);

/// How many links one person gets within [`RESET_LIFETIME`]: further requests send no mail, and no answer says so.
pub const RESETS_MAX: i64 = 3;

/// Prefix of the secret of every reset, so that scanners for leaked secrets know it.
const PREFIX: &str = "rs_live_";

/// The whole text of a reset's secret. It exists while it is on its way, and is kept nowhere in the clear.
#[derive(Clone, PartialEq, Eq)]
pub struct ResetToken(PersonLink);

impl ResetToken {
    /// A new one for a person of that owner, from the randomness of `source`.
    #[must_use]
    pub fn generate(source: &dyn IdSource, owner: OwnerId, person: ActorId) -> Self {
        Self(PersonLink::generate(PREFIX, source, (owner, person)))
    }

    /// Parses the secret that a call shows; `None` if it does not have the form of one.
    #[must_use]
    pub fn parse(shown: &str) -> Option<Self> {
        PersonLink::parse(PREFIX, shown).map(Self)
    }

    /// Returns the owner that the person works for.
    #[must_use]
    pub const fn owner(&self) -> OwnerId {
        self.0.owner
    }

    /// Returns the person whose password it sets: an employee or the owner.
    #[must_use]
    pub const fn person(&self) -> ActorId {
        self.0.person
    }

    /// All that a store keeps of it.
    #[must_use]
    pub fn hash(&self) -> [u8; 32] {
        self.0.hash()
    }

    /// The text itself, for the mail that carries it.
    #[must_use]
    pub fn expose(&self) -> &str {
        self.0.text.expose()
    }
}

impl fmt::Debug for ResetToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ResetToken(…)")
    }
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

    fn token(random: u8) -> ResetToken {
        let (owner, person) = (OwnerId::from_bytes([1; 16]), ActorId::from_bytes([2; 16]));
        ResetToken::generate(&Fixed(random), owner, person)
    }

    #[test]
    fn a_token_reads_back_with_whose_it_is_and_is_not_shown_by_accident() {
        let one = token(1);
        let read = ResetToken::parse(one.expose()).unwrap();
        assert_eq!(read, one);
        assert_eq!((read.owner(), read.person()), (one.owner(), one.person()));
        assert_eq!(read.hash(), one.hash());
        assert_ne!(one.hash(), token(2).hash());
        assert_eq!(format!("{one:?}"), "ResetToken(…)");
    }

    #[test]
    fn what_has_not_the_form_is_no_token() {
        let text = token(1).expose().to_owned();
        let mut shorter = text.clone();
        shorter.pop();
        let mut shorter_by_two = shorter.clone();
        shorter_by_two.pop();
        for wrong in [
            "",
            "rs_live_",
            text.trim_start_matches('r'),
            &shorter,
            &format!("{text}0"),
            &text.replace("rs_", "iv_"),
            &format!("{shorter}-"),
            &format!("{shorter_by_two}ñ"),
            &text.replacen("rs_live_0", "rs_live_u", 1),
        ] {
            assert!(ResetToken::parse(wrong).is_none(), "{wrong}");
        }
    }
}
