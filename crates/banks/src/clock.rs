//! Time, handed in: only the binary owns a clock.

use std::fmt;
use std::sync::Arc;

use domain::time::Timestamp;
use egress::Wait;

/// Tells the present instant.
pub type Now = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// What time it is, and how to wait.
#[derive(Clone)]
pub struct Clock {
    /// Tells the present instant.
    pub now: Now,
    /// Waits.
    pub wait: Wait,
}

impl Clock {
    /// The present instant.
    pub(crate) fn now(&self) -> Timestamp {
        (self.now)()
    }

    /// Waits until that instant, which may have passed.
    pub(crate) async fn wait_until(&self, at: Timestamp) {
        let left = at.since(self.now());
        if !left.is_zero() {
            (self.wait)(left).await;
        }
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}
