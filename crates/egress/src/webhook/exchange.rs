//! One request and its answer, of which little is read.

use std::net::IpAddr;
use std::pin::pin;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use domain::time::Timestamp;
use domain::webhooks::{Phase, Phases, Trouble};
use futures_util::future::{Either, select};
use http::header::{ACCEPT, CONNECTION, CONTENT_TYPE, HOST, RETRY_AFTER, USER_AGENT};
use http::uri::PathAndQuery;
use http::{HeaderName, HeaderValue, Method, Request};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1::{Builder, SendRequest};

use super::Destination;
use crate::Now;
use crate::connect::Socket;

/// The most that is read of an answer's body, in bytes; the connection is dropped at that point.
pub const READ_MAX: usize = 64 * 1024;

/// The longest head of an answer that is read, in bytes.
const HEAD_LEN_MAX: usize = 64 * 1024;

/// The most that is kept of an answer's head, in bytes.
pub const HEAD_KEPT_MAX: usize = 4 * 1024;

/// As what we are known to receivers.
const AGENT: &str = concat!("cotejo/", env!("CARGO_PKG_VERSION"));

/// What a receiver answered.
#[derive(Clone, PartialEq, Eq)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The `Retry-After` header, as it was written.
    pub retry_after: Option<String>,
    /// Its first line and headers as they came, [`HEAD_KEPT_MAX`] bytes at most.
    pub head: Vec<u8>,
    /// The beginning of the body, [`READ_MAX`] bytes at most.
    pub body: Vec<u8>,
}

/// What came of posting, and how.
#[derive(Clone)]
pub struct Exchange {
    /// The answer, or why there is none.
    pub heard: Result<Answer, Trouble>,
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
        Self { heard: Err(trouble), sent: None, address, is_reused: false, phases }
    }
}

/// Shows nothing that was sent or heard: the one is signed, and whoever wrote the other may be hostile.
impl std::fmt::Debug for Exchange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Exchange")
            .field("heard", &self.heard)
            .field("phases", &self.phases)
            .finish_non_exhaustive()
    }
}

/// Shows how much there is and none of it: whoever wrote it may be hostile.
impl std::fmt::Debug for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Answer")
            .field("status", &self.status)
            .field("bytes", &self.body.len())
            .finish_non_exhaustive()
    }
}

/// How far an exchange has come, and how long each part of it took.
pub(super) struct Progress {
    now: Now,
    state: Mutex<State>,
}

struct State {
    phase: Phase,
    since: Timestamp,
    phases: Phases,
    sent: Option<String>,
    address: Option<IpAddr>,
}

impl Progress {
    pub(super) fn new(now: &Now) -> Self {
        let state = State {
            phase: Phase::Resolving,
            since: now(),
            phases: Phases::default(),
            sent: None,
            address: None,
        };
        Self { now: Now::clone(now), state: Mutex::new(state) }
    }

    /// One phase is over, and that one begins.
    pub(super) fn reach(&self, phase: Phase) {
        let now = (self.now)();
        let mut state = self.lock();
        let (before, took) = (state.phase, now.since(state.since));
        state.phases.add(before, took);
        (state.phase, state.since) = (phase, now);
    }

    pub(super) fn dial(&self, address: IpAddr) {
        self.lock().address = Some(address);
    }

    pub(super) fn send(&self, head: String) {
        self.lock().sent = Some(head);
    }

    pub(super) fn phase(&self) -> Phase {
        self.lock().phase
    }

    /// What is to be told of it, now that it is over.
    pub(super) fn conclude(self, heard: Result<Answer, Trouble>) -> Exchange {
        self.reach(self.phase());
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        let State { phases, sent, address, .. } = state;
        Exchange { heard, sent, address, is_reused: false, phases }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The head of a request as it is written.
fn head_of(request: &Request<Full<Bytes>>) -> String {
    let path = request.uri().path_and_query().map_or("/", PathAndQuery::as_str);
    let mut head = format!("{} {path} {:?}\r\n", request.method(), request.version());
    for (name, value) in request.headers() {
        let value = String::from_utf8_lossy(value.as_bytes());
        head.extend([title(name.as_str()).as_str(), ": ", &value, "\r\n"]);
    }
    head
}

/// A header's name as it is written: each part with a capital.
fn title(name: &str) -> String {
    let part = |part: &str| {
        let (first, rest) = part.split_at_checked(1).unwrap_or_default();
        first.to_ascii_uppercase() + rest
    };
    name.split('-').map(part).collect::<Vec<_>>().join("-")
}

/// The head of an answer, as far as it is kept.
fn head_of_answer(head: &http::response::Parts) -> Vec<u8> {
    let mut text = format!("{:?} {}\r\n", head.version, head.status).into_bytes();
    for (name, value) in &head.headers {
        for part in [name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"] {
            text.extend_from_slice(part);
        }
    }
    text.truncate(HEAD_KEPT_MAX);
    text
}

/// The request that posts `body`.
pub(super) fn request(
    destination: &Destination,
    headers: &[(HeaderName, HeaderValue)],
    body: Bytes,
) -> Result<Request<Full<Bytes>>, Trouble> {
    let mut request = Request::builder()
        .method(Method::POST)
        .uri(destination.path())
        .header(HOST, destination.authority())
        .header(USER_AGENT, AGENT)
        .header(ACCEPT, "*/*")
        .header(CONTENT_TYPE, "application/json")
        // One exchange for each connection: a receiver need not keep it.
        .header(CONNECTION, "close");
    for (name, value) in headers {
        request = request.header(name, value);
    }
    request.body(Full::new(body)).map_err(|_| Trouble::InvalidUrl)
}

/// Asks on a new connection, which ends with this.
pub(super) async fn ask(
    socket: Socket,
    request: Request<Full<Bytes>>,
    progress: &Progress,
) -> Result<Answer, Trouble> {
    progress.reach(Phase::Waiting);
    progress.send(head_of(&request));
    let mut http = Builder::new();
    // Names of headers as receivers were told, for those who compare them letter by letter.
    http.max_buf_size(HEAD_LEN_MAX).title_case_headers(true);
    let handshake = http.handshake(socket).await;
    let (mut sender, connection) = handshake.map_err(|error| judged(&error))?;
    let answer = pin!(answer(&mut sender, request, progress));
    match select(answer, connection).await {
        Either::Left((answer, _)) => answer,
        // The connection is over; what it brought may still be there to be read.
        Either::Right((_, answer)) => answer.await,
    }
}

async fn answer(
    sender: &mut SendRequest<Full<Bytes>>,
    request: Request<Full<Bytes>>,
    progress: &Progress,
) -> Result<Answer, Trouble> {
    let response = sender.send_request(request).await.map_err(|error| judged(&error))?;
    progress.reach(Phase::Reading);
    let (head, body) = response.into_parts();
    let retry_after = head.headers.get(RETRY_AFTER);
    Ok(Answer {
        status: head.status.as_u16(),
        head: head_of_answer(&head),
        retry_after: retry_after.and_then(|value| value.to_str().ok()).map(str::to_owned),
        body: read(body).await?,
    })
}

/// Reads a body up to the limit, whatever length it claims to have.
async fn read(mut body: Incoming) -> Result<Vec<u8>, Trouble> {
    let mut read = Vec::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| judged(&error))?;
        let Some(data) = frame.data_ref() else { continue };
        let room = READ_MAX - read.len();
        read.extend_from_slice(data.get(..room).unwrap_or(data));
        if read.len() == READ_MAX {
            break;
        }
    }
    Ok(read)
}

/// hyper's word for it in ours.
fn judged(error: &hyper::Error) -> Trouble {
    if error.is_parse() { Trouble::Malformed } else { Trouble::Reset }
}
