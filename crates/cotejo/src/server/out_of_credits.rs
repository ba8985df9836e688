//! How many owners have run out of credits. It is counted when somebody asks, so that no payment waits for it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use store::Store;
use store::out_of_credits::OutOfCredits;
use tokio::sync::mpsc::Receiver;

/// How many are kept until somebody asks; what goes beyond is not counted.
const UNCOUNTED_MAX: usize = 4_096;

/// The count, and what is not counted yet.
#[derive(Debug)]
pub(super) struct OutOfCreditsCount {
    events: Mutex<Receiver<OutOfCredits>>,
    count: AtomicU64,
}

impl OutOfCreditsCount {
    /// Counts from here on what the store commits.
    pub(super) fn of(store: &Store) -> Self {
        let events = store.subscribe::<OutOfCredits>(UNCOUNTED_MAX);
        Self { events: Mutex::new(events), count: AtomicU64::new(0) }
    }

    /// How many there were.
    pub(super) fn so_far(&self) -> u64 {
        let mut events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        let new = std::iter::from_fn(|| events.try_recv().ok()).count() as u64;
        self.count.fetch_add(new, Ordering::Relaxed) + new
    }
}
