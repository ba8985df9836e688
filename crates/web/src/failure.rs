//! An answer that is not the one asked for, and its body.
//!
//! A handler only says what went wrong. The body is written at the request layer, where language and request
//! id are known.

use std::error::Error as StdError;
use std::sync::Arc;
use std::time::Duration;

use app::Error;
use axum::body::Body;
use axum::response::{IntoResponse, Response};
use domain::language::Language;
use domain::refusal::{Code, Detail, Fact, IssuedThing, Refusal};
use http::header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::media_types::APPLICATION_JSON;
use crate::rate_limit::{Left, Policy, TooMany};

const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// After how long a 503 that does not know better asks to be tried again.
const RETRY_S: u64 = 5;

/// Why a request has no other answer.
#[derive(Clone, Debug)]
pub struct Failure(Arc<Reason>);

#[derive(Debug)]
enum Reason {
    /// The rules say no.
    Refused(Refusal),
    /// One address tries too often.
    TooMany(TooMany),
    /// The use case said no, or failed.
    Failed(Error),
}

impl Failure {
    pub(crate) fn outside_the_request_layer() -> Self {
        Self::internal("a handler runs outside the request layer")
    }

    /// A failure that nobody but a programmer can do anything about.
    pub fn internal(error: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Error::Internal(error.into()).into()
    }

    /// Makes the failure that stands for an answer which came from elsewhere than a handler of ours.
    pub(crate) fn of_status(status: StatusCode) -> Self {
        match status {
            StatusCode::NOT_FOUND => Refusal::RouteNotFound.into(),
            StatusCode::METHOD_NOT_ALLOWED => Refusal::MethodNotSupported.into(),
            StatusCode::PAYLOAD_TOO_LARGE => Refusal::PayloadTooLarge.into(),
            StatusCode::UNSUPPORTED_MEDIA_TYPE => Refusal::UnsupportedMediaType.into(),
            status if status.is_client_error() => Refusal::BadRequest(Vec::new()).into(),
            status => Self::internal(format!("an answer of {status} without a reason")),
        }
    }

    /// The rule that says no, if it is one.
    #[must_use]
    pub fn refusal(&self) -> Option<&Refusal> {
        match &*self.0 {
            Reason::Refused(refusal) | Reason::Failed(Error::Refused(refusal)) => Some(refusal),
            Reason::TooMany(_) | Reason::Failed(_) => None,
        }
    }

    /// The code that callers decide by.
    pub(crate) fn code(&self) -> Code {
        match &*self.0 {
            Reason::Refused(refusal) | Reason::Failed(Error::Refused(refusal)) => refusal.code(),
            Reason::TooMany(_) => Code::RequestLimitReached,
            Reason::Failed(Error::Unavailable(_)) => Code::ServiceUnavailable,
            Reason::Failed(Error::Internal(_)) => Code::InternalServerError,
        }
    }

    /// Returns the text that people read about the failure. A fault shows nothing but its code.
    #[must_use]
    pub fn message(&self, language: Language) -> String {
        match &*self.0 {
            Reason::Refused(refusal) | Reason::Failed(Error::Refused(refusal)) => {
                refusal.message(language)
            }
            Reason::TooMany(_) | Reason::Failed(_) => self.code().meaning(language).to_owned(),
        }
    }

    /// How long to wait before the same request can do better, where that is known.
    pub(crate) fn retry_after(&self) -> Option<Duration> {
        match &*self.0 {
            Reason::Refused(refusal) | Reason::Failed(Error::Refused(refusal)) => {
                refusal.retry_after()
            }
            Reason::TooMany(too_many) => Some(Duration::from_secs(too_many.retry_after_s)),
            Reason::Failed(_) => None,
        }
    }

    /// Writes what the caller gets. A fault shows nothing but its code.
    pub(crate) fn render(&self, language: Language, request_id: &str) -> Response {
        let code = self.code();
        let refusal = match &*self.0 {
            Reason::Refused(refusal) | Reason::Failed(Error::Refused(refusal)) => refusal.clone(),
            Reason::TooMany(too_many) => {
                let retry_after = Duration::from_secs(too_many.retry_after_s);
                Refusal::TooManyRequests { retry_after }
            }
            Reason::Failed(Error::Unavailable(error)) if error.is_full() => Refusal::NoRoom,
            Reason::Failed(Error::Unavailable(_)) => Refusal::ServiceUnavailable,
            Reason::Failed(Error::Internal(_)) => {
                let message = code.meaning(language).to_owned();
                return respond(code, &ErrorBody::new(message, code, request_id));
            }
        };
        let body = ErrorBody {
            details: refusal
                .details()
                .iter()
                .map(|detail| WireDetail::of(detail, language))
                .collect(),
            facts: Facts(refusal.facts()),
            ..ErrorBody::new(refusal.message(language), code, request_id)
        };
        let mut response = respond(code, &body);
        add_headers(response.headers_mut(), &refusal);
        if let Reason::TooMany(too_many) = &*self.0 {
            add_policy(response.headers_mut(), too_many.policy, 0, too_many.full_after_s);
        }
        response
    }

    /// Writes a fault to the log, with everything beneath it. Refusals are no faults.
    pub(crate) fn log(&self, request_id: &str) {
        match &*self.0 {
            Reason::Failed(error @ Error::Unavailable(_)) => {
                tracing::warn!(request_id, cause = chain(error), "store unavailable");
            }
            Reason::Failed(error @ Error::Internal(_)) => {
                tracing::error!(request_id, cause = chain(error), "a request failed");
            }
            Reason::Failed(Error::Refused(_)) | Reason::Refused(_) | Reason::TooMany(_) => {}
        }
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self(Arc::new(Reason::Refused(refusal)))
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self(Arc::new(Reason::Failed(error)))
    }
}

impl From<TooMany> for Failure {
    fn from(too_many: TooMany) -> Self {
        Self(Arc::new(Reason::TooMany(too_many)))
    }
}

impl IntoResponse for Failure {
    /// An answer that the request layer knows the reason of, and fills.
    fn into_response(self) -> Response {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = status(self.code());
        response.extensions_mut().insert(self);
        response
    }
}

#[derive(Serialize)]
struct ErrorBody<'a> {
    message: String,
    error: &'static str,
    request_id: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    details: Vec<WireDetail<'a>>,
    #[serde(skip_serializing_if = "Facts::is_empty")]
    facts: Facts,
}

impl<'a> ErrorBody<'a> {
    fn new(message: String, code: Code, request_id: &'a str) -> Self {
        let facts = Facts(Vec::new());
        Self { message, error: code.as_str(), request_id, details: Vec::new(), facts }
    }
}

#[derive(Serialize)]
struct WireDetail<'a> {
    field: &'a str,
    problem: &'a str,
}

impl<'a> WireDetail<'a> {
    fn of(detail: &'a Detail, language: Language) -> Self {
        Self { field: &detail.field, problem: detail.problem.text(language) }
    }
}

/// Key or person that a refusal names.
#[derive(Serialize)]
struct WireIssued<'a> {
    kind: &'static str,
    id: &'a str,
    name: &'a str,
}

impl<'a> WireIssued<'a> {
    fn of(issued: &'a IssuedThing) -> Self {
        Self { kind: issued.kind, id: &issued.id, name: &issued.name }
    }
}

/// Facts as one object.
struct Facts(Vec<(&'static str, Fact)>);

impl Facts {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for Facts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, fact) in &self.0 {
            match fact {
                Fact::Int(number) => map.serialize_entry(name, number)?,
                Fact::Bool(is_so) => map.serialize_entry(name, is_so)?,
                Fact::Amount(amount) => map.serialize_entry(name, &amount.to_number())?,
                Fact::Text(text) | Fact::Id(text) => map.serialize_entry(name, text)?,
                Fact::Time(instant) => map.serialize_entry(name, &instant.to_string())?,
                Fact::Issued(issued) => {
                    let issued: Vec<_> = issued.iter().map(WireIssued::of).collect();
                    map.serialize_entry(name, &issued)?;
                }
            }
        }
        map.end()
    }
}

fn respond(code: Code, body: &ErrorBody<'_>) -> Response {
    // Text, numbers and lists of them: writing them as JSON cannot fail.
    let bytes = serde_json::to_vec(body).unwrap_or_default();
    let mut response = Response::new(Body::from(bytes));
    *response.status_mut() = status(code);
    response.headers_mut().insert(CONTENT_TYPE, APPLICATION_JSON);
    response
}

fn add_headers(headers: &mut HeaderMap, refusal: &Refusal) {
    if refusal.status() == 401 {
        headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    let wait = refusal.retry_after().map(|wait| wait.as_millis().div_ceil(1_000));
    let wait = wait.or((refusal.status() == 503).then_some(u128::from(RETRY_S)));
    if let Some(seconds) = wait {
        headers.insert(RETRY_AFTER, number(u64::try_from(seconds).unwrap_or(RETRY_S)));
    }
}

/// Says what is left of a limit, unless the answer says already that another one is spent.
pub(crate) fn add_left(headers: &mut HeaderMap, left: &Left) {
    if !headers.contains_key(RATE_LIMIT) {
        add_policy(headers, left.policy, left.remaining, left.full_after_s);
    }
}

/// Says what the limit is, what remains of it and when all of it is there again.
fn add_policy(headers: &mut HeaderMap, policy: Policy, remaining: u32, full_after_s: u64) {
    let Policy { name, limit, window } = policy;
    let window_s = window.as_secs();
    headers.insert(RATE_LIMIT_POLICY, text(&format!("\"{name}\";q={limit};w={window_s}")));
    headers.insert(RATE_LIMIT, text(&format!("\"{name}\";r={remaining};t={full_after_s}")));
}

fn number(number: u64) -> HeaderValue {
    HeaderValue::from(number)
}

/// Digits and punctuation, which are always a header's value.
fn text(text: &str) -> HeaderValue {
    HeaderValue::from_str(text).unwrap_or(HeaderValue::from_static(""))
}

fn status(code: Code) -> StatusCode {
    StatusCode::from_u16(code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

/// An error and everything beneath it, in one line.
fn chain(error: &dyn StdError) -> String {
    let mut text = error.to_string();
    let mut beneath = error.source();
    while let Some(error) = beneath {
        text.push_str(": ");
        text.push_str(&error.to_string());
        beneath = error.source();
    }
    text
}

#[cfg(test)]
#[path = "failure/tests.rs"]
mod tests;
