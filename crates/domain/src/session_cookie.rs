//! The secret by which a browser's session is known: the value of the dashboard's cookie.

use sha2::{Digest, Sha256};

use crate::ids::{IdSource, OwnerId, SessionId};
use crate::keys::{RANDOM_LEN, push_random};
use crate::secret::SecretText;
use crate::secret_hash::secret_hash;

/// The longest text that is looked at as one; what is made here is shorter.
const LEN_MAX: usize = 160;

/// The whole text of a cookie: whose session, which one, and its secret. The ids only lead to the row, which decides.
#[derive(Clone, Debug)]
pub struct SessionCookie {
    /// Whose session it says that it is.
    pub owner: OwnerId,
    /// The session.
    pub session: SessionId,
    text: SecretText,
}

impl SessionCookie {
    /// A new one for that session from the randomness of `source`.
    #[must_use]
    pub fn generate(owner: OwnerId, session: SessionId, source: &dyn IdSource) -> Self {
        let mut text = format!("{owner}.{session}.");
        push_random(&mut text, source);
        Self { owner, session, text: SecretText::new(text) }
    }

    /// Parses the cookie that a browser shows; `None` if it does not have the form of one.
    #[must_use]
    pub fn parse(shown: &str) -> Option<Self> {
        if shown.len() > LEN_MAX {
            return None;
        }
        let mut parts = shown.split('.');
        let (owner, session, random) = (parts.next()?, parts.next()?, parts.next()?);
        let is_random =
            random.len() == RANDOM_LEN && random.bytes().all(|b| b.is_ascii_alphanumeric());
        if !is_random || parts.next().is_some() {
            return None;
        }
        let (owner, session) = (owner.parse().ok()?, session.parse().ok()?);
        Some(Self { owner, session, text: SecretText::from(shown) })
    }

    /// All that a store keeps of it.
    #[must_use]
    pub fn hash(&self) -> CookieHash {
        CookieHash::of(&self.text)
    }

    /// Returns the token that the forms of its session carry besides, so that no other site's page can send one. Nobody
    /// without the cookie can compute it, and the cookie cannot be computed from it.
    #[must_use]
    pub fn form_token(&self) -> FormToken {
        let hash = Sha256::new().chain_update("form:").chain_update(self.text.expose()).finalize();
        FormToken(SecretText::new(data_encoding::HEXLOWER.encode(&hash)))
    }

    /// The text itself, for the one header that sets it.
    #[must_use]
    pub fn expose(&self) -> &str {
        self.text.expose()
    }
}

/// Token that a form carries of its session.
#[derive(Clone, Debug)]
pub struct FormToken(SecretText);

impl FormToken {
    /// Tells whether `shown` is this token. Compared in constant time.
    #[must_use]
    pub fn is(&self, shown: &SecretText) -> bool {
        self.0 == *shown
    }

    /// The text itself, for the form.
    #[must_use]
    pub fn expose(&self) -> &str {
        self.0.expose()
    }
}

secret_hash! {
    /// The SHA-256 of a cookie.
    CookieHash
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

    fn cookie(byte: u8) -> SessionCookie {
        let (owner, session) = (OwnerId::from_bytes([1; 16]), SessionId::from_bytes([2; 16]));
        SessionCookie::generate(owner, session, &Fixed(byte))
    }

    #[test]
    fn what_was_made_is_read_again() {
        let made = cookie(7);
        let read = SessionCookie::parse(made.expose()).unwrap();
        assert_eq!((read.owner, read.session), (made.owner, made.session));
        assert!(read.hash() == made.hash() && made.hash() != cookie(8).hash());
        assert!(made.form_token().is(&SecretText::from(read.form_token().expose())));
        assert!(!made.form_token().is(&SecretText::from(cookie(8).form_token().expose())));
        assert!(made.expose().len() <= LEN_MAX);
    }

    #[test]
    fn anything_else_is_none() {
        let text = cookie(7).expose().to_owned();
        let long = format!("{text}{}", "a".repeat(200));
        let swapped = text.replacen("own_", "ses_", 1);
        for other in
            ["", "..", "a.b.c", text.trim_start_matches('o'), &format!("{text}."), &long, &swapped]
        {
            assert!(SessionCookie::parse(other).is_none(), "{other}");
        }
    }

    #[test]
    fn nothing_shows_the_secret() {
        let shown = format!("{:?} {:?} {:?}", cookie(7), cookie(7).hash(), cookie(7).form_token());
        assert!(!shown.contains("7777") && !shown.contains(cookie(7).form_token().expose()));
    }
}
