//! The outside, as the use cases see it: the system's clock, its randomness, and the runtime's
//! tasks. The only place that touches any of them.

use std::cell::RefCell;
use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use app::ports::{Clock, Task, Tasks};
use aws_lc_rs::rand;
use domain::ids::{ID_RANDOM_LEN, IdSource};
use domain::time::Timestamp;
use egress::Internet;
use tokio_util::task::TaskTracker;

/// The longest that is slept at once, so that a clock that is set forward is noticed.
const SLEEP_MAX: Duration = Duration::from_secs(60);

/// The system's clock.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the clock that others are given")]
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_micros(i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
    }

    fn is_of_the_world(&self) -> bool {
        true
    }

    #[expect(clippy::disallowed_methods, reason = "this is the clock that others are given")]
    fn uptime(&self) -> Duration {
        static BEGAN: OnceLock<Instant> = OnceLock::new();
        BEGAN.get_or_init(Instant::now).elapsed()
    }

    #[expect(clippy::disallowed_methods, reason = "this is the clock that others are given")]
    fn sleep_until(&self, at: Timestamp) -> Task {
        Box::pin(async move {
            loop {
                let left = at.since(SystemClock.now());
                if left.is_zero() {
                    return;
                }
                tokio::time::sleep(left.min(SLEEP_MAX)).await;
            }
        })
    }

    /// By the monotonic clock, so that one that is set back keeps nobody waiting.
    #[expect(clippy::disallowed_methods, reason = "this is the clock that others are given")]
    fn sleep(&self, duration: Duration) -> Task {
        Box::pin(tokio::time::sleep(duration))
    }
}

/// The system's randomness.
#[derive(Clone, Copy, Debug)]
pub struct SystemRandom;

impl IdSource for SystemRandom {
    fn fill(&self, bytes: &mut [u8]) {
        // Nothing may go on without it: ids would meet and secrets could be guessed.
        rand::fill(bytes).expect("the system gives randomness");
    }

    /// From what the thread has in store: every request takes an id, and to ask the generator costs
    /// as much for one as for many.
    fn fill_id(&self, bytes: &mut [u8; ID_RANDOM_LEN]) {
        STOCK.with_borrow_mut(|stock| stock.take(self, bytes));
    }
}

thread_local! {
    static STOCK: RefCell<Stock> = const { RefCell::new(Stock { random: [0; STOCK_LEN], left: 0 }) };
}

/// How much randomness for ids a thread has in store.
const STOCK_LEN: usize = 64 * ID_RANDOM_LEN;

/// Randomness for ids, each byte of which is used once.
struct Stock {
    random: [u8; STOCK_LEN],
    /// How many of its first bytes are unused.
    left: usize,
}

impl Stock {
    fn take(&mut self, source: &dyn IdSource, bytes: &mut [u8; ID_RANDOM_LEN]) {
        if self.left == 0 {
            source.fill(&mut self.random);
            self.left = STOCK_LEN;
        }
        self.left -= ID_RANDOM_LEN;
        bytes.copy_from_slice(&self.random[self.left..][..ID_RANDOM_LEN]);
    }
}

/// Tasks of the runtime, counted so that a stop can wait for them.
#[derive(Clone, Default)]
pub struct TrackedTasks(TaskTracker);

impl TrackedTasks {
    /// Waits until every task has ended. Tasks may still begin others meanwhile.
    pub async fn drain(&self) {
        self.0.close();
        self.0.wait().await;
    }

    /// How many have not ended.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.len()
    }
}

impl Tasks for TrackedTasks {
    fn spawn(&self, task: Task) {
        self.0.spawn(task);
    }
}

impl fmt::Debug for TrackedTasks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("TrackedTasks").field(&self.count()).finish()
    }
}

/// Resources that a server takes from the outside.
#[derive(Clone)]
pub struct Runtime {
    /// What time it is.
    pub clock: Arc<dyn Clock>,
    /// Where ids and secrets come from.
    pub ids: Arc<dyn IdSource>,
    /// What is known of the internet by another way than asking the machine: in a server nothing, and
    /// no setting says otherwise.
    pub internet: Internet,
}

impl Default for Runtime {
    fn default() -> Self {
        Self {
            clock: Arc::new(SystemClock),
            ids: Arc::new(SystemRandom),
            internet: Internet::default(),
        }
    }
}

impl fmt::Debug for Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Runtime")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::atomic::{AtomicU8, Ordering};

    use super::*;

    /// Fills with one byte more each time.
    #[derive(Default)]
    struct Counted(AtomicU8);

    impl IdSource for Counted {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(self.0.fetch_add(1, Ordering::Relaxed));
        }
    }

    #[test]
    fn a_stock_is_filled_again_before_a_byte_is_used_twice() {
        let (source, mut stock) = (Counted::default(), Stock { random: [0; STOCK_LEN], left: 0 });
        for fill in 0..3 {
            for _ in 0..STOCK_LEN / ID_RANDOM_LEN {
                let mut bytes = [u8::MAX; ID_RANDOM_LEN];
                stock.take(&source, &mut bytes);
                assert_eq!(bytes, [fill; ID_RANDOM_LEN]);
            }
        }
    }

    #[test]
    fn ids_of_one_instant_differ() {
        let now = Timestamp::from_micros(0);
        let ids: HashSet<_> = (0..1_000).map(|_| SystemRandom.uuid(now)).collect();
        assert_eq!(ids.len(), 1_000);
    }
}
