//! A server of HTTP on this machine that does what a test says, ugly things included.
//!
//! It runs on threads of its own and speaks raw bytes, so that a test of what is asked shares no
//! code with the client.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

#[cfg(feature = "tls")]
use rustls::{ServerConnection, StreamOwned};
use tokio::net::TcpSocket;

#[cfg(feature = "tls")]
use crate::certificates::{Shown, serving};

/// Request that the server received.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Method and path, such as `POST /movements`.
    pub line: String,
    /// Header names in lower case with their values, in order.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: String,
}

impl Asked {
    /// The value of that header, whose name is in lower case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// A connection that is read from and written to.
pub trait Wire: Read + Write {}

impl<T: Read + Write> Wire for T {}

/// Reaction of the server to a request.
#[derive(Clone, Debug)]
pub enum Play {
    /// Answers with this status and body, and keeps the connection.
    Answer(u16, Vec<u8>),
    /// Writes these bytes and closes.
    Bytes(Vec<u8>),
    /// Writes these bytes and ends the connection by a reset.
    Reset(Vec<u8>),
    /// Says nothing, and keeps the connection open for as long as the other side does.
    Silence,
    /// Writes these bytes and says nothing more, with the connection open.
    Stall(Vec<u8>),
    /// Writes the first bytes once and the others again and again, until the other side hangs up.
    Endless(Vec<u8>, Vec<u8>),
}

impl Play {
    /// Answers with status 200 and this text.
    #[must_use]
    pub fn ok(body: impl Into<String>) -> Self {
        Self::Answer(200, body.into().into_bytes())
    }
}

/// A running server. It lasts as long as the test's process.
#[derive(Debug)]
pub struct Scripted {
    address: SocketAddr,
    scheme: &'static str,
    connections: Arc<AtomicUsize>,
    open: Arc<AtomicUsize>,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Scripted {
    /// Serves by `script`, which may block.
    ///
    /// # Panics
    /// Where this machine gives no port.
    pub fn start(script: impl Fn(&Asked) -> Play + Send + Sync + 'static) -> Self {
        Self::numbered(move |_, asked| script(asked))
    }

    /// Serves by `script`, which gets the number that each request has among all, counted from 1.
    pub(crate) fn numbered(script: impl Fn(usize, &Asked) -> Play + Send + Sync + 'static) -> Self {
        Self::serving("http", move |stream, log| converse(stream, stream, &script, log))
    }

    /// Serves by `script` over TLS, with that certificate.
    ///
    /// # Panics
    /// Where this machine gives no port.
    #[cfg(feature = "tls")]
    pub fn secured(shown: Shown, script: impl Fn(&Asked) -> Play + Send + Sync + 'static) -> Self {
        Self::secured_numbered(shown, move |_, asked| script(asked))
    }

    /// Serves over TLS by `script`, which gets the number that each request has among all, counted from 1.
    #[cfg(feature = "tls")]
    pub(crate) fn secured_numbered(
        shown: Shown,
        script: impl Fn(usize, &Asked) -> Play + Send + Sync + 'static,
    ) -> Self {
        let config = serving(shown, &[b"http/1.1"]);
        Self::serving("https", move |stream, log| {
            let Ok(tls) = ServerConnection::new(Arc::clone(&config)) else { return };
            converse(StreamOwned::new(tls, stream), stream, &script, log);
        })
    }

    /// Does that with every connection over TLS, with that certificate, where this protocol is agreed on.
    ///
    /// # Panics
    /// Where this machine gives no port.
    #[cfg(feature = "tls")]
    pub fn speaking_in_tls(
        shown: Shown,
        protocol: &[u8],
        speak: impl Fn(&mut dyn Wire) + Send + Sync + 'static,
    ) -> Self {
        let config = serving(shown, &[protocol]);
        Self::serving("https", move |stream, _| {
            let Ok(tls) = ServerConnection::new(Arc::clone(&config)) else { return };
            speak(&mut StreamOwned::new(tls, stream));
        })
    }

    /// Does that with every connection to an address of `https` that begins, and speaks no TLS by itself.
    ///
    /// # Panics
    /// Where this machine gives no port.
    pub fn speaking(speak: impl Fn(&TcpStream) + Send + Sync + 'static) -> Self {
        Self::serving("https", move |stream, _| speak(stream))
    }

    fn serving(
        scheme: &'static str,
        serve: impl Fn(&TcpStream, &Mutex<Vec<Asked>>) + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let address = listener.local_addr().expect("an address");
        let (connections, open, asked) = (Arc::default(), Arc::default(), Arc::default());
        let server = Self { address, scheme, connections, open, asked };
        let (connections, open) = (Arc::clone(&server.connections), Arc::clone(&server.open));
        let (asked, serve) = (Arc::clone(&server.asked), Arc::new(serve));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                open.fetch_add(1, Ordering::SeqCst);
                connections.fetch_add(1, Ordering::SeqCst);
                let (serve, asked, open) =
                    (Arc::clone(&serve), Arc::clone(&asked), Arc::clone(&open));
                thread::spawn(move || {
                    serve(&stream, &asked);
                    drop(stream);
                    open.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        server
    }

    /// The address to put paths behind.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("{}://{}", self.scheme, self.address)
    }

    /// How many connections were made.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    /// How many of them have not come to their end.
    #[must_use]
    pub fn open(&self) -> usize {
        self.open.load(Ordering::SeqCst)
    }

    /// Returns the requests received so far.
    #[must_use]
    pub fn asked(&self) -> Vec<Asked> {
        lock(&self.asked).clone()
    }
}

fn lock(asked: &Mutex<Vec<Asked>>) -> MutexGuard<'_, Vec<Asked>> {
    asked.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Serves one connection until either side closes it. What is said goes over `wire`, below which is
/// `stream`.
fn converse(
    wire: impl Read + Write,
    stream: &TcpStream,
    script: &dyn Fn(usize, &Asked) -> Play,
    log: &Mutex<Vec<Asked>>,
) {
    let mut wire = BufReader::new(wire);
    while let Some(asked) = read(&mut wire) {
        let number = {
            let mut log = lock(log);
            log.push(asked.clone());
            log.len()
        };
        let writer = wire.get_mut();
        let written = match script(number, &asked) {
            Play::Answer(status, body) => {
                let head = format!("HTTP/1.1 {status} -\r\ncontent-length: {}\r\n\r\n", body.len());
                say(writer, &[head.into_bytes(), body].concat())
            }
            Play::Bytes(bytes) => {
                drop(say(writer, &bytes));
                return;
            }
            Play::Reset(bytes) => {
                drop(say(writer, &bytes));
                reset(stream);
                return;
            }
            Play::Silence => Ok(()),
            Play::Stall(bytes) => say(writer, &bytes),
            Play::Endless(first, again) => pour(writer, &first, &again),
        };
        if written.is_err() {
            return;
        }
    }
}

fn say(writer: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    writer.write_all(bytes)?;
    writer.flush()
}

/// Writes until the other side hangs up.
fn pour(writer: &mut impl Write, first: &[u8], again: &[u8]) -> io::Result<()> {
    say(writer, first)?;
    loop {
        say(writer, again)?;
    }
}

/// Makes the connection end with a reset, once nobody holds it any more.
fn reset(stream: &TcpStream) {
    let same = stream.try_clone().map(TcpSocket::from_std_stream);
    drop(same.and_then(|socket| socket.set_zero_linger()));
}

/// One question, if the other side has another.
fn read(reader: &mut impl BufRead) -> Option<Asked> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
    let line = line.trim_end().trim_end_matches(" HTTP/1.1").to_owned();
    let mut headers = Vec::new();
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok().filter(|read| *read > 0)?;
        let Some((name, value)) = header.trim_end().split_once(':') else { break };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length = length.and_then(|(_, value)| value.parse().ok()).unwrap_or(0);
    let mut body = Vec::new();
    reader.take(length).read_to_end(&mut body).ok()?;
    Some(Asked { line, headers, body: String::from_utf8(body).ok()? })
}
