//! What is sent to a receiver, what it answers, and what is reported of both.

use std::net::IpAddr;

use bytes::Bytes;
use domain::webhooks::{Phases, Trouble};
use http::header::{ACCEPT, CONTENT_LENGTH, CONTENT_TYPE, HOST, RETRY_AFTER, USER_AGENT};
use http::response::Parts;
use http::{HeaderName, HeaderValue, Method, Request, Version};
use http_body_util::Full;
use hyper::ext::ReasonPhrase;

use super::Destination;

/// The most that is read of an answer's body, in bytes; the connection is dropped at that point.
pub const READ_MAX: usize = 64 * 1024;

/// The longest head of an answer that is read, in bytes.
pub(super) const HEAD_LEN_MAX: usize = 64 * 1024;

/// The most that is kept of an answer's head, in bytes.
pub const HEAD_KEPT_MAX: usize = 4 * 1024;

/// Name by which receivers know us.
const AGENT: &str = concat!("cotejo/", env!("CARGO_PKG_VERSION"));

/// Answer of a receiver.
#[derive(Clone, PartialEq, Eq)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The `Retry-After` header, as it was written.
    pub retry_after: Option<String>,
    /// Its first line and headers, names in lower case, [`HEAD_KEPT_MAX`] bytes at most.
    pub head: Vec<u8>,
    /// The beginning of the body, [`READ_MAX`] bytes at most.
    pub body: Vec<u8>,
}

impl Answer {
    pub(super) fn new(head: &Parts, body: Vec<u8>) -> Self {
        let retry_after = head.headers.get(RETRY_AFTER);
        Self {
            status: head.status.as_u16(),
            head: head_of_answer(head),
            retry_after: retry_after.and_then(|value| value.to_str().ok()).map(str::to_owned),
            body,
        }
    }
}

/// The result of posting, and how it came about.
#[derive(Clone)]
pub struct Exchange {
    /// The answer, or why there is none.
    pub answer: Result<Answer, Trouble>,
    /// The head of the request as it was sent; nothing where none was.
    pub sent: Option<String>,
    /// The address that was dialled, the last of several.
    pub address: Option<IpAddr>,
    /// Whether the connection was there already.
    pub is_reused: bool,
    /// How long each part of it took.
    pub phases: Phases,
}

impl Exchange {
    /// One that was over before it began.
    #[must_use]
    pub fn none(trouble: Trouble) -> Self {
        let (address, phases) = (None, Phases::default());
        Self { answer: Err(trouble), sent: None, address, is_reused: false, phases }
    }
}

/// Shows nothing that was sent or received: the one is signed, and the author of the other may be hostile.
impl std::fmt::Debug for Exchange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Exchange")
            .field("answer", &self.answer)
            .field("phases", &self.phases)
            .finish_non_exhaustive()
    }
}

/// Shows how much there is and none of it: its author may be hostile.
impl std::fmt::Debug for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Answer")
            .field("status", &self.status)
            .field("bytes", &self.body.len())
            .finish_non_exhaustive()
    }
}

/// Message that is posted, in the words of whichever version a receiver speaks. Nothing is ever unpacked, so that
/// nothing packed is asked for.
pub(super) struct Message<'a> {
    pub(super) to: &'a Destination,
    pub(super) headers: &'a [(HeaderName, HeaderValue)],
    pub(super) body: Bytes,
}

impl Message<'_> {
    /// For HTTP/1.1, and its head as it is written: names with capitals, as receivers know them, for
    /// those who compare them letter by letter.
    pub(super) fn in_http1(&self) -> Result<(Request<Full<Bytes>>, String), Trouble> {
        let mut request = Request::builder()
            .uri(self.to.path())
            .body(Full::new(self.body.clone()))
            .map_err(invalid)?;
        let host = HeaderValue::from_str(&self.to.authority()).map_err(|_| Trouble::InvalidUrl)?;
        request.headers_mut().insert(HOST, host);
        self.describe(&mut request);
        let mut head = format!("{} {} HTTP/1.1\r\n", request.method(), self.to.path());
        for (name, value) in request.headers() {
            write(&mut head, &title(name.as_str()), value);
        }
        Ok((request, head))
    }

    /// For HTTP/2, and its head: its first line is written as in HTTP/1.1, which has a place for
    /// the same, and so are names, which HTTP/2 has in lower case.
    pub(super) fn in_http2(&self) -> Result<(Request<()>, String), Trouble> {
        let url = format!("{}{}", self.to.origin(), self.to.path());
        let mut request =
            Request::builder().version(Version::HTTP_2).uri(url).body(()).map_err(invalid)?;
        self.describe(&mut request);
        let mut head = format!("{} {} HTTP/2.0\r\n", request.method(), self.to.path());
        let authority = self.to.authority();
        head.extend([":authority: ", &authority, "\r\n"]);
        for (name, value) in request.headers() {
            write(&mut head, name.as_str(), value);
        }
        Ok((request, head))
    }

    /// Writes the method and the headers that are the same in every version.
    fn describe<B>(&self, request: &mut Request<B>) {
        *request.method_mut() = Method::POST;
        let headers = request.headers_mut();
        headers.insert(USER_AGENT, HeaderValue::from_static(AGENT));
        headers.insert(ACCEPT, HeaderValue::from_static("*/*"));
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(CONTENT_LENGTH, HeaderValue::from(self.body.len()));
        headers.extend(self.headers.iter().cloned());
    }
}

fn invalid(_: http::Error) -> Trouble {
    Trouble::InvalidUrl
}

fn write(head: &mut String, name: &str, value: &HeaderValue) {
    head.extend([name, ": ", &String::from_utf8_lossy(value.as_bytes()), "\r\n"]);
}

/// A header's name as HTTP/1.1 is written: each part with a capital.
fn title(name: &str) -> String {
    let part = |part: &str| {
        let (first, rest) = part.split_at_checked(1).unwrap_or_default();
        first.to_ascii_uppercase() + rest
    };
    name.split('-').map(part).collect::<Vec<_>>().join("-")
}

/// The head of an answer, as far as it is kept.
fn head_of_answer(head: &Parts) -> Vec<u8> {
    let mut text = format!("{:?} {}", head.version, head.status.as_str()).into_bytes();
    // HTTP/2 has no words beside the status, and hyper keeps those that are not the usual ones.
    if head.version != Version::HTTP_2 {
        let usual = head.status.canonical_reason().unwrap_or_default().as_bytes();
        let reason = head.extensions.get::<ReasonPhrase>().map_or(usual, ReasonPhrase::as_bytes);
        text.extend([b" ", reason].concat());
    }
    text.extend_from_slice(b"\r\n");
    for (name, value) in &head.headers {
        for part in [name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"] {
            text.extend_from_slice(part);
        }
    }
    text.truncate(HEAD_KEPT_MAX);
    text
}
