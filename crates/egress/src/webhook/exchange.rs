//! One request and its answer, of which little is read.

use std::pin::pin;
use std::sync::atomic::{AtomicU8, Ordering};

use bytes::Bytes;
use domain::webhooks::{Phase, Trouble};
use futures_util::future::{Either, select};
use http::header::{ACCEPT, CONNECTION, CONTENT_TYPE, HOST, RETRY_AFTER, USER_AGENT};
use http::{HeaderName, HeaderValue, Method, Request};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1::{Builder, SendRequest};

use super::Destination;
use crate::connect::Socket;

/// The most that is read of an answer's body, in bytes; the connection is dropped at that point.
pub const READ_MAX: usize = 64 * 1024;

/// The longest head of an answer that is read, in bytes.
const HEAD_LEN_MAX: usize = 64 * 1024;

/// As what we are known to receivers.
const AGENT: &str = concat!("cotejo/", env!("CARGO_PKG_VERSION"));

/// What a receiver answered.
#[derive(Clone, PartialEq, Eq)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The `Retry-After` header, as it was written.
    pub retry_after: Option<String>,
    /// The beginning of the body, [`READ_MAX`] bytes at most.
    pub body: Vec<u8>,
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

/// How far an exchange has come, to be told where it ran out of time.
#[derive(Debug, Default)]
pub(super) struct Progress(AtomicU8);

/// The phases in their order; the number of each is its place.
const PHASES: [Phase; 5] =
    [Phase::Resolving, Phase::Connecting, Phase::Securing, Phase::Waiting, Phase::Reading];

impl Progress {
    pub(super) fn reach(&self, phase: Phase) {
        let place = PHASES.iter().position(|one| *one == phase).unwrap_or_default();
        self.0.store(u8::try_from(place).unwrap_or_default(), Ordering::Relaxed);
    }

    pub(super) fn phase(&self) -> Phase {
        let place = usize::from(self.0.load(Ordering::Relaxed));
        PHASES.get(place).copied().unwrap_or(Phase::Resolving)
    }
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
