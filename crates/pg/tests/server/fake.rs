//! A server that says what it is told to, whatever it is asked.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use pg::Config;

/// The first message of a connection that cancels a statement, after its length.
const CANCEL: [u8; 4] = 80_877_102_u32.to_be_bytes();

/// Key by which the server knows its sessions.
const KEY: [u8; 8] = [0, 0, 0, 7, 0, 0, 0, 9];

/// A message of that type.
pub(crate) fn message(tag: u8, body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len() + 4).unwrap().to_be_bytes();
    [&[tag], length.as_slice(), body].concat()
}

/// The server is ready for the next statement.
pub(crate) fn ready() -> Vec<u8> {
    message(b'Z', b"I")
}

/// A demand to prove who we are.
pub(crate) fn demand(way: u32, more: &[u8]) -> Vec<u8> {
    message(b'R', &[way.to_be_bytes().as_slice(), more].concat())
}

/// A login without a password.
pub(crate) fn login() -> Vec<u8> {
    [demand(0, &[]), message(b'K', &KEY), ready()].concat()
}

/// A statement without parameters and with one column of text is prepared.
pub(crate) fn prepared() -> Vec<u8> {
    let column = [b"text\0".as_slice(), &[0; 6], &25_u32.to_be_bytes(), &[0; 8]].concat();
    let columns = [&[0, 1], column.as_slice()].concat();
    let parts = [message(b'1', &[]), message(b't', &[0, 0]), message(b'T', &columns), ready()];
    parts.concat()
}

/// The server. It serves until the test's process ends.
pub(crate) struct Fake {
    port: u16,
    cancels: mpsc::Receiver<()>,
    /// How many bytes were sent by clients after the first message of each.
    pub(crate) received: Arc<AtomicUsize>,
}

impl Fake {
    /// A server that says the first of these when a session begins, and the next one after each `Sync` or password.
    /// Then it is silent until the client hangs up, or hangs up itself.
    pub(crate) fn saying(answers: &[Vec<u8>], hangs_up: bool) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let (cancelled, cancels) = mpsc::channel();
        let fake = Self { port, cancels, received: Arc::default() };
        let received = Arc::clone(&fake.received);
        let answers: Arc<[Vec<u8>]> = answers.into();
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let (cancelled, received) = (cancelled.clone(), Arc::clone(&received));
                let answers = Arc::clone(&answers);
                let serve = move || serve(client, &answers, hangs_up, &cancelled, &received);
                // Whoever hangs up has heard enough.
                thread::spawn(|| drop(serve()));
            }
        });
        fake
    }

    /// Its address, with more to be said of it.
    pub(crate) fn url(&self, more: &str) -> String {
        format!("postgres://me:hunter2@127.0.0.1:{}/db{more}", self.port)
    }

    pub(crate) fn config(&self) -> Config {
        Config::parse(&self.url("?connect_timeout=1")).unwrap()
    }

    /// Waits until it was asked to cancel a statement of a session of its own, and asserts that it was asked once.
    pub(crate) fn wait_for_cancel(&self, case: &str) {
        let cancel = self.cancels.recv_timeout(Duration::from_secs(60));
        assert!(cancel.is_ok(), "no cancel request {case}");
        assert!(!self.was_cancelled(), "cancelled twice {case}");
    }

    /// Tells whether the server was asked to cancel a statement of a session of its own.
    pub(crate) fn was_cancelled(&self) -> bool {
        self.cancels.try_recv().is_ok()
    }
}

fn serve(
    mut client: TcpStream,
    answers: &[Vec<u8>],
    hangs_up: bool,
    cancelled: &mpsc::Sender<()>,
    received: &AtomicUsize,
) -> io::Result<()> {
    client.set_nodelay(true)?;
    let mut head = [0; 4];
    client.read_exact(&mut head)?;
    let mut first = vec![0; u32::from_be_bytes(head) as usize - head.len()];
    client.read_exact(&mut first)?;
    if first.starts_with(&CANCEL) {
        if first.ends_with(&KEY) {
            cancelled.send(()).ok();
        }
        return Ok(());
    }
    for (number, answer) in answers.iter().enumerate() {
        while number > 0 && !is_waited_for(&mut client, received)? {}
        client.write_all(answer)?;
    }
    if !hangs_up {
        while client.read(&mut [0; 1024])? > 0 {}
    }
    Ok(())
}

/// Reads a message; answers whether the client waits after it.
fn is_waited_for(client: &mut TcpStream, received: &AtomicUsize) -> io::Result<bool> {
    let mut head = [0; 5];
    client.read_exact(&mut head)?;
    let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize;
    client.read_exact(&mut vec![0; length - 4])?;
    received.fetch_add(length, Ordering::SeqCst);
    Ok([b'S', b'Q', b'p'].contains(&head[0]))
}
