//! The signature by which a receiver knows that a webhook is ours, and the headers that carry it.

use std::fmt;
use std::str::FromStr;

use data_encoding::HEXLOWER;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::ids::IdSource;
use crate::secret::SecretText;

/// How many random bytes a secret is made of.
const SECRET_LEN: usize = 32;

/// How long a word for headers may be.
const WORD_LEN_MAX: usize = 40;

/// Secret that an owner's webhooks are signed with, or a client's besides: 64 hexadecimal digits, which are the key as
/// they stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookSecret(SecretText);

impl WebhookSecret {
    /// A new secret.
    #[must_use]
    pub fn generate(source: &dyn IdSource) -> Self {
        let mut random = zeroize::Zeroizing::new([0; SECRET_LEN]);
        source.fill(&mut *random);
        Self(SecretText::new(HEXLOWER.encode(&*random)))
    }

    /// The secret that was kept as this text.
    #[must_use]
    pub const fn kept(text: SecretText) -> Self {
        Self(text)
    }

    /// Its text. Every use of it is one to look at in review.
    #[must_use]
    pub fn expose(&self) -> &str {
        self.0.expose()
    }
}

/// The value of the signature header: `sha256=` and 64 hexadecimal digits, over the timestamp in
/// seconds, a period, and the bytes of the body as they are sent.
#[must_use]
pub fn sign(secret: &WebhookSecret, seconds: i64, body: &[u8]) -> String {
    let signed = authenticated(secret, &[seconds.to_string().as_bytes(), b".", body]);
    format!("sha256={}", HEXLOWER.encode(&signed))
}

/// The authentication code of the parts, one after the other.
pub(super) fn authenticated(secret: &WebhookSecret, parts: &[&[u8]]) -> [u8; 32] {
    let mut mac = <Hmac<Sha256> as KeyInit>::new_from_slice(secret.expose().as_bytes())
        .expect("HMAC takes a key of any length");
    for part in parts {
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}

/// Text that cannot be a part of a header's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be letters and digits, with single hyphens between them, 40 at most")]
pub struct InvalidHeaderWord;

/// The word in the names of our headers: receivers of an installation under another name expect
/// their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeaderWord(String);

impl HeaderWord {
    /// Reads a word such as `Service`.
    ///
    /// # Errors
    /// [`InvalidHeaderWord`] for anything but letters, digits and single hyphens between them.
    pub fn parse(text: &str) -> Result<Self, InvalidHeaderWord> {
        let is_part =
            |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if text.len() <= WORD_LEN_MAX && text.split('-').all(is_part) {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidHeaderWord)
        }
    }

    /// The name of the header with the time in seconds.
    #[must_use]
    pub fn timestamp(&self) -> String {
        format!("X-{}-Timestamp", self.0)
    }

    /// The name of the header with the signature.
    #[must_use]
    pub fn signature(&self) -> String {
        format!("X-{}-Signature", self.0)
    }

    /// The name of the header with the signature for a client's receivers.
    #[must_use]
    pub fn client_signature(&self) -> String {
        format!("X-{}-Client-Signature", self.0)
    }

    /// The name of the header with the event's id, the same at every repeat.
    #[must_use]
    pub fn event_id(&self) -> String {
        format!("X-{}-Event-Id", self.0)
    }

    /// The name of the header that counts the attempts of an event, from 1.
    #[must_use]
    pub fn attempt(&self) -> String {
        format!("X-{}-Attempt", self.0)
    }

    /// The name of the header that says `true` where an earlier attempt may have arrived.
    #[must_use]
    pub fn may_repeat(&self) -> String {
        format!("X-{}-May-Repeat", self.0)
    }
}

impl FromStr for HeaderWord {
    type Err = InvalidHeaderWord;

    fn from_str(text: &str) -> Result<Self, InvalidHeaderWord> {
        Self::parse(text)
    }
}

impl Default for HeaderWord {
    fn default() -> Self {
        Self("Service".to_owned())
    }
}

impl fmt::Display for HeaderWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret(text: &str) -> WebhookSecret {
        WebhookSecret::kept(text.into())
    }

    /// Computed with Python's `hmac`: `hmac.new(secret.encode(), f"{t}.".encode() + body, "sha256")`.
    #[test]
    fn signatures_are_those_of_another_tool() {
        let hexadecimal = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
        for (key, seconds, body, expected) in [
            (
                hexadecimal,
                1_795_176_000,
                r#"{"payment_link_id":"link_1","status":"paid"}"#.as_bytes(),
                "9c6de9aa0c5d1cda8d9dac0a6d04547a0448c37cf974e24031da902b7dfa18c9",
            ),
            // Secrets of any length, empty bodies and any bytes.
            (
                "s",
                0,
                b"".as_slice(),
                "2572e102ebbc88d57bc0ef48471ee28bb7fc8c6e9c0558b3c8e5d276f84ac9c3",
            ),
            (
                hexadecimal,
                1_795_176_001,
                "{\"name\":\"Peña ☕\"}\n".as_bytes(),
                "e53202caf2a490e31c237dc363b08678da5aa63c9334d06f8d863aa8ffc14381",
            ),
            (
                &"k".repeat(100),
                9_999_999_999,
                &[0, 255, 128, 10, 13],
                "3ab83a5bcffcab74bb6ee750fb818ca3b3c09b8e4c7be777cc0c523c9a232f49",
            ),
        ] {
            assert_eq!(sign(&secret(key), seconds, body), format!("sha256={expected}"));
        }
    }

    #[test]
    fn a_signature_is_for_one_secret_one_instant_and_one_body() {
        let signed = sign(&secret("a"), 12, b"3.4");
        assert_ne!(sign(&secret("b"), 12, b"3.4"), signed);
        assert_ne!(sign(&secret("a"), 13, b"3.4"), signed);
        assert_ne!(sign(&secret("a"), 12, b"3.5"), signed);
    }

    #[test]
    fn a_new_secret_is_sixty_four_digits_and_not_shown() {
        struct Sevens;
        impl IdSource for Sevens {
            fn fill(&self, bytes: &mut [u8]) {
                bytes.fill(7);
            }
        }
        let made = WebhookSecret::generate(&Sevens);
        assert_eq!(made.expose(), "07".repeat(32));
        assert!(!format!("{made:?}").contains("07"));
    }

    #[test]
    fn the_word_is_part_of_the_names_of_headers() {
        let word = HeaderWord::parse("Mi-Tienda2").unwrap();
        let names = [word.timestamp(), word.signature(), word.event_id()];
        assert_eq!(
            names,
            ["X-Mi-Tienda2-Timestamp", "X-Mi-Tienda2-Signature", "X-Mi-Tienda2-Event-Id"]
        );
        assert_eq!(
            [word.attempt(), word.may_repeat()],
            ["X-Mi-Tienda2-Attempt", "X-Mi-Tienda2-May-Repeat"]
        );
        assert_eq!(word.client_signature(), "X-Mi-Tienda2-Client-Signature");
        assert_eq!(HeaderWord::default().signature(), "X-Service-Signature");
        for text in ["", "-", "a-", "-a", "a--b", "a b", "ñ", "a:", "a\n", &"a".repeat(41)] {
            assert_eq!(HeaderWord::parse(text), Err(InvalidHeaderWord), "{text:?}");
        }
    }
}
