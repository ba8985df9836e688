//! What the simulator needs of the outside and does not take by itself: time, tasks, and a way to
//! post a notice to those that are notified of payments.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use domain::secret::SecretText;
use domain::time::Timestamp;
use tokio::sync::watch;

/// A future that somebody else runs.
pub type Work = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The outcome of a notice that is posted.
pub type Posting = Pin<Box<dyn Future<Output = Result<Posted, String>> + Send>>;

/// Time, which runs or is held by a test.
pub trait Clock: Send + Sync {
    /// The present instant.
    fn now(&self) -> Timestamp;

    /// Waits until that instant.
    fn sleep_until(&self, at: Timestamp) -> Work;
}

/// Runner of work that outlives the call that began it.
pub trait Tasks: Send + Sync {
    /// Starts the work.
    fn spawn(&self, work: Work);
}

/// The way out: one POST of JSON to an address that the account names.
pub trait Poster: Send + Sync {
    /// Posts the notice. It ends within a time of the implementation's own; an error is a sentence
    /// that says why no answer came.
    fn post(&self, notice: Notice) -> Posting;
}

/// A notice as it goes out.
#[derive(Clone, Debug)]
pub struct Notice {
    /// Where to.
    pub url: String,
    /// The header that the bank shows its secret in.
    pub header: &'static str,
    /// The secret.
    pub secret: SecretText,
    /// The body, which is JSON.
    pub body: String,
}

/// The answer to a notice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Posted {
    /// The status.
    pub status: u16,
    /// The beginning of the body.
    pub body: String,
}

/// Source of the present time.
#[derive(Clone)]
pub enum Time {
    /// From a clock that runs by itself.
    Given(Arc<dyn Clock>),
    /// From one that stands until it is set, by `PUT /admin/clock` or by a test.
    Manual(ManualClock),
}

impl Time {
    pub(crate) fn now(&self) -> Timestamp {
        match self {
            Self::Given(clock) => clock.now(),
            Self::Manual(clock) => clock.now(),
        }
    }

    pub(crate) fn sleep_until(&self, at: Timestamp) -> Work {
        match self {
            Self::Given(clock) => clock.sleep_until(at),
            Self::Manual(clock) => clock.sleep_until(at),
        }
    }
}

/// A clock that stands until it is set. Clones are one clock.
#[derive(Clone, Debug)]
pub struct ManualClock(watch::Sender<Timestamp>);

impl ManualClock {
    /// A clock that shows this instant.
    #[must_use]
    pub fn at(now: Timestamp) -> Self {
        Self(watch::Sender::new(now))
    }

    /// Sets it, forward or back, and wakes those that waited for that instant or an earlier one.
    pub fn set(&self, now: Timestamp) {
        self.0.send_replace(now);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        *self.0.borrow()
    }

    fn sleep_until(&self, at: Timestamp) -> Work {
        let (clock, mut seen) = (self.0.clone(), self.0.subscribe());
        Box::pin(async move {
            // The clock is kept alive here, so that waiting never ends for another reason.
            drop(seen.wait_for(|now| *now >= at).await);
            drop(clock);
        })
    }
}

/// Everything that the simulator takes from the outside.
#[derive(Clone)]
pub struct Runtime {
    /// What time it is.
    pub time: Time,
    /// Where work goes that goes on by itself.
    pub tasks: Arc<dyn Tasks>,
    /// How notices go out.
    pub poster: Arc<dyn Poster>,
}

impl fmt::Debug for Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Runtime")
    }
}

impl fmt::Debug for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Time").field(&self.now()).finish()
    }
}
