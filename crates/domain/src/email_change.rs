//! Changes of the address that somebody signs in with: the secret at the end of the link that the new address gets.

use std::fmt;
use std::time::Duration;

use crate::ids::{ActorId, IdSource, OwnerId};
use crate::person_link::PersonLink;

/// How long a link is good.
pub const CHANGE_LIFETIME: Duration = Duration::from_secs(24 * 60 * 60);

/// How many such links the people of an owner get in a day: nobody sends mail to strangers by them.
pub const CHANGES_A_DAY: i64 = 20;

/// Prefix of the secret of every e-mail change, so that scanners for leaked secrets know it.
const PREFIX: &str = "ec_live_";

/// The whole text of the secret of a change. It exists while it is on its way, and is kept nowhere in the clear.
#[derive(Clone, PartialEq, Eq)]
pub struct EmailChangeToken(PersonLink);

impl EmailChangeToken {
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

    /// Returns the person whose address it changes: an employee or the owner.
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

impl fmt::Debug for EmailChangeToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EmailChangeToken(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Ones;

    impl IdSource for Ones {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(1);
        }
    }

    #[test]
    fn a_token_reads_back_and_is_none_of_another_kind_nor_shown_by_accident() {
        let whose = (OwnerId::from_bytes([1; 16]), ActorId::from_bytes([2; 16]));
        let token = EmailChangeToken::generate(&Ones, whose.0, whose.1);
        let read = EmailChangeToken::parse(token.expose()).unwrap();
        assert_eq!((read.owner(), read.person(), read.hash()), (whose.0, whose.1, token.hash()));
        assert!(crate::reset::ResetToken::parse(token.expose()).is_none());
        assert_eq!(format!("{token:?}"), "EmailChangeToken(…)");
    }
}
