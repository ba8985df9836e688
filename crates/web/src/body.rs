//! The body of a request: bounded, and JSON whatever little it says of itself, or a browser's form.

use std::fmt;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{FromRequest, Request};
use bytes::Bytes;
use domain::refusal::{Detail, Problem, Refusal};
use futures_util::FutureExt;
use futures_util::future::{Either, select};
use http::HeaderMap;
use http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use http::request::Parts;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::admitted::admit_again;
use crate::failure::Failure;
use crate::form::FORM_LEN_MAX;
use crate::request_state::RequestState;
use crate::sent_fields::SentFields;
use crate::taken::Taken;
use crate::{AppState, Fields, FormBody};

/// The largest body that is read.
pub const BODY_LEN_MAX: usize = 256 * 1024;

/// How long the rest of a body may take once the head is here.
pub(crate) const TIME_MAX: Duration = Duration::from_secs(10);

/// A body that was read whole and may be JSON.
#[derive(Clone)]
pub struct JsonBody {
    bytes: Bytes,
    /// Fields that its operation takes, where that matters.
    taken: Option<Arc<Taken>>,
    /// The record that it changes, where it has fields that the operation does not take.
    in_force: Option<Map<String, Value>>,
}

impl JsonBody {
    /// The bytes as they were sent.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Begins to read the fields `names`: notes all others that the operation refuses.
    ///
    /// # Errors
    /// A refusal where it is no JSON object.
    pub fn fields(&self, names: &[&'static str]) -> Result<Fields, Refusal> {
        let Some(taken) = &self.taken else { return Ok(Fields::default()) };
        let in_force = self.in_force.as_ref();
        Ok(taken.check_fields(&object::<SentFields<'_>>(&self.bytes)?, names, in_force))
    }

    /// Answers whether the operation refuses a field beside `names`, unless it has the value in force.
    ///
    /// # Errors
    /// A refusal where it is no JSON object.
    pub fn has_untaken(&self, names: &[&'static str]) -> Result<bool, Refusal> {
        let Some(taken) = &self.taken else { return Ok(false) };
        Ok(taken.untaken(&object::<SentFields<'_>>(&self.bytes)?, names).next().is_some())
    }

    /// The body beside the record that it changes: a field with the value that the record has is no change.
    #[must_use]
    pub fn beside(self, in_force: Map<String, Value>) -> Self {
        Self { in_force: Some(in_force), ..self }
    }

    /// The body as one that may have any other field.
    #[must_use]
    pub fn tolerant(&self) -> Self {
        Self::from(self.bytes.clone())
    }

    /// Reads the object that it holds. An empty body is an empty object.
    ///
    /// # Errors
    /// A refusal where it is no JSON object; it says where.
    pub fn object<'a, T: Deserialize<'a>>(&'a self) -> Result<T, Refusal> {
        object(&self.bytes)
    }
}

// Bodies hold passwords and banks' keys.
impl fmt::Debug for JsonBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "JsonBody({} bytes)", self.bytes.len())
    }
}

impl fmt::Debug for AnyBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AnyBody({} bytes)", self.0.len())
    }
}

impl<B: Into<Bytes>> From<B> for JsonBody {
    /// A body that may have any field.
    fn from(bytes: B) -> Self {
        Self { bytes: bytes.into(), taken: None, in_force: None }
    }
}

impl FromRequest<AppState> for JsonBody {
    type Rejection = Failure;

    async fn from_request(request: Request, state: &AppState) -> Result<Self, Failure> {
        let (parts, bytes) = read(request, state).boxed().await?;
        if !bytes.is_empty() && !says_json(&parts.headers) {
            return Err(Refusal::UnsupportedMediaType.into());
        }
        let taken = parts.extensions.get::<Arc<Taken>>().cloned();
        Ok(Self { bytes, taken, in_force: None })
    }
}

/// A body that was read whole, whatever it is and says of itself: for callers who keep to their own
/// rules.
#[derive(Clone)]
pub struct AnyBody(Bytes);

impl AnyBody {
    /// The bytes as they were sent.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl FromRequest<AppState> for AnyBody {
    type Rejection = Failure;

    async fn from_request(request: Request, state: &AppState) -> Result<Self, Failure> {
        let (_, body) = read(request, state).boxed().await?;
        Ok(Self(body))
    }
}

impl FromRequest<AppState> for FormBody {
    type Rejection = Failure;

    async fn from_request(request: Request, state: &AppState) -> Result<Self, Failure> {
        let (parts, body) = read(request, state).boxed().await?;
        if body.len() > FORM_LEN_MAX {
            return Err(Refusal::PayloadTooLarge.into());
        }
        let kind = parts.headers.get(CONTENT_TYPE).and_then(|line| line.to_str().ok());
        let kind = kind.unwrap_or_default().split(';').next().unwrap_or_default().trim();
        if !kind.eq_ignore_ascii_case("application/x-www-form-urlencoded") {
            return Err(Refusal::UnsupportedMediaType.into());
        }
        Ok(Self::sent(String::from_utf8_lossy(&body).into_owned()))
    }
}

/// Reads a body of [`BODY_LEN_MAX`] at most, within [`TIME_MAX`].
pub(crate) async fn read(request: Request, state: &AppState) -> Result<(Parts, Bytes), Failure> {
    let (parts, body) = request.into_parts();
    if announced_len(&parts.headers) > BODY_LEN_MAX as u64 {
        return Err(Refusal::PayloadTooLarge.into());
    }
    let reading = Limited::new(body, BODY_LEN_MAX).collect();
    let (read, is_late) = in_time(state, reading, TIME_MAX).await?;
    let body = match read {
        Ok(body) => body.to_bytes(),
        Err(error) if error.is::<LengthLimitError>() => {
            return Err(Refusal::PayloadTooLarge.into());
        }
        Err(_) => return Err(broke_off()),
    };
    if let Some(request_state) = parts.extensions.get::<RequestState>() {
        request_state.note_body();
    }
    if is_late {
        admit_again(&parts, state).await?;
    }
    Ok((parts, body))
}

/// Waits for what reads a body, and says whether it had to.
pub(crate) async fn in_time<T>(
    state: &AppState,
    reading: impl Future<Output = T>,
    time_max: Duration,
) -> Result<(T, bool), Failure> {
    let mut reading = pin!(reading);
    // Nearly every body is here with its head, and needs no timer.
    if let Some(read) = (&mut reading).now_or_never() {
        return Ok((read, false));
    }
    match select(reading, state.app.clock.sleep(time_max)).await {
        Either::Left((read, _)) => Ok((read, true)),
        Either::Right(_) => Err(wrong(("no llegó a tiempo", "did not arrive in time")).into()),
    }
}

/// The failure of a body that ends too early.
pub(crate) fn broke_off() -> Failure {
    wrong(("se cortó", "broke off")).into()
}

fn announced_len(headers: &HeaderMap) -> u64 {
    let line = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    line.and_then(|line| line.parse().ok()).unwrap_or(0)
}

/// Tells whether the content type is absent, JSON, or a dialect of JSON.
fn says_json(headers: &HeaderMap) -> bool {
    let Some(line) = headers.get(CONTENT_TYPE) else { return true };
    let kind = line.to_str().unwrap_or_default().split(';').next().unwrap_or_default().trim();
    kind.is_empty()
        || kind.eq_ignore_ascii_case("application/json")
        || (kind.len() > 5 && kind.to_ascii_lowercase().ends_with("+json"))
}

fn object<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, Refusal> {
    let body = bytes.trim_ascii();
    let body = if body.is_empty() { b"{}" } else { body };
    if body[0] != b'{' {
        // A list would be taken for the fields of the object in their order.
        return Err(wrong(("debe ser un objeto JSON", "must be a JSON object")));
    }
    serde_json::from_slice(body).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        wrong(Problem::made(
            format!("no es JSON válido en la línea {line}, columna {column}"),
            format!("is not valid JSON at line {line} column {column}"),
        ))
    })
}

fn wrong(problem: impl Into<Problem>) -> Refusal {
    Refusal::BadRequest(vec![Detail::new("body", problem)])
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;

    #[derive(Debug, Deserialize)]
    struct Wire<'a> {
        #[serde(borrow)]
        name: Option<&'a RawValue>,
    }

    #[test]
    fn nothing_is_an_empty_object() {
        for bytes in [&b""[..], b"  ", b"{}", b"{\"other\": 1}", b"{\"name\":null}"] {
            assert!(object::<Wire<'_>>(bytes).unwrap().name.is_none());
        }
        assert_eq!(object::<Wire<'_>>(b" {\"name\": 1}\n").unwrap().name.unwrap().get(), "1");
    }

    #[test]
    fn what_is_no_object_is_refused_with_its_place() {
        for bytes in [&b"[]"[..], b"[1]", b"null", b"1", b"{", b"{\"name\":1,}", b"{} {}", b"\xff"]
        {
            let refusal = object::<Wire<'_>>(bytes).unwrap_err();
            assert!(matches!(refusal, Refusal::BadRequest(details) if details.len() == 1));
        }
    }

    #[test]
    fn json_by_many_names() {
        for (line, json) in [
            ("application/json", true),
            ("Application/JSON; charset=utf-8", true),
            ("application/problem+json", true),
            ("", true),
            ("text/plain", false),
            ("application/x-www-form-urlencoded", false),
            ("+json", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(CONTENT_TYPE, line.parse().unwrap());
            assert_eq!(says_json(&headers), json, "{line}");
        }
        assert!(says_json(&HeaderMap::new()));
    }
}
