//! Secrets in memory: never shown, wiped when dropped, compared in constant time.

use std::fmt;
use std::hint::black_box;

use zeroize::Zeroizing;

/// Secret text, such as a password or a key.
#[derive(Clone)]
pub struct SecretText(Zeroizing<String>);

impl SecretText {
    /// Keeps `text` as a secret.
    #[must_use]
    pub fn new(text: String) -> Self {
        Self(Zeroizing::new(text))
    }

    /// The text itself. Every use of it is one to look at in review.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl From<String> for SecretText {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

impl From<&str> for SecretText {
    fn from(text: &str) -> Self {
        Self::new(text.to_owned())
    }
}

impl PartialEq for SecretText {
    fn eq(&self, other: &Self) -> bool {
        same(self.0.as_bytes(), other.0.as_bytes())
    }
}

impl Eq for SecretText {}

impl fmt::Debug for SecretText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

/// Secret bytes, such as an encryption key.
#[derive(Clone)]
pub struct SecretBytes(Zeroizing<Vec<u8>>);

impl SecretBytes {
    /// Keeps `bytes` as a secret.
    #[must_use]
    pub fn new(bytes: Vec<u8>) -> Self {
        Self(Zeroizing::new(bytes))
    }

    /// The bytes themselves. Every use of them is one to look at in review.
    #[must_use]
    pub fn expose(&self) -> &[u8] {
        &self.0
    }
}

impl From<Vec<u8>> for SecretBytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self::new(bytes)
    }
}

impl PartialEq for SecretBytes {
    fn eq(&self, other: &Self) -> bool {
        same(&self.0, &other.0)
    }
}

impl Eq for SecretBytes {}

impl fmt::Debug for SecretBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

/// Tells whether the two byte strings are equal, in a time that depends on their lengths alone.
#[must_use]
pub fn same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut difference = 0;
    for (left, right) in a.iter().zip(b) {
        // The optimiser must not learn that one difference settles it.
        difference = black_box(difference | (left ^ right));
    }
    difference == 0
}

/// Text about a person, such as what a payment was asked for with. It is no secret to a caller
/// who may see the payment, and nothing for a log: `Debug` shows none of it.
#[derive(Clone, PartialEq, Eq)]
pub struct PersonalText(String);

impl PersonalText {
    /// Wraps what must not be logged.
    #[must_use]
    pub const fn new(text: String) -> Self {
        Self(text)
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for PersonalText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PersonalText(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_not_shown() {
        let text = SecretText::from("hunter2");
        let bytes = SecretBytes::from(vec![1, 2, 3]);
        assert_eq!(format!("{text:?} {bytes:?}"), "… …");
        assert_eq!(text.expose(), "hunter2");
        assert_eq!(bytes.expose(), [1, 2, 3]);
    }

    #[test]
    fn what_is_about_a_person_is_not_shown() {
        let text = PersonalText::new("V12345678".to_owned());
        assert_eq!(format!("{text:?}"), "PersonalText(…)");
        assert_eq!(text.as_str(), "V12345678");
    }

    #[test]
    fn equality_looks_at_every_byte() {
        assert!(same(b"", b"") && same(b"abc", b"abc"));
        for other in [&b"abd"[..], b"bbc", b"ab", b"abcd", b""] {
            assert!(!same(b"abc", other));
        }
        assert_ne!(SecretText::from("a"), SecretText::from("b"));
    }
}
