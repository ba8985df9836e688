//! What the simulated banks take from the outside, given by this program.

mod poster;

use std::sync::Arc;

use app::ports::{Clock, Tasks};
use bank_sim::runtime::Work;
use bank_sim::{ManualClock, Runtime, Time};
use domain::time::Timestamp;

pub use self::poster::HttpPoster;

/// The outside of simulated banks that use this clock, or one of their own where there is none,
/// and hand their work to these tasks.
#[must_use]
pub fn runtime(time: SimulatedTime, tasks: Arc<dyn Tasks>) -> Runtime {
    let time = match time {
        SimulatedTime::Of(clock) => Time::Given(Arc::new(Shared(clock))),
        SimulatedTime::Manual(from) => Time::Manual(ManualClock::at(from)),
    };
    Runtime { time, tasks: Arc::new(Shared(tasks)), poster: Arc::new(HttpPoster) }
}

/// Source of the time at the simulated banks.
#[derive(Clone)]
pub enum SimulatedTime {
    /// That of a clock.
    Of(Arc<dyn Clock>),
    /// One that stands at this instant until it is set.
    Manual(Timestamp),
}

impl std::fmt::Debug for SimulatedTime {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SimulatedTime")
    }
}

/// Adapter that gives the simulator the service's own clock and tasks.
struct Shared<T: ?Sized>(Arc<T>);

impl bank_sim::Clock for Shared<dyn Clock> {
    fn now(&self) -> Timestamp {
        self.0.now()
    }

    fn sleep_until(&self, at: Timestamp) -> Work {
        self.0.sleep_until(at)
    }
}

impl bank_sim::Tasks for Shared<dyn Tasks> {
    fn spawn(&self, work: Work) {
        self.0.spawn(work);
    }
}

#[cfg(test)]
mod tests;
