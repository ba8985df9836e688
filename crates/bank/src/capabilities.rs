//! What a bank can do and wants, as data.

use std::time::Duration;

use domain::matching::{MovementKind, Rule};

use crate::credentials::{CredentialFact, Field};

/// A fact that a bank wants before it can be asked, by its name on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requirement {
    /// The reference.
    ReferenceNumber,
    /// The amount.
    Amount,
    /// The day of the payment.
    PaymentDate,
    /// The payer's phone.
    PhoneOrigin,
    /// The payer's document.
    DniOrigin,
    /// The payer's bank.
    BankCodeOrigin,
    /// The payer's account.
    BankAccountOrigin,
}

impl Requirement {
    /// The name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ReferenceNumber => "REFERENCE_NUMBER",
            Self::Amount => "AMOUNT",
            Self::PaymentDate => "PAYMENT_DATE",
            Self::PhoneOrigin => "PHONE_ORIGIN",
            Self::DniOrigin => "DNI_ORIGIN",
            Self::BankCodeOrigin => "BANK_CODE_ORIGIN",
            Self::BankAccountOrigin => "BANK_ACCOUNT_ORIGIN",
        }
    }
}

/// A fact of the payer that a bank's movements carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PayerFact {
    /// The phone that a mobile payment came from.
    Phone,
    /// The payer's document.
    Document,
}

/// Capabilities and wants of a bank, as data.
#[derive(Debug)]
pub struct Capabilities {
    /// The provider's short name, which rows keep and the addresses of its notices have: `BANK_TEST`.
    pub provider: &'static str,
    /// The provider's name on the wire, which clients send and filter by.
    pub wire_name: &'static str,
    /// The bank's name for people.
    pub platform: &'static str,
    /// The four digits that accounts of the bank begin with; none where it is no bank.
    pub bank_code: Option<&'static str>,
    /// Whether payments on it are of money that exists.
    pub livemode: bool,
    /// How references are compared.
    pub rule: Rule,
    /// The sets of facts, each enough for a question.
    pub questions: &'static [&'static [Requirement]],
    /// What its movements say of the payer: some one of these, some another, some none. A person
    /// who says to have paid is asked for them, since a reference alone can be guessed.
    pub payer_facts: &'static [PayerFact],
    /// How many days back it is searched when no date is given.
    pub days_back: i32,
    /// How long an answer may take before the question is given up.
    pub deadline: Duration,
    /// What an account of it is linked with: nothing for the sandbox.
    pub credentials: &'static [CredentialFact],
    /// The kinds of payment that it can be asked about.
    pub verifies: &'static [MovementKind],
    /// Whether it lists payments between two customers of its own under references that no receipt has.
    pub has_same_bank_references: bool,
}

impl Capabilities {
    /// The bank's code, where it lists payments between two customers of its own under references that no receipt
    /// has.
    #[must_use]
    pub fn same_bank(&self) -> Option<&'static str> {
        self.bank_code.filter(|_| self.has_same_bank_references)
    }

    /// The fact that comes in this field of a request, if the bank wants one there.
    #[must_use]
    pub fn credential_in(&self, field: Field) -> Option<&'static CredentialFact> {
        self.credentials.iter().find(|fact| fact.field == field)
    }
}
