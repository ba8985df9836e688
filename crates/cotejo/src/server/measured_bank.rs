//! Counts how often a bank is asked, with what result, and how long it takes.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use app::Clock;
use bank::{Access, Asking, Bank, Capabilities, Checking, Push, Question, Statements};
use domain::time::Timestamp;
use domain::verification::{Answer, Failure};

use crate::metrics::{BankAnswers, GIVEN_UP};

/// A bank that is measured.
struct MeasuredBank {
    bank: Arc<dyn Bank>,
    clock: Arc<dyn Clock>,
    answers: BankAnswers,
}

/// Measures a bank, which otherwise stays as it is.
pub(super) fn measured(bank: Arc<dyn Bank>, clock: &Arc<dyn Clock>) -> Arc<dyn Bank> {
    let answers = BankAnswers::of(bank.capabilities().provider);
    Arc::new(MeasuredBank { bank, clock: Arc::clone(clock), answers })
}

impl fmt::Debug for MeasuredBank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.bank, f)
    }
}

impl Bank for MeasuredBank {
    fn capabilities(&self) -> &'static Capabilities {
        self.bank.capabilities()
    }

    fn ask<'a>(&'a self, question: Question<'a>) -> Asking<'a> {
        let open = OpenQuestion { of: self, began: self.clock.uptime(), outcome: GIVEN_UP };
        let asking = self.bank.ask(question);
        Box::pin(async move {
            let answer = asking.await;
            open.answered(&answer);
            answer
        })
    }

    fn check_access<'a>(&'a self, access: Access<'a>, now: Timestamp) -> Checking<'a> {
        self.bank.check_access(access, now)
    }

    fn push(&self) -> Option<&dyn Push> {
        self.bank.push()
    }

    fn statements(&self) -> Option<&dyn Statements> {
        self.bank.statements()
    }
}

/// A question that is counted when it ends, however it does.
struct OpenQuestion<'a> {
    of: &'a MeasuredBank,
    began: Duration,
    outcome: &'static str,
}

impl OpenQuestion<'_> {
    fn answered(mut self, answer: &Answer) {
        self.outcome = outcome(answer);
    }
}

impl Drop for OpenQuestion<'_> {
    fn drop(&mut self) {
        let took = self.of.clock.uptime().saturating_sub(self.began);
        self.of.answers.note(self.outcome, took);
    }
}

/// Returns the word that an answer is counted by.
fn outcome(answer: &Answer) -> &'static str {
    match answer {
        Answer::Shown { sightings, .. } if sightings.is_empty() => "not_found",
        Answer::Shown { .. } => "shown",
        Answer::AlreadyReconciled => "reconciled",
        Answer::Ambiguous { .. } => "ambiguous",
        Answer::Failed(Failure::Unavailable) => "unavailable",
        Answer::Failed(Failure::Maintenance) => "maintenance",
        Answer::Failed(Failure::TimedOut) => "timed_out",
        Answer::Failed(Failure::RejectedCredentials) => "rejected_credentials",
        Answer::Failed(Failure::RateLimited) => "rate_limited",
        Answer::Failed(Failure::InvalidInput) => "invalid_input",
        Answer::Failed(Failure::BadResponse) => "bad_response",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::BANK_OUTCOMES;

    #[test]
    fn every_failure_is_counted_by_a_word_of_its_own_that_is_listed() {
        let failures = [
            Failure::Unavailable,
            Failure::Maintenance,
            Failure::TimedOut,
            Failure::RejectedCredentials,
            Failure::RateLimited,
            Failure::InvalidInput,
            Failure::BadResponse,
        ];
        let words: Vec<_> = failures.map(|failure| outcome(&Answer::Failed(failure))).into();
        for (index, word) in words.iter().enumerate() {
            assert!(BANK_OUTCOMES.contains(word), "{word}");
            assert!(!words[index + 1..].contains(word), "{word}");
        }
    }
}
