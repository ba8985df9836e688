//! A linked bank account.

use app::accounts::{Capabilities, Linked, Requirement};

use domain::ids::BankId;
use serde::Serialize;

use super::Shown;

/// A linked bank account. What the sandbox has nothing of is there and empty, because callers read
/// it without looking.
#[derive(Serialize)]
pub(crate) struct WireBank<'a> {
    id: Shown<BankId>,
    description: &'a str,
    provider: &'a str,
    platform: &'a str,
    currency: &'static str,
    bank_accounts: [&'static str; 0],
    default_bank_account: Option<&'static str>,
    user_bank_phone: Option<&'static str>,
    payment_link: bool,
    to_trash: bool,
    is_disabled: bool,
    is_block_by_bank: bool,
    verifications_types_available: Vec<WireQuestion>,
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
    pub(crate) fn of(linked: &'a Linked) -> Self {
        let Linked { account, bank } = linked;
        Self {
            id: Shown(account.id),
            description: &account.description,
            provider: &account.provider,
            platform: bank.as_ref().map_or(account.provider.as_str(), |bank| bank.platform),
            currency: "VEF",
            bank_accounts: [],
            default_bank_account: None,
            user_bank_phone: None,
            payment_link: false,
            to_trash: account.is_trashed,
            is_disabled: account.is_disabled || bank.is_none(),
            is_block_by_bank: false,
            verifications_types_available: bank.as_ref().map(questions).unwrap_or_default(),
        }
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
