//! Tokens that a bank gives for a while, and the place where a connector keeps the one of an account.
//!
//! A connector asks by the token that is kept, and says how one is obtained where none is. Who keeps it, sealed, and
//! who obtains the next one while others wait, is no connector's business.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use domain::secret::SecretText;
use domain::time::Timestamp;
use domain::verification::Failure;

/// A token as the bank has just given it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssuedToken {
    /// The token, and whatever must be kept with it, in a form that is the connector's own.
    pub secret: SecretText,
    /// When it ends, where the bank says so. It is not used to the last moment.
    pub expires_at: Option<Timestamp>,
}

/// A token to ask by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    secret: SecretText,
    generation: i64,
}

impl Token {
    /// The token of that generation, which no other token of the account's credentials has.
    #[must_use]
    pub const fn new(secret: SecretText, generation: i64) -> Self {
        Self { secret, generation }
    }

    /// Returns the secret that the connector has issued.
    #[must_use]
    pub const fn secret(&self) -> &SecretText {
        &self.secret
    }

    /// Which of the account's tokens it is.
    #[must_use]
    pub const fn generation(&self) -> i64 {
        self.generation
    }
}

/// Obtains a token from the bank. Nothing is done before it is first polled. It may outlive the question that brought
/// it, since others wait for the same token, and is dropped once nobody waits any more.
pub type Obtaining = Pin<Box<dyn Future<Output = Result<IssuedToken, Failure>> + Send>>;

/// Future of [`Tokens::current`] and [`Tokens::renew`].
pub type Getting<'a> = Pin<Box<dyn Future<Output = Result<Token, Failure>> + Send + 'a>>;

/// Place where the token of one account is kept, for one question.
///
/// However many ask, in a single flight one of them obtains it and all get the result. A failure is that of the
/// flight: it goes to all who wait and is not kept.
pub trait Tokens: fmt::Debug + Send + Sync {
    /// The token of the account; where none is kept, or it is about to end, the one that `obtain` brings.
    ///
    /// # Errors
    /// Why the bank gave none; [`Failure::Unavailable`] also where the account's credentials were changed since the
    /// question was asked, or the store failed.
    fn current(&self, obtain: Obtaining) -> Getting<'_>;

    /// The token that came after `stale`, of which the bank says that it is not valid any more; where none did, the one
    /// that `obtain` brings. A connector renews once for a question: a bank that refuses the next token, too, refuses
    /// the credentials.
    ///
    /// # Errors
    /// As [`Tokens::current`]. What was stale stays forgotten.
    fn renew(&self, stale: &Token, obtain: Obtaining) -> Getting<'_>;

    /// The same place, for work that may outlive the question, such as a scan that others wait for.
    fn share(&self) -> Arc<dyn Tokens>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_not_shown() {
        let secret = SecretText::from("made-up-token");
        let token = Token::new(secret.clone(), 7);
        let issued = IssuedToken { secret, expires_at: Some(Timestamp::from_micros(0)) };
        let shown = format!("{token:?} {issued:?}");
        assert!(shown.contains('7') && !shown.contains("made-up-token"), "{shown}");
    }
}
