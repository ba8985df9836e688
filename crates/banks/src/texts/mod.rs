//! `NOTIFICATION_ACCOUNT`: an account that no bank is asked about. It knows what texts of banks reported, which the shop's
//! phone, or a script for its mail, sends on.
//!
//! A text can be faked by whoever has the account's secret, and a phone may send late or never. So such an account asks
//! for an amount and six digits, is not offered to payers, and says of each payment that a notice reported of it
//! (decision 0115).

mod connector;
mod cursor;
mod envelope;
mod forms;
mod originators;
mod push;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use bank::{Bank, Capabilities, NOTIFICATION_ACCOUNT, Requirement};
use domain::matching::{MovementKind, Rule};

use self::connector::TextedAccount;
use crate::definition::Definition;

/// The account without a bank, as the registry lists it.
pub(crate) static BANK: Definition = Definition {
    name: "texts",
    capabilities: &CAPABILITIES,
    settings: &[],
    open: |_| Ok(Some(Arc::new(|_| Ok(Arc::new(TextedAccount) as Arc<dyn Bank>)))),
};

static CAPABILITIES: Capabilities = Capabilities {
    provider: NOTIFICATION_ACCOUNT,
    wire_name: NOTIFICATION_ACCOUNT,
    platform: "Avisos del banco en el teléfono",
    bank_code: None,
    livemode: true,
    rule: Rule::Suffix { min_digits: 6 },
    questions: &[&[Requirement::ReferenceNumber, Requirement::Amount]],
    payer_facts: &[],
    days_back: 2,
    deadline: Duration::from_secs(10),
    // Nothing: the phone that tells which account it is comes in a field of its own.
    credentials: &[],
    verifies: &[MovementKind::Generic, MovementKind::MovilPay, MovementKind::Transfer],
    has_same_bank_references: false,
};
