//! The outside, as the use cases see it: the system's clock, its randomness, and the runtime's
//! tasks. The only place that touches any of them.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use app::ports::{Clock, Tasks, Work};
use aws_lc_rs::rand;
use domain::ids::IdSource;
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
    fn sleep_until(&self, at: Timestamp) -> Work {
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
    fn sleep(&self, duration: Duration) -> Work {
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
    fn spawn(&self, work: Work) {
        self.0.spawn(work);
    }
}

impl fmt::Debug for TrackedTasks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("TrackedTasks").field(&self.count()).finish()
    }
}

/// What a server takes from the outside.
#[derive(Clone)]
pub struct Outside {
    /// What time it is.
    pub clock: Arc<dyn Clock>,
    /// Where ids and secrets come from.
    pub ids: Arc<dyn IdSource>,
    /// What is known of the internet by another way than asking the machine: in a server nothing, and
    /// no setting says otherwise.
    pub internet: Internet,
}

impl Default for Outside {
    fn default() -> Self {
        Self {
            clock: Arc::new(SystemClock),
            ids: Arc::new(SystemRandom),
            internet: Internet::default(),
        }
    }
}

impl fmt::Debug for Outside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Outside")
    }
}
