//! Time, handed in: only the binary owns a clock.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use domain::time::Timestamp;
use egress::Wait;

/// Returns the present instant.
pub type Now = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// Source of the time, and the means to wait.
#[derive(Clone)]
pub struct Clock {
    /// Returns the present instant.
    pub now: Now,
    /// Waits.
    pub wait: Wait,
}

impl Clock {
    /// The present instant.
    pub(crate) fn now(&self) -> Timestamp {
        (self.now)()
    }

    /// Waits for so long, which may be nothing.
    pub(crate) async fn wait(&self, duration: Duration) {
        if !duration.is_zero() {
            (self.wait)(duration).await;
        }
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}
