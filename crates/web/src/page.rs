//! Answers that are pages for people: written whole by the code that makes them, errors too.

use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use domain::language::Language;
use domain::refusal::Code;
use http::header::CONTENT_TYPE;
use http::{Extensions, HeaderValue, StatusCode};

use crate::request_state::RequestState;
use crate::{Again, Failure};

const TEXT_HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");

/// The mark of an answer that the request layer leaves as it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Finished;

/// A page. The request layer adds the request's id and forbids keeping it, and changes nothing else.
#[must_use]
pub fn page(status: StatusCode, html: String) -> Response {
    let mut response = Response::new(Body::from(html));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, TEXT_HTML);
    response.extensions_mut().insert(Finished);
    response
}

/// The form that a request sends, known once its route has read it.
#[derive(Clone, Debug)]
pub struct SentForm(Option<RequestState>);

impl SentForm {
    /// The form of the request with these extensions.
    #[must_use]
    pub fn of(extensions: &Extensions) -> Self {
        Self(extensions.get::<RequestState>().cloned())
    }

    /// The form, where one was taken of somebody who has signed in.
    #[must_use]
    pub fn again(&self) -> Option<Again> {
        self.0.as_ref()?.form().cloned()
    }
}

/// Summary of a failure for its page, taken from an answer that has a reason instead of a body.
#[derive(Clone, Debug)]
pub struct Glance {
    /// The code of the failure.
    pub code: Code,
    /// How long to wait, where that is known.
    pub retry_after: Option<Duration>,
}

impl Glance {
    /// Why `response` is no success, if it is none and is not yet a page that says so.
    #[must_use]
    pub fn of(response: &Response) -> Option<Self> {
        let is_finished = response.extensions().get::<Finished>().is_some();
        if is_finished || response.status().as_u16() < 400 {
            return None;
        }
        let failure = response.extensions().get::<Failure>();
        let code = failure.cloned().unwrap_or_else(|| Failure::of_status(response.status())).code();
        Some(Self { code, retry_after: failure.and_then(Failure::retry_after) })
    }

    /// The language in which the sender of the request is answered.
    #[must_use]
    pub fn language(extensions: &Extensions) -> Language {
        extensions
            .get::<RequestState>()
            .map(|request_state| request_state.context().language)
            .unwrap_or_default()
    }
}
