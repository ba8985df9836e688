//! The `Idempotency-Key` of a request.

use app::{Act, Slot};
use axum::extract::FromRequestParts;
use domain::access::Guarded;
use domain::ids::ClientId;
use domain::refusal::Refusal;
use http::request::Parts;
use http::{HeaderMap, HeaderName};
use sha2::{Digest, Sha256};

use crate::Failure;

const NAME: &str = "Idempotency-Key";
const HEADER: HeaderName = HeaderName::from_static("idempotency-key");

/// The longest key, without its quotes.
const LEN_MAX: usize = 255;

/// The `Idempotency-Key` of a request, if it has one.
#[derive(Clone, Debug)]
pub struct IdempotencyKey(Option<Given>);

#[derive(Clone, Debug)]
struct Given {
    key: Vec<u8>,
    path: String,
}

impl IdempotencyKey {
    /// Returns the place where the answer of this act is kept, if its request has a key. The key stands for the path,
    /// the body and the caller's client: with another of these it is another request.
    #[must_use]
    pub fn slot<O: Guarded>(&self, act: &Act<O>, body: &[u8]) -> Option<Slot> {
        let Given { key, path } = self.0.as_ref()?;
        let mut sent = Sha256::new();
        sent.update((path.len() as u64).to_be_bytes());
        sent.update(path);
        // What a key was answered for one client is not for another.
        sent.update(act.caller().client().map_or([0; 16], ClientId::to_bytes));
        sent.update(body);
        Some(Slot {
            caller: act.actor().to_bytes(),
            operation: O::NAME,
            key_hash: Sha256::digest(key).into(),
            body_hash: sent.finalize().into(),
        })
    }
}

impl<S: Send + Sync> FromRequestParts<S> for IdempotencyKey {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Failure> {
        let key = key(&parts.headers)?;
        Ok(Self(key.map(|key| Given { key, path: parts.uri.path().to_owned() })))
    }
}

/// The key, without the quotes that the standard asks for and most callers leave out.
fn key(headers: &HeaderMap) -> Result<Option<Vec<u8>>, Refusal> {
    let mut lines = headers.get_all(HEADER).iter();
    let Some(line) = lines.next() else { return Ok(None) };
    if lines.next().is_some() {
        return Err(wrong(("debe venir una sola vez", "must be there once")));
    }
    let line = line.as_bytes().trim_ascii();
    let key = match line {
        [b'"', inner @ .., b'"'] => unescaped(inner),
        bare => bare.to_vec(),
    };
    if (1..=LEN_MAX).contains(&key.len()) {
        Ok(Some(key))
    } else {
        Err(wrong(("debe tener de 1 a 255 caracteres", "must have 1 to 255 characters")))
    }
}

/// Takes away the backslashes before quotes and backslashes.
fn unescaped(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.iter();
    while let Some(byte) = rest.next() {
        let literal = if *byte == b'\\' { rest.next().unwrap_or(byte) } else { byte };
        bytes.push(*literal);
    }
    bytes
}

fn wrong(problem: (&'static str, &'static str)) -> Refusal {
    Refusal::invalid(NAME, problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(lines: &[&str]) -> Result<Option<Vec<u8>>, Refusal> {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(HEADER, line.parse().unwrap());
        }
        key(&headers)
    }

    #[test]
    fn quoted_and_bare_keys_are_the_same() {
        assert_eq!(keys(&[]), Ok(None));
        assert_eq!(keys(&["abc"]), Ok(Some(b"abc".to_vec())));
        assert_eq!(keys(&["\"abc\""]), Ok(Some(b"abc".to_vec())));
        assert_eq!(keys(&[r#" "a\"b\\c" "#]), Ok(Some(br#"a"b\c"#.to_vec())));
    }

    #[test]
    fn length_is_counted_without_quotes() {
        let long = "x".repeat(LEN_MAX);
        assert!(keys(&[&format!("\"{long}\"")]).is_ok());
        assert!(keys(&[&format!("{long}x")]).is_err());
        for lines in [&["a", "a"][..], &[""], &["\"\""]] {
            assert!(keys(lines).is_err(), "{lines:?}");
        }
    }
}
