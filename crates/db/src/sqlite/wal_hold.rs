//! A write-ahead log (WAL) that grows: a reader holds it, or there is no moment without a read in which it could start over.
//!
//! As long as a reader's transaction is open, nothing can be checkpointed that was written since it began. Reads of this
//! store have a time limit. So a checkpoint that comes no further for longer than that is held by another program: a shell
//! that somebody left open, a tool that copies the file, or an audit, which takes as long as it takes. So is a WAL whose
//! lock of checkpoints another process has for as long.
//!
//! A WAL that checkpoints do get through grows all the same while reads overlap, since it starts over only once nobody
//! reads in it. So its length counts, too, whoever holds it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// At how many times the length at which it is checkpointed the writer waits for readers, so that the WAL starts over.
pub(crate) const RESTART_FACTOR: u32 = 8;

/// At how many times that length the WAL should have started over.
const LONG_FACTOR: u32 = 2;

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
    /// Tells that the WAL was to start over, and that somebody was in the way of that.
    pub(crate) was_blocked: bool,
}

impl Pass {
    /// How many pages it left.
    pub(crate) fn rest(self) -> u32 {
        self.log.saturating_sub(self.checkpointed)
    }
}

/// Length of a WAL that grows, as the engine sees it.
#[derive(Debug, Default)]
pub(crate) struct WalHold {
    held: AtomicU64,
    long: AtomicU64,
}

impl WalHold {
    /// Returns how long the WAL is, in bytes, if another program holds it.
    pub(crate) fn bytes(&self) -> Option<u64> {
        Some(self.held.load(Ordering::Relaxed)).filter(|bytes| *bytes > 0)
    }

    /// Returns how long the WAL is, in bytes, if it should have started over, whoever keeps it from that.
    pub(crate) fn long_bytes(&self) -> Option<u64> {
        Some(self.long.load(Ordering::Relaxed)).filter(|bytes| *bytes > 0)
    }
}

/// Watch over how far checkpoints come, and over the length of the WAL.
pub(crate) struct HoldWatch {
    hold: Arc<WalHold>,
    page_bytes: u64,
    /// The length at which the WAL is checkpointed, in pages.
    threshold_pages: u32,
    /// How long a checkpoint must stand still to be held by another program.
    hold_min: Duration,
    /// How far a checkpoint came that left much, in pages, and when one first came no further.
    stopped: Option<(u32, Instant)>,
    /// When a checkpoint first found its lock taken by another process.
    locked_at: Option<Instant>,
    warned_of_hold: Warned,
    warned_of_length: Warned,
}

/// When the operator was last warned of what goes on, and how long the WAL was.
#[derive(Default)]
struct Warned(Option<(Instant, u64)>);

impl HoldWatch {
    /// A watch that keeps `hold`, in a database with pages of that size whose WAL is checkpointed at so many of them, and
    /// whose own reads take `read_limit` at most.
    pub(crate) fn new(
        hold: Arc<WalHold>,
        page_bytes: u32,
        threshold_pages: u32,
        read_limit: Duration,
    ) -> Self {
        Self {
            hold,
            page_bytes: page_bytes.into(),
            threshold_pages,
            hold_min: read_limit.saturating_mul(HOLD_FACTOR),
            stopped: None,
            locked_at: None,
            warned_of_hold: Warned::default(),
            warned_of_length: Warned::default(),
        }
    }

    /// Tells whether a WAL of so many pages should have started over.
    pub(crate) fn is_long(&self, pages: u32) -> bool {
        pages >= self.threshold_pages.saturating_mul(LONG_FACTOR)
    }

    /// Tells whether the WAL is longer than it should be, as far as it was noted.
    pub(crate) fn has_noted_length(&self) -> bool {
        self.hold.long_bytes().is_some()
    }

    /// Notes a pass that left much of the WAL behind.
    pub(crate) fn note_stop(&mut self, pass: Pass, now: Instant) {
        let since = match self.stopped {
            Some((pages, since)) if pages == pass.checkpointed => since,
            // It came further: what was in its way is gone, and something else may be.
            _ => now,
        };
        (self.stopped, self.locked_at) = (Some((pass.checkpointed, since)), None);
        if now.duration_since(since) >= self.hold_min {
            self.note_hold(pass.log, now);
        }
        self.note_length(pass.log, now);
    }

    /// Notes that another process has the lock of checkpoints, the WAL being so many pages long.
    pub(crate) fn note_lock(&mut self, pages: u32, now: Instant) {
        let since = *self.locked_at.get_or_insert(now);
        if now.duration_since(since) >= self.hold_min {
            self.note_hold(pages, now);
        }
        self.note_length(pages, now);
    }

    /// Notes that little of the WAL was left, which has so many pages and cannot start over.
    pub(crate) fn note_long(&mut self, pages: u32, now: Instant) {
        self.end_hold();
        self.note_length(pages, now);
    }

    /// Notes that little of the WAL was left, and that it is short or starts over.
    pub(crate) fn note_end(&mut self) {
        self.end_hold();
        self.end_length();
    }

    fn note_hold(&mut self, pages: u32, now: Instant) {
        let bytes = self.bytes(pages);
        self.hold.held.store(bytes, Ordering::Relaxed);
        if self.warned_of_hold.is_due(bytes, now) {
            tracing::warn!(
                wal_mib = bytes >> 20,
                "another program keeps a transaction open on the database file, or a checkpoint of its own, so that the \
                 WAL cannot be checkpointed and grows with every commit: end that program, such as sqlite3 or one that \
                 copies the file; or wait for its end where it is an audit, such as cotejo check-ledger, or a cotejo \
                 backup"
            );
        }
    }

    fn note_length(&mut self, pages: u32, now: Instant) {
        if !self.is_long(pages) {
            return self.end_length();
        }
        let bytes = self.bytes(pages);
        self.hold.long.store(bytes, Ordering::Relaxed);
        // Of a hold that is known something else is said.
        let is_alarming = pages >= self.threshold_pages.saturating_mul(RESTART_FACTOR);
        let is_said = self.hold.bytes().is_some();
        if is_alarming && !is_said && self.warned_of_length.is_due(bytes, now) {
            tracing::warn!(
                wal_mib = bytes >> 20,
                "reads follow each other without a pause, so that the WAL of the database cannot start over and grows \
                 with every commit: have fewer long reads at once, such as lists, statistics and exports"
            );
        }
    }

    fn end_hold(&mut self) {
        (self.stopped, self.locked_at) = (None, None);
        self.hold.held.store(0, Ordering::Relaxed);
        if self.warned_of_hold.end() {
            tracing::info!("the WAL is checkpointed again: no other program holds it any more");
        }
    }

    fn end_length(&mut self) {
        self.hold.long.store(0, Ordering::Relaxed);
        if self.warned_of_length.end() {
            tracing::info!("the WAL starts over again: there was a moment without a read");
        }
    }

    fn bytes(&self, pages: u32) -> u64 {
        u64::from(pages) * self.page_bytes
    }
}

impl Warned {
    /// Takes note of a warning, if one is due.
    fn is_due(&mut self, bytes: u64, now: Instant) -> bool {
        let is_due = self.0.is_none_or(|(at, warned_of)| {
            let is_long_ago = now.duration_since(at) >= WARN_INTERVAL;
            is_long_ago || bytes >= warned_of.saturating_mul(WARN_GROWTH)
        });
        if is_due {
            self.0 = Some((now, bytes));
        }
        is_due
    }

    /// Ends what was warned of; answers whether there was a warning.
    fn end(&mut self) -> bool {
        self.0.take().is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const READ_LIMIT: Duration = Duration::from_secs(2);
    const PAGE_BYTES: u32 = 4096;

    /// Threshold by which 20,000 pages are long, and 80,000 are to be warned of.
    const THRESHOLD_PAGES: u32 = 10_000;

    #[expect(clippy::disallowed_methods, reason = "an instant has no other beginning")]
    fn watch() -> (HoldWatch, Arc<WalHold>, Instant) {
        let hold = Arc::new(WalHold::default());
        let watch = HoldWatch::new(Arc::clone(&hold), PAGE_BYTES, THRESHOLD_PAGES, READ_LIMIT);
        (watch, hold, Instant::now())
    }

    fn pass(checkpointed: u32, log: u32) -> Pass {
        Pass { log, checkpointed, was_blocked: false }
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
    fn a_lock_of_checkpoints_that_another_has_for_long_is_a_hold() {
        let (mut watch, hold, begun) = watch();
        let after = |seconds| begun + Duration::from_secs(seconds);
        watch.note_lock(1_000, after(0));
        watch.note_lock(1_000, after(3));
        assert_eq!(hold.bytes(), None, "others checkpoint, too");
        watch.note_lock(2_000, after(4));
        assert_eq!(hold.bytes(), Some(2_000 * u64::from(PAGE_BYTES)));
        watch.note_end();
        assert_eq!(hold.bytes(), None);
        // One checkpoint in between that came anywhere.
        watch.note_lock(1_000, after(10));
        watch.note_stop(pass(7, 1_000), after(12));
        watch.note_lock(1_000, after(14));
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
            watch.warned_of_hold.0.map(|(at, _)| at.duration_since(begun).as_secs())
        };
        assert_eq!(warned_after(0, 1_000), None);
        assert_eq!(warned_after(4, 1_000), Some(4));
        assert_eq!(warned_after(5, 1_999), Some(4));
        assert_eq!(warned_after(6, 2_000), Some(6));
        assert_eq!(warned_after(300, 2_001), Some(6));
        assert_eq!(warned_after(306, 2_001), Some(306));
        watch.note_end();
        assert!(watch.warned_of_hold.0.is_none(), "the next hold is another one");
    }

    #[test]
    fn the_length_counts_with_any_holder_of_the_wal_and_is_said_once_it_is_alarming() {
        let (mut watch, hold, begun) = watch();
        let after = |seconds: u32| begun + Duration::from_secs(seconds.into());
        // Reads that overlap let every checkpoint come further.
        for (second, log) in (0..).zip([19_999, 20_000, 79_999]) {
            watch.note_stop(pass(second, log), after(second));
            assert_eq!(watch.has_noted_length(), log >= 20_000);
            assert!(watch.warned_of_length.0.is_none());
        }
        watch.note_long(80_000, after(3));
        assert_eq!(hold.long_bytes(), Some(80_000 * u64::from(PAGE_BYTES)));
        assert!(watch.warned_of_length.0.is_some());
        assert_eq!(hold.bytes(), None);
        watch.note_long(1_000, after(4));
        assert_eq!(hold.long_bytes(), None);
        assert!(watch.warned_of_length.0.is_none(), "what comes next is something else");
    }

    #[test]
    fn of_a_long_hold_nothing_is_said_but_whose_it_is() {
        let (mut watch, hold, begun) = watch();
        watch.note_stop(pass(7, 10), begun);
        watch.note_stop(pass(7, 90_000), begun + Duration::from_secs(4));
        assert!(hold.bytes().is_some() && hold.long_bytes().is_some());
        assert!(watch.warned_of_hold.0.is_some() && watch.warned_of_length.0.is_none());
        watch.note_long(90_000, begun + Duration::from_secs(5));
        assert!(hold.bytes().is_none() && watch.warned_of_length.0.is_some());
    }
}
