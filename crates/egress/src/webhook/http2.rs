//! An exchange in HTTP/2. There is one at a time on a connection, so that all that is used of it is
//! that many receivers speak it; the connection is driven by the caller that waits for the answer.

use std::future::poll_fn;
use std::pin::pin;

use bytes::Bytes;
use domain::webhooks::{Phase, Trouble};
use futures_util::FutureExt;
use futures_util::future::{Either, select};
use h2::client::{Builder, ResponseFuture, SendRequest};
use h2::{Reason, RecvStream, SendStream};
use http::header::HeaderMap;

use super::exchange::{Answer, HEAD_LEN_MAX, Message, READ_MAX};
use super::line::Unheard;
use super::metered::Allowance;
use super::progress::Progress;
use crate::connect::Wire;
use crate::exchange::{Driver, driven};
use crate::idle::Keepable;

/// How much of an answer may be under way: as much as is read of one.
const WINDOW: u32 = READ_MAX as u32;

/// The longest head that h2 hands over, in bytes. It calls what is longer an error of the protocol, as
/// it does what is none of HTTP, so that it is asked for more than is read, and what it hands over is
/// measured here.
const HANDED_OVER_MAX: usize = 4 * HEAD_LEN_MAX;

/// Bytes that a header takes besides its name and its value (RFC 9113, 6.5.2).
const HEADER_LEN: usize = 32;

/// A connection that speaks HTTP/2.
pub(super) struct Http2 {
    sender: SendRequest<Bytes>,
    driver: Driver,
}

impl Http2 {
    pub(super) async fn open(wire: Box<dyn Wire>) -> Result<Self, Trouble> {
        let mut http = Builder::new();
        http.enable_push(false)
            .initial_window_size(WINDOW)
            .initial_connection_window_size(WINDOW)
            .max_header_list_size(HANDED_OVER_MAX as u32);
        let handshake = http.handshake(wire).await;
        let (sender, connection) = handshake.map_err(|error| trouble_of(&error))?;
        Ok(Self { sender, driver: Box::pin(connection.map(drop)) })
    }

    /// Asks, and reads the answer. The connection comes back where that was read to its end.
    pub(super) async fn ask(
        self,
        message: &Message<'_>,
        progress: &Progress,
        allowance: &Allowance,
    ) -> Result<(Answer, Option<Self>), Unheard> {
        let Self { mut sender, driver } = self;
        let hearing = hear(&mut sender, message, progress, allowance);
        let (result, driver) = driven(driver, hearing).await;
        let (answer, is_whole) = result?;
        Ok((answer, driver.filter(|_| is_whole).map(|driver| Self { sender, driver })))
    }
}

impl Keepable for Http2 {
    fn is_open(&mut self) -> bool {
        let is_driven = (&mut self.driver).now_or_never().is_none();
        let ready = poll_fn(|cx| self.sender.poll_ready(cx)).now_or_never();
        is_driven && matches!(ready, Some(Ok(())))
    }
}

/// Asks, and reads the answer; and whether that was all of it.
async fn hear(
    sender: &mut SendRequest<Bytes>,
    message: &Message<'_>,
    progress: &Progress,
    allowance: &Allowance,
) -> Result<(Answer, bool), Unheard> {
    let (request, head) = message.in_http2().map_err(Unheard::Unsent)?;
    let unsent = |error: h2::Error| Unheard::Unsent(trouble_of(&error));
    poll_fn(|cx| sender.poll_ready(cx)).await.map_err(unsent)?;
    let (response, stream) = sender.send_request(request, false).map_err(unsent)?;
    progress.send(head);
    let (hearing, sending) =
        (pin!(read(response, progress, allowance)), pin!(send(stream, message.body.clone())));
    // A receiver may answer before it has read everything, and may then read no more.
    let result = match select(hearing, sending).await {
        Either::Left((result, _)) => result,
        Either::Right(((), hearing)) => hearing.await,
    };
    result.map_err(Unheard::Sent)
}

/// Sends the body, as far as the receiver wants it.
async fn send(mut stream: SendStream<Bytes>, mut body: Bytes) {
    while !body.is_empty() {
        stream.reserve_capacity(body.len());
        let Some(Ok(room)) = poll_fn(|cx| stream.poll_capacity(cx)).await else { return };
        let part = body.split_to(room.min(body.len()));
        if stream.send_data(part, body.is_empty()).is_err() {
            return;
        }
    }
}

async fn read(
    response: ResponseFuture,
    progress: &Progress,
    allowance: &Allowance,
) -> Result<(Answer, bool), Trouble> {
    let response = response.await.map_err(|error| trouble_of_head(&error, allowance.spent()))?;
    let (head, body) = response.into_parts();
    if len(&head.headers) > HEAD_LEN_MAX {
        return Err(Trouble::HeadTooLong);
    }
    progress.reach(Phase::Reading);
    let (body, is_whole) = read_body(body).await.map_err(|error| trouble_of(&error))?;
    Ok((Answer::new(&head, body), is_whole))
}

/// Reads a body up to the limit, and says whether that was all.
async fn read_body(mut body: RecvStream) -> Result<(Vec<u8>, bool), h2::Error> {
    let mut read = Vec::new();
    while let Some(data) = body.data().await.transpose()? {
        body.flow_control().release_capacity(data.len())?;
        let room = READ_MAX - read.len();
        read.extend_from_slice(data.get(..room).unwrap_or(&data));
        if read.len() == READ_MAX {
            return Ok((read, false));
        }
    }
    Ok((read, true))
}

/// How long a head is, as HTTP/2 counts.
fn len(headers: &HeaderMap) -> usize {
    headers.iter().map(|(name, value)| name.as_str().len() + value.len() + HEADER_LEN).sum()
}

/// h2's word for what went wrong before there was a head, of which `came` bytes came over the line.
/// It has two names for a head that is far too long. For one that is too long for it, it uses the name
/// of what is none of HTTP: then what counts is whether more came than a head takes.
fn trouble_of_head(error: &h2::Error, came: usize) -> Trouble {
    let is_too_much =
        matches!(error.reason(), Some(Reason::ENHANCE_YOUR_CALM | Reason::COMPRESSION_ERROR));
    if error.is_library() && (is_too_much || came > HEAD_LEN_MAX) {
        Trouble::HeadTooLong
    } else {
        trouble_of(error)
    }
}

/// h2's word for it in ours: what it refuses itself is not as it should be.
fn trouble_of(error: &h2::Error) -> Trouble {
    if error.is_library() { Trouble::Malformed } else { Trouble::Reset }
}
