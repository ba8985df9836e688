//! Records that are sent back whole: a field that a call does not take may have the value that it has.

use axum::body::to_bytes;
use axum::response::Response;
use serde::Serialize;
use serde_json::{Map, Value};
use web::{Failure, JsonBody};

use super::Request;

/// How long the answer may be that shows a record.
const ANSWER_LEN_MAX: usize = 1024 * 1024;

/// The body beside the record that it changes. The record is looked at only where the body has a field that the call
/// does not take, and comes first then: who does not reach it learns nothing else.
///
/// # Errors
/// A body that is no object, or what is wrong with looking at the record.
pub(crate) async fn beside<R: Request>(
    body: JsonBody,
    record: impl Future<Output = Result<Map<String, Value>, Failure>>,
) -> Result<JsonBody, Failure> {
    if body.has_untaken(R::NAMES)? { Ok(body.beside(record.await?)) } else { Ok(body) }
}

/// The record at this place of the answer of the call that shows it.
///
/// # Errors
/// That of the call; and an answer that is not of this form, which none is.
pub(crate) async fn shown(
    answer: impl Future<Output = Result<Response, Failure>>,
    place: &str,
) -> Result<Map<String, Value>, Failure> {
    let body = to_bytes(answer.await?.into_body(), ANSWER_LEN_MAX).await;
    let mut answer: Value =
        serde_json::from_slice(&body.map_err(Failure::internal)?).map_err(Failure::internal)?;
    record_of(&answer.pointer_mut(place).map(Value::take))
}

/// The fields of a record; none where there is none.
///
/// # Errors
/// A value that is no JSON object, which no record is.
pub(crate) fn record_of<T: Serialize>(record: &Option<T>) -> Result<Map<String, Value>, Failure> {
    match serde_json::to_value(record).map_err(Failure::internal)? {
        Value::Null => Ok(Map::new()),
        record => serde_json::from_value(record).map_err(Failure::internal),
    }
}
