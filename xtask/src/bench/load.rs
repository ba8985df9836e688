//! Loads. A closed loop: so many connections, each with one request under way, for so long. An open loop: requests
//! that begin at fixed instants, whatever was answered.

#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock and spawns its load")]

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use tokio::sync::{Mutex, mpsc};
use tokio::task::JoinHandle;

use super::client::Client;
use crate::statistics::percentile;

/// Writes the requests of a load, each by its number.
pub(super) trait Requests: Send + Sync + 'static {
    /// Writes the request into `buffer`, which is empty.
    fn write(&self, number: u64, buffer: &mut Vec<u8>);
}

/// How many connections an open loop has: as many requests may be under way before one has to wait. The wait counts.
const OPEN_CONNECTIONS: usize = 256;

/// How long a load may take that ends with its requests.
const COUNTED_MAX: Duration = Duration::from_secs(3_600);

/// Target of a load, and its weight.
#[derive(Clone)]
pub(super) struct Load {
    pub(super) to: SocketAddr,
    pub(super) connections: usize,
    pub(super) requests: Arc<dyn Requests>,
    /// The number of the next request: a load that goes on from round to round repeats none.
    pub(super) next: Arc<AtomicU64>,
}

/// The result.
#[derive(Clone, Copy)]
pub(super) struct Outcome {
    pub(super) per_second: f64,
    pub(super) p50_ms: f64,
    pub(super) p99_ms: f64,
    pub(super) answered: u64,
}

impl Outcome {
    /// Computes the outcome of answers that took so many milliseconds each, in that time.
    pub(super) fn of(millis: Vec<f64>, time: Duration) -> Self {
        Self {
            per_second: millis.len() as f64 / time.as_secs_f64(),
            answered: millis.len() as u64,
            p50_ms: percentile(millis.clone(), 0.5),
            p99_ms: percentile(millis, 0.99),
        }
    }
}

impl Load {
    pub(super) fn new(to: SocketAddr, connections: usize, requests: Arc<dyn Requests>) -> Self {
        Self { to, connections, requests, next: Arc::default() }
    }

    /// Runs for `time` on a runtime of its own. An answer other than success ends it.
    pub(super) fn run(&self, time: Duration) -> Result<Outcome> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
        runtime.block_on(self.drive(time, u64::MAX))
    }

    /// Runs until so many requests were answered.
    pub(super) fn run_count(&self, count: u64) -> Result<Outcome> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
        runtime.block_on(self.drive(COUNTED_MAX, count))
    }

    /// Begins so many requests a second for `time`. A latency is counted from the instant at which the request was
    /// to begin.
    pub(super) fn run_open(&self, per_second: f64, time: Duration) -> Result<Outcome> {
        let count = (per_second * time.as_secs_f64()) as u64;
        self.run_open_until(per_second, move |number| number >= count)
    }

    /// The same until `is_over` says so: it is asked with the number of each request before that is due.
    pub(super) fn run_open_until(
        &self,
        per_second: f64,
        is_over: impl Fn(u64) -> bool + Send + 'static,
    ) -> Result<Outcome> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
        let (ticks, due) = mpsc::unbounded_channel();
        runtime.block_on(async {
            let due = Arc::new(Mutex::new(due));
            let mut tasks = Vec::with_capacity(OPEN_CONNECTIONS);
            for _ in 0..OPEN_CONNECTIONS {
                let client = Client::connect(self.to).await?;
                tasks.push(tokio::spawn(attend_open(self.clone(), client, Arc::clone(&due))));
            }
            let begun = Instant::now();
            // A thread of its own: the runtime's timer is no finer than a millisecond.
            thread::spawn(move || pace(&ticks, per_second, begun, is_over));
            collect(tasks, begun).await
        })
    }

    async fn drive(&self, time: Duration, count: u64) -> Result<Outcome> {
        let mut clients = Vec::with_capacity(self.connections);
        for _ in 0..self.connections {
            clients.push(Client::connect(self.to).await?);
        }
        let last = self.next.load(Ordering::Relaxed).saturating_add(count);
        let begun = Instant::now();
        let end = begun + time;
        let attend = |client| tokio::spawn(attend(self.clone(), client, end, last));
        let outcome = collect(clients.into_iter().map(attend).collect(), begun).await;
        // A connection that found that there is no more has taken a number all the same.
        self.next.fetch_min(last, Ordering::Relaxed);
        outcome
    }
}

impl Load {
    /// Sends the request of that number. An answer other than success is an error.
    async fn call(&self, client: &mut Client, number: u64, request: &mut Vec<u8>) -> Result<()> {
        request.clear();
        self.requests.write(number, request);
        let answer = client.call(request).await?;
        if answer.status != 200 {
            bail!("{} {}", answer.status, String::from_utf8_lossy(answer.body));
        }
        Ok(())
    }
}

/// Collects the outcome of all connections.
async fn collect(tasks: Vec<JoinHandle<Result<Vec<f64>>>>, begun: Instant) -> Result<Outcome> {
    let mut millis = Vec::new();
    for task in tasks {
        millis.extend(task.await.context("a connection's task")??);
    }
    Ok(Outcome::of(millis, begun.elapsed()))
}

/// Says at each instant that a request is due.
fn pace(
    ticks: &mpsc::UnboundedSender<Instant>,
    per_second: f64,
    begun: Instant,
    is_over: impl Fn(u64) -> bool,
) {
    for number in (0..).take_while(|number| !is_over(*number)) {
        let due = begun + Duration::from_secs_f64(number as f64 / per_second);
        thread::sleep(due.saturating_duration_since(Instant::now()));
        if ticks.send(due).is_err() {
            return;
        }
    }
}

/// One connection of an open loop.
async fn attend_open(
    load: Load,
    mut client: Client,
    due: Arc<Mutex<mpsc::UnboundedReceiver<Instant>>>,
) -> Result<Vec<f64>> {
    let mut millis = Vec::new();
    let mut request = Vec::with_capacity(1024);
    loop {
        let next = due.lock().await.recv().await;
        let Some(due) = next else { return Ok(millis) };
        let number = load.next.fetch_add(1, Ordering::Relaxed);
        load.call(&mut client, number, &mut request).await?;
        millis.push(due.elapsed().as_secs_f64() * 1e3);
    }
}

/// One connection: how long each of its answers took, in milliseconds. It asks until `end`, and
/// nothing from the request `last` on.
async fn attend(load: Load, mut client: Client, end: Instant, last: u64) -> Result<Vec<f64>> {
    let mut millis = Vec::new();
    let mut request = Vec::with_capacity(1024);
    loop {
        let begun = Instant::now();
        if begun >= end {
            return Ok(millis);
        }
        let number = load.next.fetch_add(1, Ordering::Relaxed);
        if number >= last {
            return Ok(millis);
        }
        load.call(&mut client, number, &mut request).await?;
        millis.push(begun.elapsed().as_secs_f64() * 1e3);
    }
}
