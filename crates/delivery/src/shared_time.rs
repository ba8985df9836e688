//! The clock that all nodes share. A lease is written by one node and judged by others: where their
//! clocks were far enough apart, one would take from another what that still sends. So each compares its
//! clock with the database's, and uses that one where the two differ.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use domain::time::{SKEW_MAX, Timestamp};

use crate::limits::RECORD_TIME;
use crate::runtime::Runtime;

// Two nodes may be off in opposite directions.
const _: () = assert!(2 * SKEW_MAX.as_secs() < RECORD_TIME.as_secs());

/// How often the clocks are compared.
const COMPARED_EVERY: Duration = Duration::from_secs(5);

/// How long the question may take, for the answer to mean anything.
const ANSWER_MAX: Duration = Duration::from_millis(500);

/// State of the shared clock, as far as it is known.
pub(crate) struct SharedTime {
    /// How many microseconds it is ahead of this node's; zero where they are close enough.
    ahead: AtomicI64,
    /// When they were last compared, by this node's.
    compared_at: AtomicI64,
}

impl Default for SharedTime {
    fn default() -> Self {
        Self { ahead: AtomicI64::new(0), compared_at: AtomicI64::new(i64::MIN) }
    }
}

impl SharedTime {
    /// This instant of this node's, by the shared clock: for whatever other nodes judge.
    pub(crate) fn of(&self, at: Timestamp) -> Timestamp {
        let ahead = self.ahead.load(Ordering::Relaxed);
        Timestamp::from_micros(at.as_micros().saturating_add(ahead))
    }

    /// Compares the clocks, unless that was done a moment ago. Where it cannot be done, what was known
    /// before remains.
    pub(crate) async fn compare(&self, runtime: &Runtime) {
        let Self { ahead, compared_at } = self;
        let asked_at = (runtime.now)();
        let last = Timestamp::from_micros(compared_at.load(Ordering::Relaxed));
        // One that was set back is compared at once.
        if last <= asked_at && asked_at < last.plus(COMPARED_EVERY) {
            return;
        }
        let Ok(skew) = (runtime.skew)(asked_at).await else { return };
        let now = (runtime.now)();
        if now < asked_at || now.since(asked_at) > ANSWER_MAX {
            return;
        }
        compared_at.store(asked_at.as_micros(), Ordering::Relaxed);
        // One that is off by no more is not corrected: what the answer to the question takes is not distinguished
        // from it.
        let is_off = Duration::from_micros(skew.unsigned_abs()) > SKEW_MAX;
        let was_off = ahead.swap(if is_off { skew } else { 0 }, Ordering::Relaxed) != 0;
        match (was_off, is_off) {
            (false, true) => {
                let seconds = Duration::from_micros(skew.unsigned_abs()).as_secs();
                let is_behind = skew > 0;
                tracing::error!(
                    seconds,
                    is_behind,
                    "clock differs from the database's, whose time webhooks use from now on"
                );
            }
            (true, false) => tracing::info!("clock agrees with the database's again"),
            _ => {}
        }
    }
}
