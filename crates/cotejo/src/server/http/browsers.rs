//! What browsers are to keep to, whichever answer they get. Pages say more, and theirs wins.

use axum::http::header::{
    CONTENT_SECURITY_POLICY, REFERRER_POLICY, STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS,
    X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue};

const NO_CONTENT: HeaderValue =
    HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'");
const DENY: HeaderValue = HeaderValue::from_static("DENY");
const NO_SNIFF: HeaderValue = HeaderValue::from_static("nosniff");
const NO_REFERRER: HeaderValue = HeaderValue::from_static("no-referrer");

/// A year. Other names of the same domain are not ours to speak for.
const A_YEAR: HeaderValue = HeaderValue::from_static("max-age=31536000");

/// Headers that are added to every answer.
#[derive(Clone, Copy, Debug)]
pub(in crate::server) struct Browsers {
    /// Payers come by https, and never by anything else.
    is_secure: bool,
}

impl Browsers {
    /// For a service that payers reach at that address.
    pub(in crate::server) fn of(base_url: &str) -> Self {
        let scheme = base_url.split_once("://").map(|(scheme, _)| scheme);
        Self { is_secure: scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case("https")) }
    }

    /// Adds what the answer does not say by itself.
    pub(in crate::server) fn dress(self, headers: &mut HeaderMap) {
        for (name, value) in [
            (CONTENT_SECURITY_POLICY, NO_CONTENT),
            (X_FRAME_OPTIONS, DENY),
            (X_CONTENT_TYPE_OPTIONS, NO_SNIFF),
            (REFERRER_POLICY, NO_REFERRER),
        ] {
            headers.entry(name).or_insert(value);
        }
        if self.is_secure {
            headers.insert(STRICT_TRANSPORT_SECURITY, A_YEAR);
        }
    }
}
