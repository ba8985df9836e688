//! A closed loop: so many connections, each with one request under way, for so long.

#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock and spawns its load")]

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::client::Client;
use crate::statistics::percentile;

/// Writes the requests of a load, each by its number.
pub(super) trait Requests: Send + Sync + 'static {
    /// Writes the request into `buffer`, which is empty.
    fn write(&self, number: u64, buffer: &mut Vec<u8>);

    /// How many there are for one round, where they run out; it ends with them, if not before.
    fn a_round(&self) -> u64 {
        u64::MAX
    }

    /// The status that they are answered with.
    fn success(&self) -> u16 {
        200
    }
}

/// Where a load goes and how heavy it is.
#[derive(Clone)]
pub(super) struct Load {
    pub(super) to: SocketAddr,
    pub(super) connections: usize,
    pub(super) requests: Arc<dyn Requests>,
    /// The number of the next request: a load that goes on from round to round repeats none.
    pub(super) next: Arc<AtomicU64>,
}

/// What came of it.
#[derive(Clone, Copy)]
pub(super) struct Outcome {
    pub(super) per_second: f64,
    pub(super) p50_ms: f64,
    pub(super) p99_ms: f64,
    pub(super) answered: u64,
}

impl Load {
    pub(super) fn new(to: SocketAddr, connections: usize, requests: Arc<dyn Requests>) -> Self {
        Self { to, connections, requests, next: Arc::default() }
    }

    /// Runs for `time` on a runtime of its own. An answer other than success ends it.
    pub(super) fn run(&self, time: Duration) -> Result<Outcome> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
        runtime.block_on(self.drive(time))
    }

    async fn drive(&self, time: Duration) -> Result<Outcome> {
        let mut clients = Vec::with_capacity(self.connections);
        for _ in 0..self.connections {
            clients.push(Client::connect(self.to).await?);
        }
        let last = self.next.load(Ordering::Relaxed).saturating_add(self.requests.a_round());
        let begun = Instant::now();
        let end = begun + time;
        let tasks: Vec<_> = clients
            .into_iter()
            .map(|client| tokio::spawn(attend(self.clone(), client, end, last)))
            .collect();
        let mut millis = Vec::new();
        for task in tasks {
            millis.extend(task.await.context("a connection's task")??);
        }
        let seconds = begun.elapsed().as_secs_f64();
        // Whoever found that there is no more has taken a number all the same.
        self.next.fetch_min(last, Ordering::Relaxed);
        Ok(Outcome {
            per_second: millis.len() as f64 / seconds,
            answered: millis.len() as u64,
            p50_ms: percentile(millis.clone(), 0.5),
            p99_ms: percentile(millis, 0.99),
        })
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
        request.clear();
        load.requests.write(number, &mut request);
        let answer = client.call(&request).await?;
        if answer.status != load.requests.success() {
            bail!("{} {}", answer.status, String::from_utf8_lossy(answer.body));
        }
        millis.push(begun.elapsed().as_secs_f64() * 1e3);
    }
}
