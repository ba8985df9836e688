//! The receiver: a server of HTTP/1.1 with a thread of its own, which answers 204 and notes what
//! arrived when.

use std::collections::{HashMap, hash_map::Entry};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use domain::time::Timestamp;
use serde::Deserialize;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use super::super::stage::now;

/// The longest request that is read.
const REQUEST_MAX: usize = 64 * 1024;

const ANSWER: &[u8] = b"HTTP/1.1 204 No Content\r\n\r\n";

/// How long nothing at all may arrive while something is waited for: longer than the lease of a
/// delivery and the first delays of the schedule.
const STALL_MAX: Duration = Duration::from_secs(90);

const LOOK_EVERY: Duration = Duration::from_millis(2);

/// A receiver. It lasts as long as the process.
pub(super) struct Receiver {
    addr: SocketAddr,
    received: Arc<Mutex<Received>>,
    pause: watch::Sender<Duration>,
}

/// Events that arrived: for each link, when its event arrived first.
#[derive(Default)]
pub(super) struct Received {
    pub(super) first: HashMap<String, Arrival>,
    /// How often one arrived that had arrived before.
    pub(super) repeats: usize,
    /// How many bytes the bodies have.
    pub(super) bytes: usize,
    /// How many connections they came by.
    pub(super) connections: usize,
}

/// When an event arrived.
#[derive(Clone, Copy)]
pub(super) struct Arrival {
    pub(super) at: Instant,
    /// How long after the instant that the event gives as its own, in milliseconds. That instant is taken by the
    /// request that makes the event, before its transaction, so the commit lies within this time.
    pub(super) after_event_ms: f64,
}

/// The part of a webhook that says what it is about, and since when that is true.
#[derive(Deserialize)]
struct Webhook<'w> {
    payment_link_id: &'w str,
    updated_at: &'w str,
}

impl Receiver {
    /// Listens on a port of this machine.
    pub(super) fn open() -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let listener = runtime.block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, 0)))?;
        let addr = listener.local_addr()?;
        let received: Arc<Mutex<Received>> = Arc::default();
        let (pause, pauses) = watch::channel(Duration::ZERO);
        let notes = Arc::clone(&received);
        thread::spawn(move || runtime.block_on(listen(listener, notes, pauses)));
        Ok(Self { addr, received, pause })
    }

    /// Returns the address that events are sent to.
    pub(super) fn url(&self) -> String {
        format!("http://{}/hook", self.addr)
    }

    /// Makes every answer wait for so long. A pause of zero also ends the waits that have begun.
    pub(super) fn pause(&self, pause: Duration) {
        self.pause.send_replace(pause);
    }

    /// Waits until the events of so many links have arrived, and forgets them.
    pub(super) fn received(&self, count: usize) -> Result<Received> {
        let (mut known, mut since) = (0, Instant::now());
        loop {
            let len = lock(&self.received).first.len();
            if len >= count {
                return Ok(std::mem::take(&mut *lock(&self.received)));
            }
            if len > known {
                (known, since) = (len, Instant::now());
            }
            if since.elapsed() > STALL_MAX {
                bail!("{len} of {count} events were heard, and nothing more for {STALL_MAX:?}");
            }
            thread::sleep(LOOK_EVERY);
        }
    }
}

fn lock(received: &Mutex<Received>) -> MutexGuard<'_, Received> {
    received.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn listen(
    listener: TcpListener,
    received: Arc<Mutex<Received>>,
    pauses: watch::Receiver<Duration>,
) {
    while let Ok((stream, _)) = listener.accept().await {
        lock(&received).connections += 1;
        let (received, pauses) = (Arc::clone(&received), pauses.clone());
        tokio::spawn(async move {
            // One that ends in the middle of a request has delivered nothing.
            drop(serve(stream, &received, pauses).await);
        });
    }
}

async fn serve(
    mut stream: TcpStream,
    received: &Mutex<Received>,
    mut pauses: watch::Receiver<Duration>,
) -> Result<()> {
    stream.set_nodelay(true)?;
    let mut buffer = Vec::with_capacity(4096);
    loop {
        let (body, end) = loop {
            if let Some((body, end)) = request(&buffer)?
                && buffer.len() >= end
            {
                break (body, end);
            }
            if buffer.len() > REQUEST_MAX || stream.read_buf(&mut buffer).await? == 0 {
                return Ok(());
            }
        };
        note(received, buffer.get(body..end).unwrap_or_default())?;
        let pause = *pauses.borrow_and_update();
        if !pause.is_zero() {
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                _ = pauses.changed() => {}
            }
        }
        stream.write_all(ANSWER).await?;
        buffer.drain(..end);
    }
}

fn note(received: &Mutex<Received>, body: &[u8]) -> Result<()> {
    let (at, arrived) = (Instant::now(), now()?);
    let webhook: Webhook<'_> = serde_json::from_slice(body)?;
    let happened = Timestamp::parse(webhook.updated_at)?;
    let after_event_ms = arrived.since(happened).as_secs_f64() * 1e3;
    let mut received = lock(received);
    received.bytes += body.len();
    match received.first.entry(webhook.payment_link_id.to_owned()) {
        Entry::Vacant(place) => {
            place.insert(Arrival { at, after_event_ms });
        }
        Entry::Occupied(_) => received.repeats += 1,
    }
    Ok(())
}

/// Finds the start and the end of a request's body; `None` while the head is not there yet.
fn request(bytes: &[u8]) -> Result<Option<(usize, usize)>> {
    let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else {
        return Ok(None);
    };
    let head = std::str::from_utf8(bytes.get(..end).unwrap_or_default())?;
    let length = head.split("\r\n").find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>())
    });
    let body = end + 4;
    Ok(Some((body, body + length.context("a webhook that does not say how long it is")??)))
}
