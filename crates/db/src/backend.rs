//! What an engine does for the store.

use crate::auth_cache::AuthCache;
use crate::fault::{Fault, Obstacle, WriteError};
use crate::job::Job;
use crate::sql::Sql;

/// Which queue a write waits in. Within a batch, completions come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// New work: refused with [`WriteError::Busy`] where too much is waiting.
    Admission,
    /// The end of work that was admitted: never refused, and bounded by what was admitted.
    Completion,
    /// Recording the results of deliveries: completions, which on PostgreSQL go through another connection than the
    /// owner's other writes, since they seldom want the same rows.
    Recording,
    /// Claiming deliveries, and releasing claims: completions, which on PostgreSQL go through another
    /// connection again, so that what begins does not wait for what has ended.
    Claiming,
    /// Background work in small slices: one of them in a batch.
    Maintenance,
}

impl Lane {
    /// Tells whether the lane's jobs begin with their owner's row, which on PostgreSQL they hold until the commit. The
    /// others hold rows of deliveries alone, in the order of [`crate::lock_order`].
    pub(crate) const fn holds_owner(self) -> bool {
        match self {
            Self::Admission | Self::Completion | Self::Maintenance => true,
            Self::Recording | Self::Claiming => false,
        }
    }
}

/// Requirement of a read on the rows that it sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// A few point statements, each of which sees the latest commit.
    Points,
    /// One snapshot for all its statements.
    Snapshot,
}

/// Engine of a store. The two databases and the inline engine implement it.
pub(crate) trait Backend: Send + Sync {
    /// Queues a write. An error means that the job was dropped without having run.
    fn write(&self, lane: Lane, job: Box<dyn Job>) -> Result<(), WriteError>;

    /// Runs or queues a read, and answers it whatever happens.
    fn read(&self, reading: Reading, job: Box<dyn Job>);

    /// The cache of authentication answers, where the engine has one.
    fn auth_cache(&self) -> Option<&AuthCache> {
        None
    }

    /// Returns what can be seen of the engine from outside.
    fn metrics(&self) -> Metrics;

    /// Returns what will keep it from writing, where it can be seen before a write fails.
    fn obstacle(&self) -> Option<Obstacle> {
        None
    }

    /// The statement that asks for the database's clock in microseconds; `None` where the database
    /// shares the clock of this machine.
    fn clock(&self) -> Option<&'static Sql> {
        None
    }

    /// Returns what the database finds wrong with itself, where it can check that: see
    /// [`crate::Store::check_integrity`].
    fn check_integrity(&self) -> Result<Vec<String>, Fault> {
        Ok(Vec::new())
    }

    /// Finishes what was queued, then ends; blocks until then, except where a thread of the store's own asks. What
    /// comes later is refused as unavailable. Doing it twice is harmless.
    fn shutdown(&self);
}

/// Metrics of an engine: what it is busy with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Metrics {
    /// Writes waiting in the admission lane.
    pub admission: u64,
    /// Writes waiting in the completion lane.
    pub completion: u64,
    /// Writes waiting in the maintenance lane.
    pub maintenance: u64,
    /// Reads waiting for a thread.
    pub reads: u64,
    /// The size of SQLite's write-ahead log; 0 on other engines.
    pub wal_bytes: u64,
}
