//! Bancamiga (0172).
//!
//! A pago móvil is asked about by the payer's phone, the payer's bank and the day (`pm/find`): the bank lists what that
//! phone sent, and the rules that are the same for every bank say which of it is meant. Without these facts there is the
//! list of a whole day (`pm/history/find`), which the bank lets an account have once in ten minutes: what is on it is
//! confirmed, and what is not on it is never *not found* before the bank was asked again. Both change nothing at the bank.
//!
//! Its questions about transfers (`consulta/trx`) and about one payment (`pm/find/secure`) are known from one integrator
//! alone, without the names of their fields: they are not asked, and transfers are refused.
//!
//! From the bank's manual and from what others who use it have published. What is assumed is said where it is.

mod connector;
mod push;
mod requests;
mod rows;
mod session;
#[cfg(test)]
mod tests;
mod turns;
mod wire;
mod written;

use std::sync::Arc;
use std::time::Duration;

use bank::{Bank, Capabilities, CredentialFact, Field, Format, Label, PayerFact, Requirement};
use domain::matching::{MovementKind, Rule};
use egress::{BankClient, Wait};

use self::connector::Bancamiga;
use crate::definition::{self, Connect, Definition, Setting, SettingError, SettingValue};

/// The digits that accounts of the bank begin with.
const BANK_CODE: &str = "0172";

/// The names that the bank's tokens are kept under.
const ACCESS_TOKEN: &str = "access_token";
const REFRESH_TOKEN: &str = "refresh_token";

/// The bank, as the registry lists it.
pub static BANK: Definition = Definition {
    name: "bancamiga",
    capabilities: &CAPABILITIES,
    settings: &[
        Setting {
            name: "url",
            value: SettingValue::Absent(r#""https://bank.example""#),
            doc: "Where Bancamiga answers: the bank gives each customer an address. Without it, accounts of\n\
                  that bank cannot be linked.",
        },
        Setting {
            name: "timeout_seconds",
            value: SettingValue::Default("30"),
            doc: "How long the bank may take for one answer: 1 to 50.",
        },
        Setting {
            name: "interval_seconds",
            value: SettingValue::Default("600"),
            doc: "How long an account's list of a day must be behind before the next is asked for: 600 to 3600.\n\
                  The bank allows one in ten minutes.",
        },
    ],
    open,
};

static CAPABILITIES: Capabilities = Capabilities {
    provider: "BANCAMIGA",
    wire_name: "BANCAMIGA_V1",
    platform: "Bancamiga",
    bank_code: Some(BANK_CODE),
    livemode: true,
    rule: Rule::Suffix { min_digits: 6 },
    questions: &[
        &[Requirement::ReferenceNumber],
        &[
            Requirement::ReferenceNumber,
            Requirement::PhoneOrigin,
            Requirement::BankCodeOrigin,
            Requirement::PaymentDate,
        ],
    ],
    // `Dni` is the receiver's own.
    payer_facts: &[PayerFact::Phone],
    days_back: 2,
    // Three days, each with a renewed token in between.
    deadline: Duration::from_secs(100),
    credentials: &[
        CredentialFact {
            name: "account_number",
            field: Field::Username,
            label: Label {
                es: "el número de la cuenta, 20 dígitos",
                en: "the account's number, 20 digits",
            },
            is_secret: false,
            format: Format::AccountNumber,
            max_len: 20,
            is_required: true,
        },
        CredentialFact {
            name: ACCESS_TOKEN,
            field: Field::Password,
            label: Label {
                es: "el token de acceso que le dio el banco",
                en: "the access token that the bank gave you",
            },
            is_secret: true,
            format: Format::Text,
            max_len: 1024,
            is_required: true,
        },
        CredentialFact {
            name: REFRESH_TOKEN,
            field: Field::Metadata("REFRESH_TOKEN"),
            label: Label {
                es: "el token de renovación (refresToken) que le dio el banco",
                en: "the refresh token (refresToken) that the bank gave you",
            },
            is_secret: true,
            format: Format::Text,
            max_len: 1024,
            is_required: false,
        },
        CredentialFact {
            name: "phone",
            field: Field::Phone,
            label: Label {
                es: "el teléfono que recibe los pagos móviles",
                en: "the phone that receives the mobile payments",
            },
            is_secret: false,
            format: Format::Phone,
            max_len: 40,
            is_required: true,
        },
    ],
    verifies: &[MovementKind::Generic, MovementKind::MovilPay],
    has_same_bank_references: false,
};

/// Settings of this bank that the operator has made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    /// How long one answer may take.
    timeout: Duration,
    /// How long an account's list of a day must be behind before the next.
    interval: Duration,
}

fn open(settings: &definition::Settings<'_>) -> Result<Option<Connect>, SettingError> {
    let read = Settings {
        timeout: settings.seconds("timeout_seconds", 1..=50)?,
        interval: settings.seconds("interval_seconds", 600..=3600)?,
    };
    let Some(url) = settings.url()? else { return Ok(None) };
    Ok(Some(Arc::new(move |clock| {
        let client = BankClient::new(url.clone(), Wait::clone(&clock.wait))?;
        Ok(Arc::new(Bancamiga::new(client, read, clock.clone())) as Arc<dyn Bank>)
    })))
}
