//! The id of a request: its caller's own if that is a sane token, else one made here.

use domain::ids::{IdSource, RequestId};
use domain::time::Timestamp;
use http::{HeaderMap, HeaderName};

/// Header in which the id is read and written.
pub const HEADER: HeaderName = HeaderName::from_static("x-request-id");

/// The longest id that is taken over from a caller.
const LEN_MAX: usize = 64;

/// The caller's id, or a new one.
pub(crate) fn of(headers: &HeaderMap, ids: &dyn IdSource, now: Timestamp) -> String {
    given(headers).map_or_else(|| RequestId::new(ids, now).to_string(), str::to_owned)
}

/// The caller's id, if it can stand in a log line and a header as it is.
fn given(headers: &HeaderMap) -> Option<&str> {
    let text = headers.get(HEADER)?.to_str().ok()?;
    let sane = (1..=LEN_MAX).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
    sane.then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sane_token_is_kept_and_anything_else_is_not() {
        let long = "x".repeat(LEN_MAX);
        let longer = "x".repeat(LEN_MAX + 1);
        for (text, kept) in [
            ("req_01-A", true),
            (long.as_str(), true),
            (longer.as_str(), false),
            ("", false),
            ("a b", false),
            ("a\"b", false),
            ("a\tb", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(HEADER, text.parse().unwrap());
            assert_eq!(given(&headers), kept.then_some(text));
        }
        assert_eq!(given(&HeaderMap::new()), None);
    }
}
