//! The way to the server: a TCP connection, with TLS or without, or a socket of the file system. Every read and
//! every write has a time limit.

use std::io::{self, ErrorKind, Read, Write};
use std::mem::MaybeUninit;
use std::net::{SocketAddr, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use postgres_protocol::message::frontend;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, StreamOwned};
use socket2::{SockRef, TcpKeepalive};

use crate::channel_binding::tls_server_end_point;
use crate::error::timed_out;

/// How long data may stay unacknowledged before the connection counts as lost.
#[cfg(target_os = "linux")]
const UNACKNOWLEDGED: Duration = Duration::from_secs(10);
const KEEPALIVE_IDLE: Duration = Duration::from_secs(15);
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(5);
const KEEPALIVE_RETRIES: u32 = 3;

/// Answer of a server that can do TLS.
const TLS_FOLLOWS: u8 = b'S';

/// One address of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Endpoint {
    /// The address, and the name that the server's certificate must carry.
    Tcp { address: SocketAddr, name: String },
    /// A socket of the file system, which needs no encryption.
    Unix(PathBuf),
}

/// Encryption of a connection over the network.
#[derive(Clone)]
pub(crate) enum Encryption {
    Off,
    /// Where the server can.
    Preferred(Arc<ClientConfig>),
    /// A server that cannot is not spoken to.
    Required(Arc<ClientConfig>),
}

/// A connection, as bytes.
pub(crate) enum Socket {
    Plain(Timed),
    Tls(Box<StreamOwned<ClientConnection, Timed>>),
}

/// A stream, and until when it is waited for.
pub(crate) struct Timed {
    stream: Stream,
    /// When whatever is under way must be over, if there is such an instant.
    deadline: Option<Instant>,
}

enum Stream {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl Socket {
    /// Connects within `limit`, and then has three times as long until [`Socket::has_logged_in`].
    pub(crate) fn connect(
        endpoint: &Endpoint,
        encryption: &Encryption,
        limit: Duration,
    ) -> io::Result<Self> {
        match endpoint {
            Endpoint::Tcp { address, name } => {
                let tcp = TcpStream::connect_timeout(address, limit)?;
                set_up(&tcp)?;
                encrypt(Timed::new(Stream::Tcp(tcp), limit), name, encryption)
            }
            Endpoint::Unix(path) => {
                let stream = Stream::Unix(UnixStream::connect(path)?);
                Ok(Self::Plain(Timed::new(stream, limit)))
            }
        }
    }

    /// From now on every read and every write may take as long as `limit`, or any time.
    pub(crate) fn has_logged_in(&mut self, limit: Option<Duration>) -> io::Result<()> {
        let timed = self.timed_mut();
        timed.deadline = None;
        match &timed.stream {
            Stream::Tcp(tcp) => {
                tcp.set_read_timeout(limit)?;
                tcp.set_write_timeout(limit)
            }
            Stream::Unix(unix) => {
                unix.set_read_timeout(limit)?;
                unix.set_write_timeout(limit)
            }
        }
    }

    /// Tells whether the server has sent something or has hung up. An idle session is sent nothing unasked but that it
    /// ends, or that a setting has changed, after which a new one is as good.
    pub(crate) fn has_news(&self) -> bool {
        let socket = match &self.timed().stream {
            Stream::Tcp(tcp) => SockRef::from(tcp),
            Stream::Unix(unix) => SockRef::from(unix),
        };
        let mut byte = [MaybeUninit::uninit(); 1];
        let looked = socket.recv_with_flags(&mut byte, libc::MSG_PEEK | libc::MSG_DONTWAIT);
        !matches!(looked, Err(error) if error.kind() == ErrorKind::WouldBlock)
    }

    /// Returns what a proof of the password can be bound to: the certificate that the server has shown.
    pub(crate) fn channel_binding(&self) -> Option<Vec<u8>> {
        match self {
            Self::Plain(_) => None,
            Self::Tls(tls) => tls_server_end_point(tls.conn.peer_certificates()?.first()?),
        }
    }

    fn timed(&self) -> &Timed {
        match self {
            Self::Plain(timed) => timed,
            Self::Tls(tls) => &tls.sock,
        }
    }

    fn timed_mut(&mut self) -> &mut Timed {
        match self {
            Self::Plain(timed) => timed,
            Self::Tls(tls) => &mut tls.sock,
        }
    }
}

impl Read for Socket {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(timed) => timed.read(buffer),
            Self::Tls(tls) => tls.read(buffer),
        }
    }
}

impl Write for Socket {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(timed) => timed.write(bytes),
            Self::Tls(tls) => tls.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(timed) => timed.flush(),
            Self::Tls(tls) => tls.flush(),
        }
    }
}

impl Timed {
    /// How many limits a login may take: a handshake and a few messages.
    const LIMITS_TO_LOG_IN: u32 = 3;

    #[expect(clippy::disallowed_methods, reason = "a connection times its own waits")]
    fn new(stream: Stream, limit: Duration) -> Self {
        Self { stream, deadline: Some(Instant::now() + limit * Self::LIMITS_TO_LOG_IN) }
    }

    /// Limits the next read or write to the time until the deadline, where there is one.
    #[expect(clippy::disallowed_methods, reason = "a connection times its own waits")]
    fn limit(&self) -> io::Result<()> {
        let Some(deadline) = self.deadline else { return Ok(()) };
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(silent());
        }
        match &self.stream {
            Stream::Tcp(tcp) => {
                tcp.set_read_timeout(Some(left))?;
                tcp.set_write_timeout(Some(left))
            }
            Stream::Unix(unix) => {
                unix.set_read_timeout(Some(left))?;
                unix.set_write_timeout(Some(left))
            }
        }
    }
}

impl Read for Timed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.limit()?;
        let read = match &mut self.stream {
            Stream::Tcp(tcp) => tcp.read(buffer),
            Stream::Unix(unix) => unix.read(buffer),
        };
        read.map_err(or_silent)
    }
}

impl Write for Timed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.limit()?;
        let written = match &mut self.stream {
            Stream::Tcp(tcp) => tcp.write(bytes),
            Stream::Unix(unix) => unix.write(bytes),
        };
        written.map_err(or_silent)
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.stream {
            Stream::Tcp(tcp) => tcp.flush(),
            Stream::Unix(unix) => unix.flush(),
        }
    }
}

/// A passed time limit of a socket is an error that says so.
fn or_silent(error: io::Error) -> io::Error {
    if error.kind() == ErrorKind::WouldBlock { silent() } else { error }
}

fn silent() -> io::Error {
    timed_out("the server did not answer in time")
}

fn set_up(tcp: &TcpStream) -> io::Result<()> {
    tcp.set_nodelay(true)?;
    let keepalive = TcpKeepalive::new()
        .with_time(KEEPALIVE_IDLE)
        .with_interval(KEEPALIVE_INTERVAL)
        .with_retries(KEEPALIVE_RETRIES);
    let socket = SockRef::from(tcp);
    socket.set_tcp_keepalive(&keepalive)?;
    #[cfg(target_os = "linux")]
    socket.set_tcp_user_timeout(Some(UNACKNOWLEDGED))?;
    Ok(())
}

/// Asks for TLS where it is wanted, and shakes hands.
fn encrypt(mut timed: Timed, name: &str, encryption: &Encryption) -> io::Result<Socket> {
    let (config, is_required) = match encryption {
        Encryption::Off => return Ok(Socket::Plain(timed)),
        Encryption::Preferred(config) => (config, false),
        Encryption::Required(config) => (config, true),
    };
    let mut request = bytes::BytesMut::new();
    frontend::ssl_request(&mut request);
    timed.write_all(&request)?;
    let mut answer = [0];
    timed.read_exact(&mut answer)?;
    if answer != [TLS_FOLLOWS] {
        let refused = || Err(io::Error::other("the server does not do TLS, which is asked for"));
        return if is_required { refused() } else { Ok(Socket::Plain(timed)) };
    }
    let name = ServerName::try_from(name.to_owned()).map_err(io::Error::other)?;
    let client = ClientConnection::new(Arc::clone(config), name).map_err(io::Error::other)?;
    let mut tls = StreamOwned::new(client, timed);
    // Bytes that came before the handshake was over could only be an attacker's.
    tls.conn.complete_io(&mut tls.sock)?;
    Ok(Socket::Tls(Box::new(tls)))
}
