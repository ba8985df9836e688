//! The client for webhooks: to wherever an owner said, as long as that is on the internet.
//!
//! Whoever writes the address may be hostile, and so may whoever answers. The name is looked up
//! here, every address that it leads to is checked, and one of those very addresses is dialled, so
//! that nothing can change in between. There is one deadline over everything, little of an answer
//! is read, no redirect is followed and no proxy asked.

mod destination;
mod exchange;
mod guard;
mod names;

use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::OnceLock;
use std::time::Duration;

use bytes::Bytes;
use domain::ids::OwnerId;
use domain::webhooks::{Phase, Trouble, Zone};
use http::{HeaderName, HeaderValue};
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

pub use self::destination::Destination;
use self::destination::Host;
pub use self::exchange::{Answer, Exchange, HEAD_KEPT_MAX, READ_MAX};
use self::exchange::{Progress, ask, request};
use self::names::{Purpose, Resolve};
use crate::connect::{Socket, roots, verifying};
use crate::{Now, Wait, within};

/// How long an exchange may take in all: what receivers are told.
pub const DEADLINE: Duration = Duration::from_secs(10);

/// How long looking an address up may take while it is stored.
const CHECK_MAX: Duration = Duration::from_secs(3);

/// How many addresses a name may lead to. One that leads to more is not looked at further.
const ADDRESSES_MAX: usize = 64;

/// How many addresses of a name are dialled.
const DIALLED_MAX: usize = 3;

/// How long one of several addresses may take to answer before the next is dialled.
const DIAL_MAX: Duration = Duration::from_secs(3);

/// Whom webhooks may go to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reach {
    /// Receivers on the internet.
    #[default]
    Internet,
    /// Receivers anywhere, this machine and its network included: for development.
    Anywhere,
}

/// The client for webhooks.
pub struct WebhookClient {
    reach: Reach,
    resolve: Resolve,
    /// Made at the first call of `https`; nothing where this machine trusts nobody.
    tls: OnceLock<Option<TlsConnector>>,
    wait: Wait,
    now: Now,
}

impl WebhookClient {
    /// A client that waits by `wait` and measures by `now`. Where the machine trusts no certificates it works all the
    /// same, and calls no address of `https`.
    #[must_use]
    pub fn new(reach: Reach, wait: Wait, now: Now) -> Self {
        Self { reach, resolve: names::by_the_system(), tls: OnceLock::new(), wait, now }
    }

    /// The way to encrypt, if this machine has any.
    fn tls(&self) -> Result<&TlsConnector, Trouble> {
        let made = self.tls.get_or_init(|| {
            let tls = roots().and_then(verifying);
            tls.inspect_err(|error| tracing::warn!(%error, "webhooks to https fail")).ok()
        });
        made.as_ref().ok_or(Trouble::NoTrust)
    }

    /// Whether an address may be kept: it is well formed, and leads nowhere that is forbidden as
    /// far as can be known now. A name that leads nowhere yet is let through, as is one for which
    /// there is no place to look it up, since it is checked again whenever it is called.
    ///
    /// # Errors
    /// [`Trouble::InvalidUrl`] or [`Trouble::Forbidden`].
    pub async fn check(&self, url: &str) -> Result<(), Trouble> {
        let destination = Destination::parse(url)?;
        let addresses = self.addresses(&destination, Purpose::Keeping);
        match within(&self.wait, CHECK_MAX, addresses).await {
            Some(Err(trouble @ Trouble::Forbidden(_))) => Err(trouble),
            _ => Ok(()),
        }
    }

    /// Posts a body once, on behalf of that owner, whose slow names take no place from others. Any
    /// answer is one, whatever its status; where there is none, that is known not later than
    /// [`DEADLINE`].
    pub async fn post(
        &self,
        owner: OwnerId,
        destination: &Destination,
        headers: &[(HeaderName, HeaderValue)],
        body: Bytes,
    ) -> Exchange {
        let request = match request(destination, headers, body) {
            Ok(request) => request,
            Err(trouble) => return Exchange::none(trouble),
        };
        let progress = Progress::new(&self.now);
        let work = async {
            let socket = self.connect(owner, destination, &progress).await?;
            ask(socket, request, &progress).await
        };
        let done = within(&self.wait, DEADLINE, work).await;
        let heard = done.unwrap_or_else(|| Err(Trouble::Timeout(progress.phase())));
        progress.conclude(heard)
    }

    async fn connect(
        &self,
        owner: OwnerId,
        destination: &Destination,
        progress: &Progress,
    ) -> Result<Socket, Trouble> {
        let addresses = self.addresses(destination, Purpose::Delivering(owner)).await?;
        progress.reach(Phase::Connecting);
        let stream = self.dial(&addresses, destination.port(), progress).await?;
        if !destination.is_tls() {
            return Ok(TokioIo::new(Box::new(stream)));
        }
        progress.reach(Phase::Securing);
        let tls = self.tls()?;
        let stream = tls.connect(server_name(destination)?, stream).await.map_err(|error| {
            tracing::debug!(%error, "no TLS with a receiver");
            Trouble::Tls
        })?;
        Ok(TokioIo::new(Box::new(stream)))
    }

    /// The addresses of a destination, every one of them checked: a name that leads to one that is
    /// forbidden is refused as a whole, since it is not a mistake that such a name is made by.
    async fn addresses(
        &self,
        destination: &Destination,
        purpose: Purpose,
    ) -> Result<Vec<IpAddr>, Trouble> {
        let addresses = match destination.host() {
            Host::Address(address) => vec![*address],
            Host::Name(name) => {
                let found = (self.resolve)(purpose, name.clone()).await;
                found.map_err(|_| Trouble::UnknownName)?
            }
        };
        if addresses.is_empty() || addresses.len() > ADDRESSES_MAX {
            return Err(Trouble::UnknownName);
        }
        if self.reach == Reach::Internet
            && let Some(zone) = addresses.iter().copied().find_map(guard::forbidden)
        {
            return Err(Trouble::Forbidden(zone));
        }
        Ok(addresses)
    }

    /// Dials the addresses that were checked, one after the other, until one answers.
    async fn dial(
        &self,
        addresses: &[IpAddr],
        port: u16,
        progress: &Progress,
    ) -> Result<TcpStream, Trouble> {
        let is_only = addresses.len() == 1;
        for address in addresses.iter().take(DIALLED_MAX) {
            progress.dial(*address);
            let stream = TcpStream::connect(SocketAddr::new(*address, port));
            let dialled = if is_only {
                Some(stream.await)
            } else {
                within(&self.wait, DIAL_MAX, stream).await
            };
            if let Some(Ok(stream)) = dialled {
                if self.reach == Reach::Internet {
                    leads_away(&stream)?;
                }
                // Without it a request may wait for an acknowledgement, and no more.
                drop(stream.set_nodelay(true));
                return Ok(stream);
            }
        }
        Err(Trouble::Unreachable)
    }
}

impl fmt::Debug for WebhookClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebhookClient").field("reach", &self.reach).finish_non_exhaustive()
    }
}

/// Checks that the other end is another machine: an address of the internet may be this one's own,
/// and what listens there may trust whoever comes from here.
fn leads_away(stream: &TcpStream) -> Result<(), Trouble> {
    let ip = |end: io::Result<SocketAddr>| end.map(|end| end.ip().to_canonical());
    match (ip(stream.local_addr()), ip(stream.peer_addr())) {
        (Ok(here), Ok(there)) if here == there => Err(Trouble::Forbidden(Zone::Loopback)),
        (Ok(_), Ok(_)) => Ok(()),
        // It has ended already.
        _ => Err(Trouble::Reset),
    }
}

fn server_name(destination: &Destination) -> Result<ServerName<'static>, Trouble> {
    match destination.host() {
        Host::Address(address) => Ok(ServerName::IpAddress((*address).into())),
        Host::Name(name) => ServerName::try_from(name.clone()).map_err(|_| Trouble::InvalidUrl),
    }
}

#[cfg(test)]
mod tests;
