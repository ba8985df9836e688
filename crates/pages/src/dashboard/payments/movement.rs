//! A movement as rows show it.

use domain::language::Language;
use domain::matching::{Movement, PayerFacts};

use crate::dashboard::money::bolivars;
use crate::dashboard::test_mode;
use crate::dashboard::written::instant;
use crate::written;

texts! {
    RowTexts {
        contested: "Puede ser el mismo pago que otra fila", "May be the same payment as another row";
    }
}

/// A row about a movement.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) id: String,
    /// The page on which it is accepted as a payment.
    pub(crate) accept: String,
    pub(crate) reference: String,
    pub(crate) amount: String,
    /// The bank's instant, or its day where it says no more.
    pub(crate) when: String,
    pub(crate) payer: String,
    pub(crate) description: String,
    pub(crate) is_claimed: bool,
    /// The class of the stylesheet of one that is claimed.
    pub(crate) claimed_class: &'static str,
    pub(crate) is_outgoing: bool,
    /// Words that it may be the same money as another row, where only a person can say whether it is.
    pub(crate) contested: Option<&'static str>,
    /// Whether it is no money.
    pub(crate) is_test: bool,
}

pub(crate) fn row(movement: &Movement, is_test: bool, language: Language) -> Row {
    Row {
        id: movement.id.to_string(),
        accept: super::accept::path_of(&movement.id.to_string()),
        reference: movement.reference.shown().to_owned(),
        amount: bolivars(movement.amount, language),
        when: movement.paid_at.map_or_else(|| movement.paid_on.to_string(), instant),
        payer: payer(&movement.payer),
        description: movement.description.as_str().to_owned(),
        is_claimed: movement.claimed.is_some(),
        claimed_class: test_mode::class("good", is_test),
        is_test,
        is_outgoing: !movement.amount.is_positive(),
        contested: movement.is_contested().then_some(RowTexts::of(language).contested),
    }
}

/// Writes what the bank says about the payer: `0414-1234567 · V-12345678 · 0102`.
fn payer(facts: &PayerFacts) -> String {
    let PayerFacts { bank, phone, document, account, .. } = facts;
    let parts = [
        phone.as_ref().map(written::phone),
        document.as_ref().map(written::document),
        account.as_ref().map(domain::payer::AccountNumber::masked),
        bank.as_ref().map(|bank| bank.as_str().to_owned()),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}
