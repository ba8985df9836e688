//! A server of HTTP on this machine that does what a test says, ugly things included.
//!
//! It runs on threads of its own and speaks raw bytes, so that a test of what is asked shares no
//! code with whoever asks.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

/// What was asked.
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

/// What the server does with a question.
#[derive(Clone, Debug)]
pub enum Play {
    /// Answers with this status and body, and keeps the connection.
    Answer(u16, Vec<u8>),
    /// Writes these bytes and closes.
    Bytes(Vec<u8>),
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
    connections: Arc<AtomicUsize>,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Scripted {
    /// Serves by `script`, which may block.
    ///
    /// # Panics
    /// Where this machine gives no port.
    pub fn start(script: impl Fn(&Asked) -> Play + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let address = listener.local_addr().expect("an address");
        let server = Self { address, connections: Arc::default(), asked: Arc::default() };
        let (connections, asked) = (Arc::clone(&server.connections), Arc::clone(&server.asked));
        let script = Arc::new(script);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                connections.fetch_add(1, Ordering::SeqCst);
                let (script, asked) = (Arc::clone(&script), Arc::clone(&asked));
                thread::spawn(move || serve(&stream, &*script, &asked));
            }
        });
        server
    }

    /// The address to put paths behind.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// How many connections were made.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    /// What was asked so far.
    #[must_use]
    pub fn asked(&self) -> Vec<Asked> {
        lock(&self.asked).clone()
    }
}

fn lock(asked: &Mutex<Vec<Asked>>) -> MutexGuard<'_, Vec<Asked>> {
    asked.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Serves one connection until either side closes it.
fn serve(stream: &TcpStream, script: &dyn Fn(&Asked) -> Play, log: &Mutex<Vec<Asked>>) {
    let mut reader = BufReader::new(stream);
    while let Some(asked) = read(&mut reader) {
        lock(log).push(asked.clone());
        let mut writer = stream;
        let written = match script(&asked) {
            Play::Answer(status, body) => {
                let head = format!("HTTP/1.1 {status} -\r\ncontent-length: {}\r\n\r\n", body.len());
                writer.write_all(&[head.into_bytes(), body].concat())
            }
            Play::Bytes(bytes) => {
                drop(writer.write_all(&bytes));
                return;
            }
            Play::Silence => Ok(()),
            Play::Stall(bytes) => writer.write_all(&bytes),
            Play::Endless(first, again) => pour(writer, &first, &again),
        };
        if written.is_err() {
            return;
        }
    }
}

/// Writes until the other side hangs up.
fn pour(mut writer: &TcpStream, first: &[u8], again: &[u8]) -> io::Result<()> {
    writer.write_all(first)?;
    loop {
        writer.write_all(again)?;
    }
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
