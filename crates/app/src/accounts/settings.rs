//! The operations `GET` and `PUT /v1/usersbank/{bank_id}/settings`.

use domain::access::{SetAccountSettings, ShowAccountSettings};
use domain::ids::BankId;
use domain::refusal::Refusal;
use store::{Lane, accounts, audit};

use super::reached;
use crate::keys::audited;
use crate::{Act, App, Error};

/// What an owner has chosen for an account.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AccountSettings {
    /// Whether a call of the API may be confirmed by payer, amount and day, where the account's bank lists payments
    /// between two customers of its own under references that no receipt has.
    pub same_bank_by_payer: bool,
}

/// Shows what the owner has chosen for an account.
///
/// # Errors
/// Not found, or a failure of the store.
pub async fn show_settings(
    app: &App,
    act: &Act<ShowAccountSettings>,
    id: BankId,
) -> Result<AccountSettings, Error> {
    let owner = act.owner();
    let found = app.store.look_up(act.meter(), move |tx| accounts::find(tx, owner, id)).await?;
    let account = reached(found, act.caller())?;
    Ok(AccountSettings { same_bank_by_payer: account.same_bank_by_payer })
}

/// Keeps what the owner chooses for an account, from the next answer on.
///
/// # Errors
/// Not found; a choice that the account's bank has no use for; or a failure of the store.
pub async fn set_settings(
    app: &App,
    act: &Act<SetAccountSettings>,
    id: BankId,
    settings: AccountSettings,
) -> Result<AccountSettings, Error> {
    let (owner, now) = (act.owner(), act.now);
    let found = app.store.look_up(act.meter(), move |tx| accounts::find(tx, owner, id)).await?;
    let account = reached(found, act.caller())?;
    let bank = app.banks.get(account.provider.as_str());
    let is_of_use = bank.is_some_and(|bank| bank.capabilities().same_bank().is_some());
    if settings.same_bank_by_payer && !is_of_use {
        let problem =
            ("no hace falta en pagos a este banco", "is nothing that payments to this bank need");
        return Err(Refusal::invalid("same_bank_by_payer", problem).into());
    }
    let entry = audited(app, act, id.to_string());
    let is_chosen = settings.same_bank_by_payer;
    let write = app.store.write(act.meter(), Lane::Admission, owner, move |tx| {
        let is_there = accounts::choose_same_bank_by_payer(tx, owner, id, is_chosen, now)?;
        if is_there {
            audit::insert(tx, owner, &entry, now)?;
        }
        Ok(is_there)
    });
    // It was put into the trash meanwhile.
    if write.await? { Ok(settings) } else { Err(Refusal::UserBankNotFound.into()) }
}
