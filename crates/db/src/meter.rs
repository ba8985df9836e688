//! What the work of one request cost the store, for its access log line.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::tx::Cost;

/// Sums over every job that was given the same meter.
#[derive(Debug, Default)]
pub struct Meter {
    statements: AtomicU64,
    waits: AtomicU64,
    micros: AtomicU64,
}

impl Meter {
    /// Adds a job: what it sent, and how long it took from its submission to its answer.
    pub fn add(&self, cost: Cost, elapsed: Duration) {
        let micros = u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX);
        // Three sums, read after the work is over: no order among them is needed.
        self.statements.fetch_add(cost.statements.into(), Ordering::Relaxed);
        self.waits.fetch_add(cost.waits.into(), Ordering::Relaxed);
        self.micros.fetch_add(micros, Ordering::Relaxed);
    }

    /// Statements sent.
    #[must_use]
    pub fn statements(&self) -> u64 {
        self.statements.load(Ordering::Relaxed)
    }

    /// Times that a job waited for an answer.
    #[must_use]
    pub fn waits(&self) -> u64 {
        self.waits.load(Ordering::Relaxed)
    }

    /// Microseconds in the store, waiting in its queues included.
    #[must_use]
    pub fn store_micros(&self) -> u64 {
        self.micros.load(Ordering::Relaxed)
    }
}
