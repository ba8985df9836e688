//! Making a connection: name, TCP, TLS, and a few more tries.

use std::io::{Error as IoError, ErrorKind};
use std::sync::Arc;
use std::time::Duration;

use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use crate::{BaseUrl, Error, Wait, within};

/// How often a connection is tried again. Banks' front doors often refuse the first knock.
pub(crate) const RETRIES: u32 = 3;

/// The pause before each new try.
pub(crate) const PAUSE: Duration = Duration::from_millis(100);

/// How long one try may take, TLS included.
pub(crate) const TRY_MAX: Duration = Duration::from_secs(5);

/// Why TLS cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// The machine trusts nobody, so that no server could be distinguished from an impostor.
    #[error("no trusted certificates found on this machine (SSL_CERT_FILE can name some)")]
    NoRoots,
    /// The file that says whom to trust cannot be read.
    #[error("the file of trusted authorities cannot be read")]
    Unread(#[source] IoError),
    /// It names nobody.
    #[error("the file of trusted authorities has no certificate that can be read")]
    NoAuthority,
    /// The library refused its own defaults.
    #[error("TLS cannot be set up")]
    Setup(#[from] rustls::Error),
    /// The host of the address is neither a name nor an IP address.
    #[error("the host is not a name that a certificate can have")]
    Host,
}

/// A connection, encrypted or not.
pub(crate) trait Wire: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Wire for T {}

/// A connection as hyper takes it.
pub(crate) type Socket = TokioIo<Box<dyn Wire>>;

/// Connects to one bank. The proxy that an environment may name is not asked: credentials of banks
/// go to the bank and nowhere else.
pub(crate) struct Connector {
    host: String,
    port: u16,
    tls: Option<(TlsConnector, ServerName<'static>)>,
    wait: Wait,
}

impl Connector {
    pub(crate) fn new(base: &BaseUrl, wait: Wait) -> Result<Self, TlsError> {
        Self::trusting(roots, base, wait)
    }

    /// A connector that believes whom the roots do, which are needed for TLS alone.
    pub(crate) fn trusting(
        roots: impl FnOnce() -> Result<RootCertStore, TlsError>,
        base: &BaseUrl,
        wait: Wait,
    ) -> Result<Self, TlsError> {
        let tls = if base.is_tls() { Some((verifying(roots()?, &[])?, name(base)?)) } else { None };
        Ok(Self { host: base.host().to_owned(), port: base.port(), tls, wait })
    }

    /// A connection, at the latest after so many tries.
    pub(crate) async fn connect(&self) -> Result<Socket, Error> {
        let mut retries = RETRIES;
        loop {
            let tried = within(&self.wait, TRY_MAX, self.try_once()).await;
            // Without a connection nothing was asked yet, however long that took.
            match tried.unwrap_or(Err(Error::Connect(ErrorKind::TimedOut))) {
                Err(error) if retries > 0 => {
                    retries -= 1;
                    tracing::debug!(%error, "connection retried");
                    (self.wait)(PAUSE).await;
                }
                other => return other,
            }
        }
    }

    async fn try_once(&self) -> Result<Socket, Error> {
        let failed = |error: IoError| Error::Connect(error.kind());
        let stream = TcpStream::connect((self.host.as_str(), self.port)).await.map_err(failed)?;
        stream.set_nodelay(true).map_err(failed)?;
        let Some((tls, name)) = &self.tls else {
            let peer = stream.peer_addr().map_err(failed)?;
            if !peer.ip().is_loopback() {
                return Err(Error::Connect(ErrorKind::PermissionDenied));
            }
            return Ok(TokioIo::new(Box::new(stream)));
        };
        let stream = tls.connect(name.clone(), stream).await.map_err(|error| {
            // What rustls says names certificates and protocols, and nothing that was sent.
            tracing::warn!(%error, "TLS handshake with a bank failed");
            failed(error)
        })?;
        Ok(TokioIo::new(Box::new(stream)))
    }
}

/// Loads the certificates that the machine trusts.
pub(crate) fn roots() -> Result<RootCertStore, TlsError> {
    let mut roots = RootCertStore::empty();
    let (added, _) =
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if added == 0 { Err(TlsError::NoRoots) } else { Ok(roots) }
}

/// TLS that believes whom the roots do, and offers to speak these protocols. The certificate is always
/// checked against the host's name.
pub(crate) fn verifying(roots: RootCertStore, offered: &[&[u8]]) -> Result<TlsConnector, TlsError> {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = offered.iter().map(|name| name.to_vec()).collect();
    Ok(TlsConnector::from(Arc::new(config)))
}

fn name(base: &BaseUrl) -> Result<ServerName<'static>, TlsError> {
    ServerName::try_from(base.host().to_owned()).map_err(|_| TlsError::Host)
}
