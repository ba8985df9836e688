//! A bank that lists a few movements, answers when it is let, and sometimes fails.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::Duration;

use bank::{Asking, Bank, Capabilities, Question, Requirement};
use domain::matching::{MovementKind, Rule, Sighting};
use domain::verification::{Answer, Failure};

/// Movements that the bank shows, and how it will behave. Shared with the world, which changes both.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    pub(crate) movements: Vec<Sighting>,
    /// How often it was asked.
    pub(super) questions: usize,
    /// How often the next questions stay unanswered when looked at, and whether they fail.
    pub(crate) moods: VecDeque<(u32, bool)>,
}

#[derive(Debug)]
pub(crate) struct SimulatedBank {
    pub(super) ledger: Arc<Mutex<Ledger>>,
}

static CAPABILITIES: Capabilities = Capabilities {
    provider: SimulatedBank::PROVIDER,
    wire_name: SimulatedBank::PROVIDER,
    platform: "simulated",
    bank_code: None,
    livemode: false,
    rule: Rule::Suffix { min_digits: 6 },
    questions: &[&[Requirement::ReferenceNumber]],
    payer_facts: &[],
    days_back: 2,
    deadline: Duration::from_secs(60),
    credentials: &[],
    has_same_bank_references: false,
    verifies: &MovementKind::ALL,
};

impl SimulatedBank {
    pub(crate) const PROVIDER: &'static str = "BANK_SIMULATED";

    pub(crate) fn new(ledger: Arc<Mutex<Ledger>>) -> Self {
        Self { ledger }
    }
}

impl Bank for SimulatedBank {
    fn capabilities(&self) -> &'static Capabilities {
        &CAPABILITIES
    }

    /// The answer is what the bank showed when it was asked, however late it arrives.
    fn ask<'a>(&'a self, question: Question<'a>) -> Asking<'a> {
        let mut ledger = self.ledger.lock().unwrap();
        ledger.questions += 1;
        let (mut looks, fails) = ledger.moods.pop_front().unwrap_or((0, false));
        let matching = |seen: &&Sighting| question.query.reference.matches(&seen.reference);
        let answer = if fails {
            Answer::Failed(Failure::Unavailable)
        } else {
            let sightings = ledger.movements.iter().filter(matching).cloned().collect();
            Answer::Shown { sightings, is_complete: true }
        };
        let mut answer = Some(answer);
        Box::pin(poll_fn(move |_| {
            if looks > 0 {
                looks -= 1;
                return Poll::Pending;
            }
            Poll::Ready(answer.take().expect("asked again after the answer"))
        }))
    }
}
