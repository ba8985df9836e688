//! One question and one answer on a connection that somebody opened.

use std::future::Future;
use std::pin::{Pin, pin};

use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::{Either, select};
use http::Request;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1::{self, SendRequest};

use crate::connect::Socket;
use crate::idle::Keepable;
use crate::{BODY_MAX, Error};

/// An answer, read whole.
#[derive(Clone, PartialEq, Eq)]
pub struct Reply {
    /// The HTTP status. Banks do not always mean it: look at the body first.
    pub status: u16,
    /// The body, of at most [`BODY_MAX`] bytes.
    pub body: Vec<u8>,
}

/// Shows how much there is and none of it: it is about payers.
impl std::fmt::Debug for Reply {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reply")
            .field("status", &self.status)
            .field("bytes", &self.body.len())
            .finish()
    }
}

/// An open connection of HTTP/1.1.
pub(crate) struct Link {
    sender: SendRequest<Full<Bytes>>,
    driver: Driver,
}

/// Future that reads and writes of a connection, until that is over. It moves only while somebody looks at it.
pub(crate) type Driver = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Runs the work, which waits for what the driver brings, and the driver beside it. Answers the result of the work; and
/// the driver, unless the connection is over.
pub(crate) async fn driven<T>(
    driver: Driver,
    work: impl Future<Output = T>,
) -> (T, Option<Driver>) {
    match select(pin!(work), driver).await {
        Either::Left((done, driver)) => (done, Some(driver)),
        // What it brought may still be there to be read; what else is waited for never comes, and
        // nobody says so before its end is dropped.
        Either::Right(((), work)) => (work.await, None),
    }
}

impl Link {
    pub(crate) async fn open(socket: Socket) -> Result<Self, Error> {
        let (sender, connection) =
            http1::handshake(socket).await.map_err(|error| judged(&error))?;
        Ok(Self { sender, driver: Box::pin(connection.map(drop)) })
    }

    /// Asks, and reads the answer. The connection comes back where it can be used again.
    pub(crate) async fn exchange(
        self,
        request: Request<Full<Bytes>>,
    ) -> Result<(Reply, Option<Self>), Error> {
        let Self { mut sender, driver } = self;
        let (reply, driver) = driven(driver, answer(&mut sender, request)).await;
        Ok((reply?, driver.map(|driver| Self { sender, driver })))
    }
}

impl Keepable for Link {
    fn is_open(&mut self) -> bool {
        (&mut self.driver).now_or_never().is_none() && !self.sender.is_closed()
    }
}

async fn answer(
    sender: &mut SendRequest<Full<Bytes>>,
    request: Request<Full<Bytes>>,
) -> Result<Reply, Error> {
    sender.ready().await.map_err(|error| judged(&error))?;
    let (head, body) =
        sender.send_request(request).await.map_err(|error| judged(&error))?.into_parts();
    Ok(Reply { status: head.status.as_u16(), body: read(body).await? })
}

/// Reads a body, whatever length it claims to have.
async fn read(mut body: Incoming) -> Result<Vec<u8>, Error> {
    let mut whole = Vec::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| judged(&error))?;
        let Some(data) = frame.data_ref() else { continue };
        if whole.len() + data.len() > BODY_MAX {
            return Err(Error::TooLarge);
        }
        whole.extend_from_slice(data);
    }
    Ok(whole)
}

/// hyper's word for it in ours.
fn judged(error: &hyper::Error) -> Error {
    if error.is_parse() { Error::Malformed } else { Error::Reset }
}
