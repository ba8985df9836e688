//! The sandbox as a connector, which asks nobody.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use bank::{Asking, Bank, Capabilities, Question};
use domain::bank_text::BankText;
use domain::ids::IdentityId;
use domain::matching::{PayerFacts, Sighting};
use domain::money::Bolivars;
use domain::reference::BankReference;
use domain::time::{CaracasDate, Timestamp};
use domain::verification::{Answer, Failure};
use egress::Wait;

use super::{CAPABILITIES, Magic, magic};

/// Amount of a movement when the question names none: 100.00.
const DEFAULT_AMOUNT: Bolivars = Bolivars::from_hundredths(10_000);

/// How much more the bank shows than was asked, where it shows another amount: 1.00.
const OTHER_AMOUNT_MORE: Bolivars = Bolivars::from_hundredths(100);

/// Description that the sandbox gives every movement.
const DESCRIPTION: &str = "PAGO DE PRUEBA";

/// How late the slow answer is: later than a caller waits, sooner than a search gives up.
const SLOW: Duration = Duration::from_secs(15);

/// How long a payment that appears later stays invisible after it is first asked about.
const APPEARS_AFTER: Duration = Duration::from_secs(30);

/// How many late payments are remembered; past it, new ones appear at once.
const LATE_PAYMENTS_MAX: usize = 10_000;

/// The sandbox bank.
pub struct TestBank {
    wait: Wait,
    first_asked: Mutex<HashMap<(IdentityId, String), Timestamp>>,
}

impl std::fmt::Debug for TestBank {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TestBank").finish_non_exhaustive()
    }
}

impl TestBank {
    /// A sandbox that waits by `wait`.
    #[must_use]
    pub fn new(wait: Wait) -> Self {
        Self { wait, first_asked: Mutex::default() }
    }

    async fn answer(&self, question: Question<'_>) -> Answer {
        match magic(question.query.reference.digits()) {
            Magic::Found => found(&question, amount_asked(&question)),
            Magic::OtherAmount => {
                let more = amount_asked(&question).checked_add(OTHER_AMOUNT_MORE);
                found(&question, more.unwrap_or(DEFAULT_AMOUNT))
            }
            Magic::Outgoing => found(&question, amount_asked(&question).negated()),
            Magic::AlreadyUsed => Answer::AlreadyReconciled,
            Magic::Ambiguous => {
                let typed = u32::try_from(question.query.reference.count());
                Answer::Ambiguous { digits_needed: typed.unwrap_or(u32::MAX).saturating_add(1) }
            }
            Magic::Slow => {
                (self.wait)(SLOW).await;
                found(&question, amount_asked(&question))
            }
            Magic::Timeout => {
                (self.wait)(CAPABILITIES.deadline).await;
                Answer::Failed(Failure::TimedOut)
            }
            Magic::Down => Answer::Failed(Failure::Unavailable),
            Magic::Maintenance => Answer::Failed(Failure::Maintenance),
            Magic::BadPassword => Answer::Failed(Failure::RejectedCredentials),
            Magic::AppearsLater if self.has_appeared(&question) => {
                found(&question, amount_asked(&question))
            }
            Magic::AppearsLater | Magic::NotFound => {
                Answer::Shown { sightings: Vec::new(), is_complete: true }
            }
        }
    }

    fn has_appeared(&self, question: &Question<'_>) -> bool {
        let asked = (question.identity, question.query.reference.digits().to_owned());
        let mut first = self.first_asked.lock().unwrap_or_else(PoisonError::into_inner);
        if first.len() >= LATE_PAYMENTS_MAX && !first.contains_key(&asked) {
            return true;
        }
        let since = *first.entry(asked).or_insert(question.now);
        question.now.since(since) >= APPEARS_AFTER
    }
}

impl Bank for TestBank {
    fn capabilities(&self) -> &'static Capabilities {
        &CAPABILITIES
    }

    fn ask<'a>(&'a self, question: Question<'a>) -> Asking<'a> {
        Box::pin(self.answer(question))
    }
}

fn amount_asked(question: &Question<'_>) -> Bolivars {
    question.query.amount.unwrap_or(DEFAULT_AMOUNT)
}

/// The one movement of this reference. It shows nothing of its payer, so that the sandbox
/// contradicts nobody.
fn found(question: &Question<'_>, amount: Bolivars) -> Answer {
    let query = question.query;
    let Ok(reference) = BankReference::parse(query.reference.digits()) else {
        return Answer::Failed(Failure::BadResponse);
    };
    let today = CaracasDate::of(question.now);
    let paid_on = query.paid_on.unwrap_or(today);
    let sighting = Sighting {
        bank_key: None,
        reference,
        amount,
        paid_on,
        paid_at: (paid_on == today).then_some(question.now),
        payer: PayerFacts::default(),
        description: BankText::clean(DESCRIPTION),
    };
    Answer::Shown { sightings: vec![sighting], is_complete: true }
}
