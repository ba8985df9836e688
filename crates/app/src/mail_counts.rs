//! How sending mail went in this process.

use std::sync::atomic::{AtomicU64, Ordering};

static SENT: AtomicU64 = AtomicU64::new(0);
static FAILED: AtomicU64 = AtomicU64::new(0);
static GIVEN_UP: AtomicU64 = AtomicU64::new(0);

/// Counts of what this process tried to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MailCounts {
    /// Mails that the server has taken.
    pub sent: u64,
    /// Tries that failed, after which another follows.
    pub failed: u64,
    /// Mails that were given up.
    pub given_up: u64,
}

/// Returns the counts of this process.
#[must_use]
pub fn so_far() -> MailCounts {
    MailCounts {
        sent: SENT.load(Ordering::Relaxed),
        failed: FAILED.load(Ordering::Relaxed),
        given_up: GIVEN_UP.load(Ordering::Relaxed),
    }
}

pub(crate) fn note_sent() {
    SENT.fetch_add(1, Ordering::Relaxed);
}

pub(crate) fn note_failed() {
    FAILED.fetch_add(1, Ordering::Relaxed);
}

pub(crate) fn note_given_up() {
    GIVEN_UP.fetch_add(1, Ordering::Relaxed);
}
