//! What stands before a PostgreSQL and speaks TLS for it, says that it cannot, or reads along.

use std::fmt;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, ServerConfig, ServerConnection, StreamOwned};

use crate::certificates::{Shown, serving, trusted};

/// The first message of a client that wants TLS: its length, and a number that says so.
const WANTS_TLS: [u8; 8] = [0, 0, 0, 8, 4, 210, 22, 47];

/// How long it listens to one side before it turns to the other.
const TURN: Duration = Duration::from_millis(2);

/// The front. It serves until the test's process ends.
pub struct TlsFront {
    login: String,
    database: String,
    address: SocketAddr,
    encrypted: Arc<AtomicUsize>,
}

impl TlsFront {
    /// A front before the server of `url`, which shows that certificate, or has none and does no TLS.
    ///
    /// # Panics
    /// Where `url` says no user, or loopback has no port left.
    #[must_use]
    pub fn before(url: &str, shown: Option<Shown>) -> Self {
        Self::start(url, shown, None)
    }

    /// A front that shows that certificate, and calls the server by TLS itself: it reads whatever either side says.
    ///
    /// # Panics
    /// As [`TlsFront::before`].
    #[must_use]
    pub fn between(url: &str, shown: Shown) -> Self {
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let client = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("the versions of TLS that are safe")
            .with_root_certificates(trusted())
            .with_no_client_auth();
        Self::start(url, Some(shown), Some(Arc::new(client)))
    }

    fn start(url: &str, shown: Option<Shown>, client: Option<Arc<ClientConfig>>) -> Self {
        let (rest, database) = url.rsplit_once('/').expect("an address with a database");
        let (login, server) = rest.rsplit_once('@').expect("an address with a user");
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let address = listener.local_addr().expect("the port's address");
        let front = Self {
            login: login.to_owned(),
            database: database.to_owned(),
            address,
            encrypted: Arc::default(),
        };
        let (server, encrypted) = (server.to_owned(), Arc::clone(&front.encrypted));
        let config = shown.map(|shown| serving(shown, &[]));
        thread::spawn(move || {
            for caller in listener.incoming().flatten() {
                let (server, encrypted) = (server.clone(), Arc::clone(&encrypted));
                let (config, client) = (config.clone(), client.clone());
                // A side that hangs up needs no more.
                thread::spawn(move || drop(serve(caller, &server, (config, client), &encrypted)));
            }
        });
        front
    }

    /// Returns the address that it listens at, under that host name, with everything else as it was.
    #[must_use]
    pub fn url(&self, host: &str) -> String {
        format!("{}@{host}:{}/{}", self.login, self.address.port(), self.database)
    }

    /// How many sessions were encrypted.
    #[must_use]
    pub fn encrypted(&self) -> usize {
        self.encrypted.load(Ordering::SeqCst)
    }
}

impl fmt::Debug for TlsFront {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The address holds a password.
        f.debug_struct("TlsFront").finish_non_exhaustive()
    }
}

fn serve(
    mut client: TcpStream,
    server: &str,
    (config, towards_server): (Option<Arc<ServerConfig>>, Option<Arc<ClientConfig>>),
    encrypted: &AtomicUsize,
) -> io::Result<()> {
    let mut first = [0; 8];
    client.read_exact(&mut first)?;
    let mut server = TcpStream::connect(server)?;
    for side in [&client, &server] {
        side.set_nodelay(true)?;
        side.set_read_timeout(Some(TURN))?;
    }
    match config {
        _ if first != WANTS_TLS => {
            server.write_all(&first)?;
            relay(client, server)
        }
        None => {
            client.write_all(b"N")?;
            relay(client, server)
        }
        Some(config) => {
            client.write_all(b"S")?;
            let mut tls = ServerConnection::new(config).map_err(io::Error::other)?;
            client.set_read_timeout(None)?;
            tls.complete_io(&mut client)?;
            client.set_read_timeout(Some(TURN))?;
            encrypted.fetch_add(1, Ordering::SeqCst);
            let client = StreamOwned::new(tls, client);
            match towards_server {
                None => relay(client, server),
                Some(config) => relay(client, encrypt(server, config)?),
            }
        }
    }
}

/// Starts TLS on the connection to the server.
fn encrypt(
    mut server: TcpStream,
    config: Arc<ClientConfig>,
) -> io::Result<StreamOwned<ClientConnection, TcpStream>> {
    server.set_read_timeout(None)?;
    server.write_all(&WANTS_TLS)?;
    server.read_exact(&mut [0])?;
    let name = ServerName::from(server.peer_addr()?.ip());
    let mut tls = ClientConnection::new(config, name).map_err(io::Error::other)?;
    tls.complete_io(&mut server)?;
    server.set_read_timeout(Some(TURN))?;
    Ok(StreamOwned::new(tls, server))
}

/// Passes on what either side says, until one of them hangs up.
fn relay(mut client: impl Read + Write, mut server: impl Read + Write) -> io::Result<()> {
    let mut said = vec![0; 16 * 1024];
    loop {
        let is_over = pass_on(&mut client, &mut server, &mut said)?
            || pass_on(&mut server, &mut client, &mut said)?;
        if is_over {
            return Ok(());
        }
    }
}

/// Passes on what `from` says in its turn; answers whether it has hung up.
fn pass_on(from: &mut impl Read, to: &mut impl Write, said: &mut [u8]) -> io::Result<bool> {
    match from.read(said) {
        Ok(0) => Ok(true),
        Ok(length) => {
            to.write_all(&said[..length])?;
            to.flush()?;
            Ok(false)
        }
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
            Ok(false)
        }
        Err(error) => Err(error),
    }
}
