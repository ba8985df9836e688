//! How attempts of this process went. To count one costs an addition.

use std::sync::atomic::{AtomicU64, Ordering};

use store::deliveries::Next;

static DELIVERED: AtomicU64 = AtomicU64::new(0);
static FAILED: AtomicU64 = AtomicU64::new(0);
static EXHAUSTED: AtomicU64 = AtomicU64::new(0);

/// Counts of the attempts of this process whose results were recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Those after which a receiver has the event.
    pub delivered: u64,
    /// Those after which another one follows.
    pub failed: u64,
    /// Those after which the delivery was given up.
    pub exhausted: u64,
}

/// Returns the counts of this process.
#[must_use]
pub fn counts() -> Counts {
    Counts {
        delivered: DELIVERED.load(Ordering::Relaxed),
        failed: FAILED.load(Ordering::Relaxed),
        exhausted: EXHAUSTED.load(Ordering::Relaxed),
    }
}

/// Counts an attempt that was recorded, by what follows it.
pub(crate) fn note(next: &Next) {
    let count = match next {
        Next::Delivered => &DELIVERED,
        Next::At(_) => &FAILED,
        Next::Exhausted => &EXHAUSTED,
    };
    count.fetch_add(1, Ordering::Relaxed);
}
