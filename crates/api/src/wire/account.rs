//! A linked bank account.

use app::accounts::{Capabilities, Linked, Requirement};
use domain::access::Caller;
use domain::ids::BankId;
use domain::payer::Phone;
use serde::Serialize;

use super::Shown;

/// A linked bank account. What it has nothing of is there and empty, because callers read it
/// without looking.
#[derive(Serialize)]
pub(crate) struct WireBank<'a> {
    id: Shown<BankId>,
    description: &'a str,
    provider: &'a str,
    platform: &'a str,
    currency: &'static str,
    bank_accounts: Vec<WireNumber>,
    default_bank_account: Option<String>,
    user_bank_phone: Option<WirePhone>,
    payment_link: bool,
    to_trash: bool,
    is_disabled: bool,
    is_block_by_bank: bool,
    verifications_types_available: Vec<WireQuestion>,
}

/// The account's number. Keys see its last four digits, the owner's session all of it.
#[derive(Serialize)]
struct WireNumber {
    account_number: String,
    account_type: &'static str,
}

#[derive(Serialize)]
struct WirePhone {
    #[serde(rename = "countryCode")]
    country_code: String,
    number: String,
}

/// A set of facts that is enough to ask the bank.
#[derive(Serialize)]
struct WireQuestion {
    id: String,
    hidden: bool,
    fields_required: Vec<WireField>,
}

#[derive(Serialize)]
struct WireField {
    name: &'static str,
    #[serde(rename = "type")]
    kind: &'static str,
}

impl<'a> WireBank<'a> {
    pub(crate) fn of(linked: &'a Linked, caller: &Caller) -> Self {
        let Linked { account, bank, facts } = linked;
        let number = facts.as_ref().map(|facts| match caller {
            Caller::Owner(_) => facts.number.as_str().to_owned(),
            _ => facts.number.masked(),
        });
        let phone = facts.as_ref().and_then(|facts| facts.phone.as_ref());
        Self {
            id: Shown(account.id),
            description: &account.description,
            provider: &account.provider,
            platform: bank.as_ref().map_or(account.provider.as_str(), |bank| bank.platform),
            currency: "VEF",
            bank_accounts: number.as_deref().map(WireNumber::of).into_iter().collect(),
            default_bank_account: number,
            user_bank_phone: phone.map(WirePhone::of),
            payment_link: linked.takes_links(),
            to_trash: account.is_trashed,
            is_disabled: account.is_disabled || bank.is_none(),
            is_block_by_bank: false,
            verifications_types_available: bank.as_ref().map(questions).unwrap_or_default(),
        }
    }
}

impl WireNumber {
    /// Banks do not say of which type an account is.
    fn of(number: &str) -> Self {
        Self { account_number: number.to_owned(), account_type: "" }
    }
}

impl WirePhone {
    fn of(phone: &Phone) -> Self {
        let (country, number) = phone.parts();
        Self { country_code: country.to_owned(), number: number.to_owned() }
    }
}

fn questions(bank: &Capabilities) -> Vec<WireQuestion> {
    let questions = bank.questions.iter().enumerate().map(|(place, facts)| WireQuestion {
        id: (place + 1).to_string(),
        hidden: false,
        fields_required: facts.iter().copied().map(field).collect(),
    });
    questions.collect()
}

fn field(fact: Requirement) -> WireField {
    let kind = match fact {
        Requirement::Amount => "number",
        Requirement::PaymentDate => "date",
        _ => "text",
    };
    WireField { name: fact.as_str(), kind }
}
