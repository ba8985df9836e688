//! The media types of answers, as their headers say them.

use http::HeaderValue;

pub(crate) const APPLICATION_JSON: HeaderValue = HeaderValue::from_static("application/json");
