//! What the steps of a job on the store come to. A refusal is an answer, and what was written before it stays; a
//! failure leaves nothing.

use domain::refusal::Refusal;
use store::fault::Fault;

/// Result of a step inside a transaction: a value, or why it stops.
pub(crate) type Outcome<T> = Result<T, JobError>;

/// Why a step inside a transaction stops.
#[derive(Debug)]
pub(crate) enum JobError {
    /// The rules say no. What was written before is committed all the same.
    Refused(Refusal),
    /// The store failed. Nothing is committed.
    Failed(Fault),
}

impl From<Refusal> for JobError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<Fault> for JobError {
    fn from(fault: Fault) -> Self {
        Self::Failed(fault)
    }
}

/// Converts the outcome of a job into its answer to the store. The store commits all that is no fault: a refusal
/// commits, and a failure rolls back.
///
/// # Errors
/// The fault of a step that failed.
pub(crate) fn as_answer<T>(outcome: Outcome<T>) -> Result<Result<T, Refusal>, Fault> {
    match outcome {
        Ok(value) => Ok(Ok(value)),
        Err(JobError::Refused(refusal)) => Ok(Err(refusal)),
        Err(JobError::Failed(fault)) => Err(fault),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_an_answer_which_commits_and_a_failure_is_none() {
        let steps = |refuses: bool, fails: bool| -> Outcome<u8> {
            if refuses {
                Err(Refusal::EmailTaken)?;
            }
            if fails {
                Err(Fault::broken("a test"))?;
            }
            Ok(7)
        };
        assert_eq!(as_answer(steps(false, false)).unwrap(), Ok(7));
        assert_eq!(as_answer(steps(true, true)).unwrap(), Err(Refusal::EmailTaken));
        as_answer(steps(false, true)).unwrap_err();
    }
}
