//! Answers of 200.

use axum::body::Body;
use axum::response::Response;
use http::header::CONTENT_TYPE;
use serde::Serialize;

use crate::media_types::APPLICATION_JSON;
use crate::{Delivered, Failure};

/// Room for most answers, so that they need not move while they grow.
const USUAL_LEN: usize = 512;

/// An answer with this value as its body.
///
/// # Errors
/// A value that cannot be written as JSON, which no wire type is.
pub fn json<T: Serialize>(value: &T) -> Result<Response, Failure> {
    let mut body = Vec::with_capacity(USUAL_LEN);
    serde_json::to_writer(&mut body, value).map_err(Failure::internal)?;
    Ok(bytes(body))
}

/// An answer with this body, which is JSON already.
#[must_use]
pub fn bytes(body: impl Into<Body>) -> Response {
    with_body(body.into())
}

/// An answer with this body, which is JSON already; `once_taken` is called when it reaches the
/// connection, and dropped where it never does.
#[must_use]
pub fn delivered(body: Vec<u8>, once_taken: impl FnOnce() + Send + 'static) -> Response {
    with_body(Body::new(Delivered::new(body.into(), once_taken)))
}

fn with_body(body: Body) -> Response {
    let mut response = Response::new(body);
    response.headers_mut().insert(CONTENT_TYPE, APPLICATION_JSON);
    response
}
