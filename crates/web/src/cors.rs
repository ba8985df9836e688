//! Browsers may call from anywhere, with a key and without cookies.

use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE,
};
use http::{HeaderMap, HeaderValue};

const ANY_ORIGIN: HeaderValue = HeaderValue::from_static("*");
const REQUEST_HEADERS: HeaderValue =
    HeaderValue::from_static("appKey, authorization, content-type, idempotency-key");
const METHODS: HeaderValue = HeaderValue::from_static("GET, POST, PUT, PATCH, DELETE");
const ANSWER_HEADERS: HeaderValue =
    HeaderValue::from_static("Retry-After, RateLimit, RateLimit-Policy, X-Request-Id");
const A_DAY_S: HeaderValue = HeaderValue::from_static("86400");

/// Adds the headers that every answer has.
pub(crate) fn allow(headers: &mut HeaderMap) {
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, ANY_ORIGIN);
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, ANSWER_HEADERS);
}

/// Adds the headers that the answer to a browser's preflight request has besides.
pub(crate) fn allow_request(headers: &mut HeaderMap) {
    headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, REQUEST_HEADERS);
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, METHODS);
    headers.insert(ACCESS_CONTROL_MAX_AGE, A_DAY_S);
}
