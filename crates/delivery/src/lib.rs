//! Webhooks on their way: what was written with the events is sent until it has been received.
//!
//! Every node does the same. It is handed what was written in its own process, and looks for what
//! else is due; takes deliveries by a lease that is longer than any attempt, those of an owner
//! together; sends outside any transaction; and writes the result and what follows under the
//! lease's fence. Wherever a process ends, the row is still due, or will be once the lease is over: a
//! receiver gets every event at least once.
//!
//! Slots are shared by what is free, among owners and at each receiver, and those that wait take
//! turns: one that is slow or dead holds up nobody but itself, and however many want all they can get at
//! once, they leave slots to those that come next.

mod attempt;
mod backfill;
mod batcher;
mod claimed;
mod claimer;
mod clock_ahead;
mod counts;
mod deliveries;
mod limits;
mod poller;
mod previous_secret;
mod recorder;
mod runtime;
mod scheduler;
mod shared_time;
mod signing;

pub use crate::counts::{Counts, counts};
pub use crate::deliveries::Deliveries;
pub use crate::limits::{
    GATHERING, LEASE, NOT_QUICK_MAX, NOT_QUICK_OF_ONE_OWNER_MAX, OF_ONE_OWNER_MAX,
    OF_ONE_OWNER_TO_ONE_RECEIVER_MAX, POLL_INTERVAL, QUICK_AGAIN, QUICK_MAX, RECORD_RETRY_DELAY,
    SLOW_MAX, SLOW_OF_ONE_OWNER_MAX, TO_ONE_RECEIVER_MAX, UNDER_WAY_MAX,
};
pub use crate::runtime::{
    Comparing, Gather, Runtime, SecretError, Secrets, Skew, Spawn, Telling, TellingOfClient, Work,
};

#[cfg(test)]
mod tests;
