//! A connection to a receiver, whichever version of HTTP it speaks.

use std::net::IpAddr;
use std::time::Duration;

use domain::webhooks::{Phase, Trouble};
use futures_util::FutureExt;

use super::exchange::{Answer, Message};
use super::http1::Http1;
use super::http2::Http2;
use super::metered::Allowance;
use super::progress::Progress;
use crate::connect::Wire;
use crate::idle::{KEPT_FOR, Keepable};
use crate::{Wait, WaitFuture};

/// How long a connection is used at the most, however busy it is: a receiver that has moved is
/// followed, and the address is checked again.
pub(super) const USED_MAX: Duration = Duration::from_secs(60);

/// The version of HTTP that both sides have agreed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Version {
    Http1,
    Http2,
}

/// A connection to a receiver.
pub(super) struct Line {
    link: Link,
    address: IpAddr,
    allowance: Allowance,
    too_long: WaitFuture,
}

enum Link {
    Http1(Http1),
    Http2(Http2),
}

/// Why no answer was received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unheard {
    /// Not a byte of the request was written.
    Unsent(Trouble),
    /// The request may have been received, and acted on.
    Sent(Trouble),
}

impl Line {
    /// A line over a connection to that address, of which `allowance` measures what comes.
    pub(super) async fn open(
        (wire, version): (Box<dyn Wire>, Version),
        address: IpAddr,
        allowance: Allowance,
        wait: &Wait,
    ) -> Result<Self, Trouble> {
        let link = match version {
            Version::Http1 => Link::Http1(Http1::open(wire).await?),
            Version::Http2 => Link::Http2(Http2::open(wire).await?),
        };
        Ok(Self { link, address, allowance, too_long: wait(USED_MAX) })
    }

    /// The address that was dialled.
    pub(super) const fn address(&self) -> IpAddr {
        self.address
    }

    /// Asks, and reads the answer. The line comes back where that was read to its end.
    pub(super) async fn ask(
        self,
        message: &Message<'_>,
        progress: &Progress,
    ) -> Result<(Answer, Option<Self>), Unheard> {
        let Self { link, address, allowance, too_long } = self;
        allowance.renew();
        progress.reach(Phase::Waiting);
        let result = match link {
            Link::Http1(http) => {
                let result = http.ask(message, progress).await;
                result.map(|(answer, http)| (answer, http.map(Link::Http1)))
            }
            Link::Http2(http) => {
                let result = http.ask(message, progress, &allowance).await;
                result.map(|(answer, http)| (answer, http.map(Link::Http2)))
            }
        };
        let (answer, link) = result.map_err(|unheard| match unheard {
            Unheard::Sent(_) if allowance.is_used_up() => Unheard::Sent(Trouble::Flooded),
            unheard => unheard,
        })?;
        Ok((answer, link.map(|link| Self { link, address, allowance, too_long })))
    }

    /// For how long it can be used again.
    pub(super) const fn kept_for(&self) -> Duration {
        match &self.link {
            Link::Http1(http) => http.kept_for,
            Link::Http2(_) => KEPT_FOR,
        }
    }
}

impl Keepable for Line {
    fn is_open(&mut self) -> bool {
        let is_young = (&mut self.too_long).now_or_never().is_none();
        is_young
            && match &mut self.link {
                Link::Http1(http) => http.is_open(),
                Link::Http2(http) => http.is_open(),
            }
    }
}
