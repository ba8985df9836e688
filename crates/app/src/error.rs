//! How a use case ends that does not end well: refused, or failed.

use domain::refusal::Refusal;
use store::fault::{Fault, FaultKind, WriteError};

/// A refusal is for the caller; everything else is for the operator, and the caller learns only
/// whether trying again makes sense.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The rules say no.
    #[error("refused: {}", .0.code().as_str())]
    Refused(Refusal),
    /// The store is busy, unreachable or stopping: try again.
    #[error("unavailable")]
    Unavailable(#[source] WriteError),
    /// A bug or a broken part.
    #[error("internal")]
    Internal(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<WriteError> for Error {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::Busy | WriteError::Unknown => Self::Unavailable(error),
            WriteError::Fault(fault) => fault.into(),
        }
    }
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        match fault.kind() {
            FaultKind::Unavailable
            | FaultKind::LostServer
            | FaultKind::ReadOnly
            | FaultKind::Conflict
            | FaultKind::Full => Self::Unavailable(WriteError::Fault(fault)),
            FaultKind::Broken | FaultKind::Constraint | FaultKind::Panicked => {
                Self::Internal(Box::new(fault))
            }
        }
    }
}
