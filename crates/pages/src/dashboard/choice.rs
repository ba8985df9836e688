//! What somebody chooses from in a form.

use app::App;
use app::accounts::Linked;
use domain::access::{ListBankAccounts, Operation};
use domain::ids::BankId;
use web::{Failure, Signed};

/// One of what a field offers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Choice {
    /// What the form sends.
    pub(crate) value: String,
    /// What it is called.
    pub(crate) text: String,
    /// What else is said of it; empty where nothing is.
    pub(crate) more: String,
}

impl Choice {
    pub(crate) fn new(value: impl Into<String>, text: impl Into<String>) -> Self {
        Self { value: value.into(), text: text.into(), more: String::new() }
    }
}

/// The bank accounts within reach, of those that the person's mode shows.
pub(super) async fn accounts<O: Operation>(
    app: &App,
    signed: &Signed<O>,
) -> Result<Vec<Linked>, Failure> {
    let mut linked = app::accounts::list(app, &signed.also::<ListBankAccounts>()?).await?;
    linked.retain(|one| signed.test_mode.shows(one.is_test));
    Ok(linked)
}

/// Returns what an account is called: its description, or its bank, with the last digits of its number.
pub(super) fn account_name(linked: &Linked) -> String {
    let bank = linked.bank.map_or(&*linked.wire_name, |bank| bank.platform);
    let description = linked.account.description.trim();
    let name = if description.is_empty() { bank } else { description };
    let number = linked.facts.as_ref().map(|facts| facts.number.as_str());
    let last = number.and_then(|number| number.get(number.len().saturating_sub(4)..));
    last.map_or_else(|| name.to_owned(), |last| format!("{name} …{last}"))
}

/// Returns what that account is called; nothing where it is not among these.
pub(super) fn name_of(bank: BankId, linked: &[Linked]) -> String {
    linked.iter().find(|one| one.account.id == bank).map_or_else(String::new, account_name)
}

/// The accounts as a choice.
pub(super) fn of_accounts<'a>(accounts: impl Iterator<Item = &'a Linked>) -> Vec<Choice> {
    accounts.map(|one| Choice::new(one.account.id.to_string(), account_name(one))).collect()
}
