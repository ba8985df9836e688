//! The secret at the end of a link that one person gets by mail, of whichever kind.
//!
//! It names the owner and the person, so that nothing else has to lead to its row. What opens is its random part, of
//! which a hash is kept.

use sha2::{Digest, Sha256};

use crate::ids::{ActorId, IdSource, OwnerId};
use crate::keys::{RANDOM_LEN, push_random};
use crate::public_address::{ID_LEN, digits};
use crate::secret::SecretText;

/// The whole text of such a secret. It exists while it is on its way, and is kept nowhere in the clear.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct PersonLink {
    pub(crate) owner: OwnerId,
    pub(crate) person: ActorId,
    pub(crate) text: SecretText,
}

impl PersonLink {
    /// A new one, which begins with `prefix`, so that scanners for leaked secrets know it.
    pub(crate) fn generate(
        prefix: &str,
        source: &dyn IdSource,
        (owner, person): (OwnerId, ActorId),
    ) -> Self {
        let mut text = format!("{prefix}{}{}", digits(&owner), digits(&person));
        push_random(&mut text, source);
        Self { owner, person, text: SecretText::new(text) }
    }

    /// Parses the secret that a call shows; `None` if it does not have the form of one. Anything else is wrong, which
    /// is found without asking the store.
    pub(crate) fn parse(prefix: &str, shown: &str) -> Option<Self> {
        let rest = shown.strip_prefix(prefix)?;
        if !rest.is_ascii() || rest.len() != 2 * ID_LEN + RANDOM_LEN {
            return None;
        }
        let (owner, rest) = rest.split_at(ID_LEN);
        let (person, random) = rest.split_at(ID_LEN);
        let is_one = random.bytes().all(|b| b.is_ascii_alphanumeric());
        let owner = format!("own_{owner}").parse().ok()?;
        let person = format!("act_{person}").parse().ok()?;
        is_one.then(|| Self { owner, person, text: SecretText::from(shown) })
    }

    /// All that a store keeps of it.
    pub(crate) fn hash(&self) -> [u8; 32] {
        Sha256::digest(self.text.expose()).into()
    }
}
