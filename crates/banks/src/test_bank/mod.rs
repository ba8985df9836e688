//! `BANK_TEST`: the sandbox, whose answer depends on the last digits of the reference.
//!
//! It needs no bank and no credentials, and everything else about a verification on it is real:
//! reservation, claim, charge and repeats. Each typed reference is a movement of its own, known by
//! its digits without leading zeros, and what the first call fixed stays fixed, because the
//! reference is all that a movement is known by: it has no id of its own.

mod connector;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use bank::{Bank, Capabilities, Requirement};
use domain::matching::{MovementKind, Rule};
pub use egress::Wait;

pub use self::connector::TestBank;
use crate::definition::Definition;

/// The sandbox, as the registry lists it. Whether it is open is a setting of verifications.
pub static BANK: Definition = Definition {
    name: "test",
    capabilities: &CAPABILITIES,
    settings: &[],
    open: |_| {
        Ok(Some(Arc::new(|clock| {
            Ok(Arc::new(TestBank::new(Wait::clone(&clock.wait))) as Arc<dyn Bank>)
        })))
    },
};

static CAPABILITIES: Capabilities = Capabilities {
    provider: "BANK_TEST",
    wire_name: "BANK_TEST",
    platform: "Banco de prueba",
    bank_code: None,
    livemode: false,
    rule: Rule::Exact,
    questions: &[&[Requirement::ReferenceNumber]],
    payer_facts: &[],
    days_back: 2,
    deadline: Duration::from_secs(60),
    credentials: &[],
    has_same_bank_references: false,
    verifies: &MovementKind::ALL,
};

/// Outcome that the last five digits of a reference bring about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Magic {
    /// Found, with the amount asked.
    Found,
    /// Found, with one bolívar more than asked.
    OtherAmount,
    /// The bank says that it was conciliated before.
    AlreadyUsed,
    /// Several payments fit.
    Ambiguous,
    /// Found after fifteen seconds.
    Slow,
    /// No answer until the search gives up.
    Timeout,
    /// The bank is down.
    Down,
    /// Not found until thirty seconds after it was first asked about.
    AppearsLater,
    /// The bank refuses the owner's credentials.
    BadPassword,
    /// What the bank shows went out.
    Outgoing,
    /// The bank is being maintained.
    Maintenance,
    /// Not found.
    NotFound,
}

/// The magic references: what a reference ends in, and what that brings about.
pub const MAGIC_REFERENCES: [(&str, Magic); 11] = [
    ("67890", Magic::Found),
    ("10001", Magic::OtherAmount),
    ("10002", Magic::AlreadyUsed),
    ("10003", Magic::Ambiguous),
    ("10004", Magic::Slow),
    ("10005", Magic::Timeout),
    ("10006", Magic::Down),
    ("10007", Magic::AppearsLater),
    ("10008", Magic::BadPassword),
    ("10009", Magic::Outgoing),
    ("10010", Magic::Maintenance),
];

/// Returns the outcome that a reference of these digits brings about.
#[must_use]
pub fn magic(digits: &str) -> Magic {
    MAGIC_REFERENCES
        .into_iter()
        .find(|(ending, _)| digits.ends_with(ending))
        .map_or(Magic::NotFound, |(_, magic)| magic)
}
