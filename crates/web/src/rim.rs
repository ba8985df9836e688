//! What goes around every route: the request's id, its language, its limits of trust, the body of
//! an error, panics, CORS, and the line in the log.

use std::any::Any;
use std::panic::AssertUnwindSafe;

use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::Response;
use futures_util::FutureExt;
use http::header::{CACHE_CONTROL, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE};
use http::{HeaderValue, Method};

use crate::access_log::Pending;
use crate::journey::Journey;
use crate::page::Finished;
use crate::{AppState, Failure, cors, request_id};

/// Answers hold payments and keys: nobody in between may keep them.
const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");

const CLOSE: HeaderValue = HeaderValue::from_static("close");

/// Runs a request through its route and sees to everything that all answers have in common.
pub async fn rim(State(state): State<AppState>, mut request: Request, next: Next) -> Response {
    let journey = Journey::begin(&state, &request);
    let method = request.method().clone();
    let route = request.extensions().get::<MatchedPath>().cloned();
    let pending = Pending::new(state, journey.clone(), method.clone(), route);

    let (mut response, failure) = if method == Method::OPTIONS {
        (preflight(), None)
    } else {
        request.extensions_mut().insert(journey.clone());
        let answered = AssertUnwindSafe(next.run(request)).catch_unwind().await;
        finish(answered, &journey)
    };
    let context = journey.context();
    let is_page = response.extensions().get::<Finished>().is_some();
    let headers = response.headers_mut();
    if is_page {
        // A page is for whoever opens it, and its parts say themselves how long they keep.
        headers.entry(CACHE_CONTROL).or_insert(NO_STORE);
    } else {
        cors::allow(headers);
        headers.insert(CACHE_CONTROL, NO_STORE);
    }
    if !journey.is_body_done() {
        // Answered without reading the rest, which now stands in the way of the next request.
        headers.insert(CONNECTION, CLOSE);
    }
    if let Ok(id) = HeaderValue::from_str(&context.request_id) {
        headers.insert(request_id::HEADER, id);
    }
    pending.answered(response.status(), failure.map(|failure| failure.code()));
    response
}

/// A browser's question whether it may ask.
fn preflight() -> Response {
    let mut response = Response::default();
    cors::allow_request(response.headers_mut());
    response
}

/// Fills an answer that has a reason instead of a body.
fn finish(
    answered: Result<Response, Box<dyn Any + Send>>,
    journey: &Journey,
) -> (Response, Option<Failure>) {
    let context = journey.context();
    let mut response = match answered {
        Ok(response) if response.status().as_u16() < 400 => return (response, None),
        Ok(response) => response,
        Err(panic) => axum::response::IntoResponse::into_response(panicked(&*panic)),
    };
    let failure = response.extensions_mut().remove::<Failure>();
    if response.extensions().get::<Finished>().is_some() {
        if let Some(failure) = &failure {
            failure.log(&context.request_id);
        }
        return (response, failure);
    }
    let failure = failure.unwrap_or_else(|| Failure::of_status(response.status()));
    failure.log(&context.request_id);
    let mut rendered = failure.render(context.language, &context.request_id);
    // What the route added stays, such as the methods that a path allows.
    for (name, value) in response.headers() {
        if name != CONTENT_TYPE && name != CONTENT_LENGTH && !rendered.headers().contains_key(name)
        {
            rendered.headers_mut().insert(name.clone(), value.clone());
        }
    }
    (rendered, Some(failure))
}

fn panicked(panic: &(dyn Any + Send)) -> Failure {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    Failure::internal(format!("a handler panicked: {}", text.unwrap_or("without a word")))
}
