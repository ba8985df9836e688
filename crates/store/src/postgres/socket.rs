//! The way to the server: a TCP connection, with TLS or without, or a socket of the file system.

use std::io::{self, Read, Write};
use std::mem::MaybeUninit;
use std::net::{TcpStream, ToSocketAddrs};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::Arc;

use postgres_protocol::message::frontend;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, StreamOwned};
use socket2::{SockRef, TcpKeepalive};

use super::settings::{
    CONNECT_TIMEOUT, KEEPALIVE_IDLE, KEEPALIVE_INTERVAL, KEEPALIVE_RETRIES, UNACKNOWLEDGED,
};

/// What a server answers that can do TLS.
const TLS_FOLLOWS: u8 = b'S';

/// Where a server listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The host to call, the name that its certificate must carry, and the port.
    Tcp { host: String, name: String, port: u16 },
    /// A socket of the file system, which needs no encryption.
    Unix(PathBuf),
}

/// Whether a connection over the network is encrypted.
#[derive(Clone)]
pub(super) enum Encryption {
    Off,
    /// Where the server can.
    Preferred(Arc<ClientConfig>),
    /// A server that cannot is not spoken to.
    Required(Arc<ClientConfig>),
}

/// A connection, as bytes.
pub(super) enum Socket {
    Tcp(TcpStream),
    Tls(Box<StreamOwned<ClientConnection, TcpStream>>),
    Unix(UnixStream),
}

impl Socket {
    /// Connects. Until [`Socket::let_answers_take_long`] no answer may take longer than the connecting.
    pub(super) fn connect(place: &Place, encryption: &Encryption) -> io::Result<Self> {
        match place {
            Place::Tcp { host, name, port } => encrypt(dial(host, *port)?, name, encryption),
            Place::Unix(path) => {
                let unix = UnixStream::connect(path)?;
                unix.set_read_timeout(Some(CONNECT_TIMEOUT))?;
                Ok(Self::Unix(unix))
            }
        }
    }

    /// From now on the server's own limits say how long an answer takes.
    pub(super) fn let_answers_take_long(&self) -> io::Result<()> {
        match self {
            Self::Tcp(tcp) => tcp.set_read_timeout(None),
            Self::Tls(tls) => tls.sock.set_read_timeout(None),
            Self::Unix(unix) => unix.set_read_timeout(None),
        }
    }

    /// Whether the server has said something or has hung up. An idle session hears nothing unasked but
    /// that it ends, or that a setting has changed, after which a new one is as good.
    pub(super) fn has_news(&self) -> bool {
        let socket = match self {
            Self::Tcp(tcp) => SockRef::from(tcp),
            Self::Tls(tls) => SockRef::from(&tls.sock),
            Self::Unix(unix) => SockRef::from(unix),
        };
        let mut byte = [MaybeUninit::uninit(); 1];
        let looked = socket.recv_with_flags(&mut byte, libc::MSG_PEEK | libc::MSG_DONTWAIT);
        !matches!(looked, Err(error) if error.kind() == io::ErrorKind::WouldBlock)
    }
}

impl Read for Socket {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(tcp) => tcp.read(buffer),
            Self::Tls(tls) => tls.read(buffer),
            Self::Unix(unix) => unix.read(buffer),
        }
    }
}

impl Write for Socket {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(tcp) => tcp.write(bytes),
            Self::Tls(tls) => tls.write(bytes),
            Self::Unix(unix) => unix.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Tcp(tcp) => tcp.flush(),
            Self::Tls(tls) => tls.flush(),
            Self::Unix(unix) => unix.flush(),
        }
    }
}

/// The first of the host's addresses that answers.
fn dial(host: &str, port: u16) -> io::Result<TcpStream> {
    let mut failure = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
    for address in (host, port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, CONNECT_TIMEOUT) {
            Ok(tcp) => return set_up(tcp),
            Err(error) => failure = error,
        }
    }
    Err(failure)
}

fn set_up(tcp: TcpStream) -> io::Result<TcpStream> {
    tcp.set_nodelay(true)?;
    tcp.set_read_timeout(Some(CONNECT_TIMEOUT))?;
    let keepalive = TcpKeepalive::new()
        .with_time(KEEPALIVE_IDLE)
        .with_interval(KEEPALIVE_INTERVAL)
        .with_retries(KEEPALIVE_RETRIES);
    let socket = SockRef::from(&tcp);
    socket.set_tcp_keepalive(&keepalive)?;
    #[cfg(target_os = "linux")]
    socket.set_tcp_user_timeout(Some(UNACKNOWLEDGED))?;
    Ok(tcp)
}

/// Asks for TLS where it is wanted, and shakes hands.
fn encrypt(mut tcp: TcpStream, name: &str, encryption: &Encryption) -> io::Result<Socket> {
    let (config, is_required) = match encryption {
        Encryption::Off => return Ok(Socket::Tcp(tcp)),
        Encryption::Preferred(config) => (config, false),
        Encryption::Required(config) => (config, true),
    };
    let mut request = bytes::BytesMut::new();
    frontend::ssl_request(&mut request);
    tcp.write_all(&request)?;
    let mut answer = [0];
    tcp.read_exact(&mut answer)?;
    if answer != [TLS_FOLLOWS] {
        let refused = || Err(io::Error::other("the server does not do TLS, which is asked for"));
        return if is_required { refused() } else { Ok(Socket::Tcp(tcp)) };
    }
    let name = ServerName::try_from(name.to_owned()).map_err(io::Error::other)?;
    let client = ClientConnection::new(Arc::clone(config), name).map_err(io::Error::other)?;
    let mut tls = StreamOwned::new(client, tcp);
    // Bytes that came before the handshake was over could only be an attacker's.
    tls.conn.complete_io(&mut tls.sock)?;
    Ok(Socket::Tls(Box::new(tls)))
}
