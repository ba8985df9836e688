//! A reader that holds the write-ahead log (WAL): as long as its transaction is open, nothing can be checkpointed that
//! was written since it began, and the WAL grows with each commit.
//!
//! Reads of this store have a time limit. So a checkpoint that comes no further for longer than that is held by another
//! program: a shell that somebody left open, or a tool that copies the file.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How many times the limit of this store's own reads a checkpoint must stand still to be held by another's.
const HOLD_FACTOR: u32 = 2;

/// How long nothing is logged of a hold that goes on, unless the WAL grows much.
const WARN_INTERVAL: Duration = Duration::from_secs(5 * 60);

/// How much the WAL grows until it is logged again: to twice its length.
const WARN_GROWTH: u64 = 2;

/// Result of one checkpoint: how many pages the WAL had when it began, and how many of them are in the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pass {
    pub(crate) log: u32,
    pub(crate) checkpointed: u32,
}

impl Pass {
    /// How many pages it left.
    pub(crate) fn rest(self) -> u32 {
        self.log.saturating_sub(self.checkpointed)
    }
}

/// Length of the WAL while another program holds it, as the engine sees it.
#[derive(Debug, Default)]
pub(crate) struct WalHold(AtomicU64);

impl WalHold {
    /// Returns how long the WAL is, in bytes, if another program holds it.
    pub(crate) fn bytes(&self) -> Option<u64> {
        Some(self.0.load(Ordering::Relaxed)).filter(|bytes| *bytes > 0)
    }
}

/// Watch over how far checkpoints come.
pub(crate) struct HoldWatch {
    hold: Arc<WalHold>,
    page_bytes: u64,
    /// How long a checkpoint must stand still to be held by another program.
    hold_min: Duration,
    /// How far a checkpoint came that left much, in pages, and when one first came no further.
    stopped: Option<(u32, Instant)>,
    /// When the operator was last warned of the hold that goes on, and how long the WAL was.
    warned: Option<(Instant, u64)>,
}

impl HoldWatch {
    /// A watch that keeps `hold`, in a database with pages of that size, whose own reads take `read_limit` at most.
    pub(crate) fn new(hold: Arc<WalHold>, page_bytes: u32, read_limit: Duration) -> Self {
        Self {
            hold,
            page_bytes: page_bytes.into(),
            hold_min: read_limit.saturating_mul(HOLD_FACTOR),
            stopped: None,
            warned: None,
        }
    }

    /// Notes a pass that left much of the WAL behind.
    pub(crate) fn note_stop(&mut self, pass: Pass, now: Instant) {
        let since = match self.stopped {
            Some((pages, since)) if pages == pass.checkpointed => since,
            // It came further: what was in its way is gone, and something else may be.
            _ => now,
        };
        self.stopped = Some((pass.checkpointed, since));
        if now.duration_since(since) < self.hold_min {
            return;
        }
        let bytes = u64::from(pass.log) * self.page_bytes;
        self.hold.0.store(bytes, Ordering::Relaxed);
        let is_due = self.warned.is_none_or(|(at, warned_of)| {
            let is_long_ago = now.duration_since(at) >= WARN_INTERVAL;
            is_long_ago || bytes >= warned_of.saturating_mul(WARN_GROWTH)
        });
        if is_due {
            self.warned = Some((now, bytes));
            tracing::warn!(
                wal_mib = bytes >> 20,
                "another program keeps a transaction open on the database file, so that its WAL cannot be checkpointed \
                 and grows with every commit: end that program, such as sqlite3 or one that copies the file"
            );
        }
    }

    /// Notes that little of the WAL was left.
    pub(crate) fn note_end(&mut self) {
        self.stopped = None;
        self.hold.0.store(0, Ordering::Relaxed);
        if self.warned.take().is_some() {
            tracing::info!("the WAL is checkpointed again: no other program holds it any more");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const READ_LIMIT: Duration = Duration::from_secs(2);
    const PAGE_BYTES: u32 = 4096;

    #[expect(clippy::disallowed_methods, reason = "an instant has no other beginning")]
    fn watch() -> (HoldWatch, Arc<WalHold>, Instant) {
        let hold = Arc::new(WalHold::default());
        (HoldWatch::new(Arc::clone(&hold), PAGE_BYTES, READ_LIMIT), hold, Instant::now())
    }

    fn pass(checkpointed: u32, log: u32) -> Pass {
        Pass { log, checkpointed }
    }

    #[test]
    fn what_stands_still_for_longer_than_any_read_of_ours_is_held_by_another() {
        let (mut watch, hold, begun) = watch();
        let after = |seconds| begun + Duration::from_secs(seconds);
        watch.note_stop(pass(7, 1_000), after(0));
        watch.note_stop(pass(7, 2_000), after(3));
        assert_eq!(hold.bytes(), None, "a read of our own may take two seconds, and wait before");
        watch.note_stop(pass(7, 3_000), after(4));
        assert_eq!(hold.bytes(), Some(3_000 * u64::from(PAGE_BYTES)));
        // Another one holds it further on, for as long as nobody knows.
        watch.note_stop(pass(9, 4_000), after(5));
        assert_eq!(hold.bytes(), Some(3_000 * u64::from(PAGE_BYTES)));
        watch.note_stop(pass(9, 5_000), after(9));
        assert_eq!(hold.bytes(), Some(5_000 * u64::from(PAGE_BYTES)));
        watch.note_end();
        assert_eq!(hold.bytes(), None);
    }

    #[test]
    fn reads_that_follow_each_other_hold_nothing() {
        let (mut watch, hold, begun) = watch();
        for second in 0..60 {
            let now = begun + Duration::from_secs(second.into());
            watch.note_stop(pass(second, 10_000), now);
        }
        assert_eq!(hold.bytes(), None);
    }

    #[test]
    fn the_operator_is_warned_at_first_and_then_seldom_or_once_it_has_grown_much() {
        let (mut watch, _, begun) = watch();
        let mut warned_after = |seconds: u64, log| {
            watch.note_stop(pass(7, log), begun + Duration::from_secs(seconds));
            watch.warned.map(|(at, _)| at.duration_since(begun).as_secs())
        };
        assert_eq!(warned_after(0, 1_000), None);
        assert_eq!(warned_after(4, 1_000), Some(4));
        assert_eq!(warned_after(5, 1_999), Some(4));
        assert_eq!(warned_after(6, 2_000), Some(6));
        assert_eq!(warned_after(300, 2_001), Some(6));
        assert_eq!(warned_after(306, 2_001), Some(306));
        watch.note_end();
        assert!(watch.warned.is_none(), "the next hold is another one");
    }
}
