//! Making a connection to a receiver: its name, the check of what that leads to, TCP, TLS.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use domain::ids::OwnerId;
use domain::webhooks::{Flaw, Phase, Trouble, Zone};
use rustls::CertificateError;
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use super::destination::{Destination, Host};
use super::line::{Line, Version};
use super::metered::{Allowance, Metered};
use super::names::Purpose;
use super::progress::Progress;
use super::{Reach, WebhookClient, guard, own};
use crate::connect::{Wire, roots, verifying};
use crate::within;

/// How many addresses a name may lead to. One that leads to more is not looked at further.
const ADDRESSES_MAX: usize = 64;

/// How many addresses of a name are dialled.
const DIALLED_MAX: usize = 3;

/// How long one of several addresses may take to answer before the next is dialled.
const DIAL_MAX: Duration = Duration::from_secs(3);

/// Name of HTTP/2 where encryption is agreed on (RFC 9113, 3.2).
const HTTP2: &[u8] = b"h2";

/// Protocols that are offered where encryption is agreed on, the better first (RFC 7301).
pub(super) const OFFERED: &[&[u8]] = &[HTTP2, b"http/1.1"];

impl WebhookClient {
    /// A new connection.
    pub(super) async fn connect(
        &self,
        owner: OwnerId,
        destination: &Destination,
        progress: &Progress,
    ) -> Result<Line, Trouble> {
        progress.reach(Phase::Resolving);
        let addresses = self.addresses(destination, Purpose::Delivering(owner)).await?;
        progress.reach(Phase::Connecting);
        let (stream, address) = self.dial(&addresses, destination.port(), progress).await?;
        let allowance = Allowance::new();
        let stream = Metered::new(stream, allowance.clone());
        let wire = if destination.is_tls() {
            progress.reach(Phase::Securing);
            let secured = secure(self.tls()?, destination, stream).await;
            secured.map_err(
                |trouble| {
                    if allowance.is_used_up() { Trouble::Flooded } else { trouble }
                },
            )?
        } else {
            (Box::new(stream) as Box<dyn Wire>, Version::Http1)
        };
        Line::open(wire, address, allowance, &self.wait).await
    }

    /// The way to encrypt, if this machine has any.
    fn tls(&self) -> Result<&TlsConnector, Trouble> {
        let made = self.tls.get_or_init(|| {
            let tls = roots().and_then(|roots| verifying(roots, OFFERED));
            tls.inspect_err(|error| tracing::warn!(%error, "webhooks to https fail")).ok()
        });
        made.as_ref().ok_or(Trouble::NoTrust)
    }

    /// The addresses of a destination, every one of them checked: a name that leads to one that is
    /// forbidden is refused as a whole, since it is not a mistake that such a name is made by.
    pub(super) async fn addresses(
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
        let refused = addresses.iter().find_map(|address| self.refused(*address));
        refused.map_or(Ok(addresses), |zone| Err(Trouble::Forbidden(zone)))
    }

    /// Tells where a refused address leads, whether it is kept or called: the one set of rules. `None` where it is not
    /// refused.
    fn refused(&self, address: IpAddr) -> Option<Zone> {
        // What is meant by an address of IPv6 that carries one of IPv4 is closed as well.
        let meant = guard::carried(address).map(IpAddr::V4);
        let is_closed = |address: IpAddr| self.closed.iter().any(|net| net.contains(address));
        if is_closed(address) || meant.is_some_and(is_closed) {
            return Some(Zone::Closed);
        }
        match self.reach {
            Reach::Anywhere => None,
            Reach::Internet => guard::forbidden(address)
                .or_else(|| own::is_own(address, self.is_own).then_some(Zone::Loopback)),
        }
    }

    /// Dials the addresses that were checked, one after the other, until one answers.
    pub(super) async fn dial(
        &self,
        addresses: &[IpAddr],
        port: u16,
        progress: &Progress,
    ) -> Result<(TcpStream, IpAddr), Trouble> {
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
                return Ok((stream, *address));
            }
        }
        Err(Trouble::Unreachable)
    }
}

/// Agrees on encryption with whom the destination names, and on the version of HTTP.
async fn secure(
    tls: &TlsConnector,
    destination: &Destination,
    stream: Metered<TcpStream>,
) -> Result<(Box<dyn Wire>, Version), Trouble> {
    let stream = tls.connect(server_name(destination)?, stream).await.map_err(|error| {
        tracing::debug!(%error, "TLS handshake with a receiver failed");
        flaw(&error).map_or(Trouble::Tls, Trouble::Certificate)
    })?;
    let is_http2 = stream.get_ref().1.alpn_protocol() == Some(HTTP2);
    let version = if is_http2 { Version::Http2 } else { Version::Http1 };
    Ok((Box::new(stream), version))
}

/// Tells what is wrong with the certificate, if the error is about that.
fn flaw(error: &io::Error) -> Option<Flaw> {
    let rustls::Error::InvalidCertificate(error) = error.get_ref()?.downcast_ref()? else {
        return None;
    };
    Some(match error {
        CertificateError::Expired
        | CertificateError::ExpiredContext { .. }
        | CertificateError::NotValidYet
        | CertificateError::NotValidYetContext { .. } => Flaw::Expired,
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            Flaw::OtherHost
        }
        _ => Flaw::Untrusted,
    })
}

/// Checks that the other end is another machine: the address may have become this one's own since it
/// was checked.
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
