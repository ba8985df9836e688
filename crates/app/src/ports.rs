//! What the use cases need of the outside and do not take by themselves.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use domain::time::Timestamp;

/// A future that somebody else runs.
pub type Task = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Time, which tests can hold still and push on.
pub trait Clock: Send + Sync {
    /// The present instant.
    fn now(&self) -> Timestamp;

    /// Tells whether the clock shows the world's time, as a database's does. A clock that is held still is compared
    /// with none.
    fn is_of_the_world(&self) -> bool {
        false
    }

    /// How long it has run: by a clock that nobody sets, so that the difference of two readings is the time
    /// between them, whatever [`Clock::now`] was set to meanwhile. One that nobody sets is that clock itself.
    fn uptime(&self) -> Duration {
        Duration::from_micros(self.now().as_micros().unsigned_abs())
    }

    /// Waits until that instant.
    fn sleep_until(&self, at: Timestamp) -> Task;

    /// Waits for so long, counted from the call on. A clock that others set, as the system's is, does
    /// this by another one that nobody can.
    fn sleep(&self, duration: Duration) -> Task {
        self.sleep_until(self.now().plus(duration))
    }
}

/// Runs what outlives the request that began it. A graceful stop waits for all of it.
pub trait Tasks: Send + Sync {
    /// Starts a task.
    fn spawn(&self, task: Task);
}
