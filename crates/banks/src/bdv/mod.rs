//! Banco de Venezuela (0102).
//!
//! A payment is looked for in the account's extract (`movimientos`), which changes nothing at the
//! bank. The bank also has a question about one payment (`getMovement`), which marks it as
//! conciliated and so cannot be asked twice: it is not asked (decision 0090). What it would answer is
//! understood by [`get_movement`], for code that has such answers.
//!
//! From the bank's manual of its conciliation interface, version 6 of 17 November 2025, and from
//! what others who use it have published. What the manual does not say is said where it is assumed.

pub mod get_movement;

mod amount;
mod connector;
mod extract;
mod message;
mod observation;
mod push;
#[cfg(test)]
mod tests;
mod wire;

use std::sync::Arc;
use std::time::Duration;

use bank::{Bank, Capabilities, CredentialFact, Field, Format, Label, PayerFact, Requirement};
use domain::matching::{MovementKind, Rule};
use egress::{BankClient, Wait};

use self::connector::Bdv;
use crate::definition::{self, Connect, Definition, Setting, SettingError, SettingValue};

/// The digits that accounts of the bank begin with.
const BANK_CODE: &str = "0102";

/// The name that the bank's key is kept under.
const API_KEY: &str = "api_key";

/// The bank, as the registry lists it.
pub static BANK: Definition = Definition {
    name: "bdv",
    capabilities: &CAPABILITIES,
    settings: &[
        Setting {
            name: "url",
            value: SettingValue::Absent(r#""https://bdvconciliacion.banvenez.com""#),
            doc: "Where Banco de Venezuela answers. Without it, accounts of that bank cannot be linked.",
        },
        Setting {
            name: "environment",
            value: SettingValue::Default(r#""production""#),
            doc: "Which of the bank's systems answers there: production, or quality, where it lets its\n\
                  customers try.",
        },
        Setting {
            name: "timeout_seconds",
            value: SettingValue::Default("30"),
            doc: "How long the bank may take for one page of an extract: 1 to 60.",
        },
        Setting {
            name: "interval_seconds",
            value: SettingValue::Default("2"),
            doc: "How long one look at a day of an account must be behind before the next begins: 1 to 600.\n\
                  The bank publishes no limit.",
        },
    ],
    open,
};

static CAPABILITIES: Capabilities = Capabilities {
    provider: "BDV",
    wire_name: "VE_BAN_EMP_V2",
    platform: "Banco de Venezuela",
    bank_code: Some(BANK_CODE),
    livemode: true,
    rule: Rule::Suffix { min_digits: 6 },
    questions: &[
        &[Requirement::ReferenceNumber],
        &[Requirement::ReferenceNumber, Requirement::Amount, Requirement::PaymentDate],
    ],
    // The column `observacion`: of a pago móvil from another bank the phone, since the switch between banks passes no
    // document on; of one from the same bank, and of a transfer from another, the document.
    payer_facts: &[PayerFact::Phone, PayerFact::Document],
    days_back: 2,
    // Many pages of a bank that takes half a minute for one.
    deadline: Duration::from_secs(110),
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
            name: API_KEY,
            field: Field::Password,
            label: Label {
                es: "la clave que le dio el banco",
                en: "the key that the bank gave you",
            },
            is_secret: true,
            format: Format::Text,
            max_len: 1024,
            is_required: true,
        },
    ],
    verifies: &[MovementKind::Generic, MovementKind::MovilPay, MovementKind::Transfer],
    has_same_bank_references: true,
};

/// Which of the bank's two systems it is: their paths differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Environment {
    /// Where the money is.
    Production,
    /// Where the bank lets its customers try: paths end in `/v2`.
    Quality,
}

/// Settings of this bank that the operator has made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    /// Which of the bank's systems answers.
    environment: Environment,
    /// How long one page may take.
    timeout: Duration,
    /// How long one look at a day must be behind before the next begins.
    interval: Duration,
}

fn open(settings: &definition::Settings<'_>) -> Result<Option<Connect>, SettingError> {
    let read = Settings {
        environment: settings.read_with("environment", environment)?,
        timeout: settings.seconds("timeout_seconds", 1..=60)?,
        interval: settings.seconds("interval_seconds", 1..=600)?,
    };
    let Some(url) = settings.url()? else { return Ok(None) };
    Ok(Some(Arc::new(move |clock| {
        let client = BankClient::new(url.clone(), Wait::clone(&clock.wait))?;
        Ok(Arc::new(Bdv::new(client, read, clock.clone())) as Arc<dyn Bank>)
    })))
}

fn environment(text: &str) -> Result<Environment, String> {
    match text {
        "production" => Ok(Environment::Production),
        "quality" => Ok(Environment::Quality),
        _ => Err("must be production or quality".to_owned()),
    }
}
