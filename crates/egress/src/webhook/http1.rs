//! An exchange in HTTP/1.1.

use std::error::Error as _;
use std::time::Duration;

use bytes::Bytes;
use domain::webhooks::{Phase, Trouble};
use futures_util::FutureExt;
use http::Version;
use http::header::HeaderMap;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1::{Builder, SendRequest};
use hyper_util::rt::TokioIo;

use super::exchange::{Answer, HEAD_LEN_MAX, Message, READ_MAX};
use super::line::Unheard;
use super::progress::Progress;
use crate::connect::Wire;
use crate::exchange::{Driver, driven};
use crate::idle::{KEPT_FOR, Keepable};

/// How long before a receiver hangs up a connection is not used any more, so that no request crosses
/// the end of it on the way.
const MARGIN: Duration = Duration::from_secs(1);

/// A connection that speaks HTTP/1.1.
pub(super) struct Http1 {
    sender: SendRequest<Full<Bytes>>,
    driver: Driver,
    /// For how long its receiver is known to keep it.
    pub(super) kept_for: Duration,
}

impl Http1 {
    pub(super) async fn open(wire: Box<dyn Wire>) -> Result<Self, Trouble> {
        let mut http = Builder::new();
        http.max_buf_size(HEAD_LEN_MAX).title_case_headers(true);
        let handshake = http.handshake(TokioIo::new(wire)).await;
        let (sender, connection) = handshake.map_err(|error| judged(&error))?;
        Ok(Self { sender, driver: Box::pin(connection.map(drop)), kept_for: KEPT_FOR })
    }

    /// Asks, and reads the answer. The connection comes back where that was read to its end.
    pub(super) async fn ask(
        self,
        message: &Message<'_>,
        progress: &Progress,
    ) -> Result<(Answer, Option<Self>), Unheard> {
        let Self { mut sender, driver, .. } = self;
        let (result, driver) = driven(driver, hear(&mut sender, message, progress)).await;
        let (answer, kept_for) = result?;
        let kept = kept_for.zip(driver);
        Ok((answer, kept.map(|(kept_for, driver)| Self { sender, driver, kept_for })))
    }
}

impl Keepable for Http1 {
    /// Whatever there is to be read makes an end of a connection on which nothing was asked. So it
    /// is once more when a request is about to be written, and what came ahead of that is never
    /// taken for its answer.
    fn is_open(&mut self) -> bool {
        (&mut self.driver).now_or_never().is_none() && self.sender.is_ready()
    }
}

/// Asks, and reads the answer; and for how long the connection is kept, where it is.
async fn hear(
    sender: &mut SendRequest<Full<Bytes>>,
    message: &Message<'_>,
    progress: &Progress,
) -> Result<(Answer, Option<Duration>), Unheard> {
    let (request, head) = message.in_http1().map_err(Unheard::Unsent)?;
    progress.send(head);
    let response = sender.try_send_request(request).await.map_err(|error| {
        // If the request is given back, not a byte of it was written.
        let is_unsent = error.message().is_some();
        let trouble = judged(&error.into_error());
        if is_unsent { Unheard::Unsent(trouble) } else { Unheard::Sent(trouble) }
    })?;
    progress.reach(Phase::Reading);
    let (head, body) = response.into_parts();
    let (body, is_whole) = read(body).await.map_err(Unheard::Sent)?;
    let is_kept = is_whole && head.version == Version::HTTP_11;
    let kept_for = is_kept.then(|| kept_for(&head.headers));
    Ok((Answer::new(&head, body), kept_for))
}

/// Reads a body up to the limit, whatever length it claims to have, and says whether that was all.
async fn read(mut body: Incoming) -> Result<(Vec<u8>, bool), Trouble> {
    let mut read = Vec::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| judged(&error))?;
        let Some(data) = frame.data_ref() else { continue };
        let room = READ_MAX - read.len();
        read.extend_from_slice(data.get(..room).unwrap_or(data));
        if read.len() == READ_MAX {
            return Ok((read, false));
        }
    }
    Ok((read, true))
}

/// For how long a connection can be used again, by the `Keep-Alive` header that many servers send
/// (RFC 2068, 19.7.1.1).
fn kept_for(headers: &HeaderMap) -> Duration {
    let said = headers.get("keep-alive").and_then(|value| value.to_str().ok());
    let timeout = said.into_iter().flat_map(|text| text.split(',')).find_map(|part| {
        let (name, seconds) = part.split_once('=')?;
        name.trim().eq_ignore_ascii_case("timeout").then(|| seconds.trim().parse().ok())?
    });
    timeout.map_or(KEPT_FOR, |seconds| Duration::from_secs(seconds).saturating_sub(MARGIN))
}

/// hyper's word for it in ours.
fn judged(error: &hyper::Error) -> Trouble {
    if error.is_parse_too_large() {
        Trouble::HeadTooLong
    } else if error.is_parse() || is_unasked(error) {
        Trouble::Malformed
    } else {
        Trouble::Reset
    }
}

/// Tells whether something was said before anything was asked, as a server of mail does.
fn is_unasked(error: &hyper::Error) -> bool {
    // hyper has no word for it: it is what is no end and comes from nowhere below.
    let cause = error.source().and_then(|cause| cause.downcast_ref::<hyper::Error>());
    error.is_canceled()
        && cause.is_some_and(|cause| {
            cause.source().is_none() && !cause.is_closed() && !cause.is_incomplete_message()
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receiver_says_for_how_long_it_keeps_a_connection() {
        for (said, seconds) in [
            ("timeout=5", 4),
            ("max=100, Timeout = 20", 19),
            ("timeout=1", 0),
            ("timeout=0", 0),
            ("timeout=soon", 15),
            ("max=7", 15),
            ("", 15),
        ] {
            let headers = HeaderMap::from_iter([(
                http::HeaderName::from_static("keep-alive"),
                said.parse().unwrap(),
            )]);
            assert_eq!(kept_for(&headers), Duration::from_secs(seconds), "{said}");
        }
        assert_eq!(kept_for(&HeaderMap::new()), KEPT_FOR);
    }
}
