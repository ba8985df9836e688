//! How work on the store can fail. A refusal is no failure: it is a value that commits.

use std::error::Error as StdError;

/// Why a job was certainly not applied.
#[derive(Debug, thiserror::Error)]
#[error("{what}")]
pub struct Fault {
    kind: FaultKind,
    what: String,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

/// Kind of a fault: what it means for a caller that may try again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// The data and the code disagree, or an expectation was not met: a bug. The whole job was rolled back.
    Broken,
    /// A unique, foreign key or check constraint was violated.
    Constraint,
    /// The job panicked.
    Panicked,
    /// No room: disk or quota full.
    Full,
    /// The server takes no writes now: it follows another one.
    ReadOnly,
    /// The database cannot be reached, is shutting down, or a time limit passed.
    Unavailable,
    /// The server answers and has lost another one, on which the rows are that were asked for: others can be reached.
    LostServer,
    /// Another transaction stood in the way (40001, 40P01, `SQLITE_BUSY`): trying again may work.
    Conflict,
}

impl Fault {
    /// A fault of `kind`, described for a log line by `what`.
    pub fn new(kind: FaultKind, what: impl Into<String>) -> Self {
        Self { kind, what: what.into(), source: None }
    }

    /// A fault of `kind` with the error beneath it.
    pub fn with_source(
        kind: FaultKind,
        what: impl Into<String>,
        source: impl StdError + Send + Sync + 'static,
    ) -> Self {
        Self { kind, what: what.into(), source: Some(Box::new(source)) }
    }

    /// Data that the code cannot make sense of, or an expectation that was not met.
    pub fn broken(what: impl Into<String>) -> Self {
        Self::new(FaultKind::Broken, what)
    }

    /// Returns what the fault means for a caller that may try again.
    #[must_use]
    pub fn kind(&self) -> FaultKind {
        self.kind
    }

    /// Returns what every other write will meet too, until somebody does something about it.
    #[must_use]
    pub fn obstacle(&self) -> Option<Obstacle> {
        match self.kind {
            FaultKind::Full => Some(Obstacle::NoRoom),
            FaultKind::ReadOnly => Some(Obstacle::ReadOnly),
            FaultKind::Broken
            | FaultKind::Constraint
            | FaultKind::Panicked
            | FaultKind::Unavailable
            | FaultKind::LostServer
            | FaultKind::Conflict => None,
        }
    }
}

/// Reason why a store takes no writes, or soon will take none, for an operator to do something about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// The disk, or what may be used of it, is full.
    NoRoom,
    /// The server follows another one.
    ReadOnly,
    /// Another program holds SQLite's write-ahead log (WAL), which has become long: the disk will be full.
    HeldWal,
    /// SQLite's WAL has become long, since there is no moment without a read: the disk will be full.
    LongWal,
}

/// How a write ended that did not commit for certain.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The queue is full: nothing was done, and the caller may try again in a moment.
    #[error("the store is busy")]
    Busy,
    /// Certainly not applied.
    #[error("the store failed")]
    Fault(#[source] Fault),
    /// The answer of the commit was lost: applied or not, which only a look can show. Running the
    /// same job again is safe, since every money job begins with a row of its own id.
    #[error("the outcome of the commit is unknown")]
    Unknown,
}

impl WriteError {
    /// Tells whether the disk, or what may be used of it, is full: nothing was done, and nothing will be until somebody
    /// makes room.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.obstacle() == Some(Obstacle::NoRoom)
    }

    /// Returns what every other write will meet too, until somebody does something about it.
    pub(crate) fn obstacle(&self) -> Option<Obstacle> {
        match self {
            Self::Fault(fault) => fault.obstacle(),
            Self::Busy | Self::Unknown => None,
        }
    }
}
