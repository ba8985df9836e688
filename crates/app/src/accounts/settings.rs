//! The operations `GET` and `PUT /v1/usersbank/{bank_id}/settings`.

use domain::access::{SetAccountSettings, ShowAccountSettings};
use domain::ids::{BankId, OwnerId};
use domain::matching::Rule;
use domain::profile::HolderName;
use domain::refusal::Refusal;
use domain::time::Timestamp;
use serde_json::{Value, json};
use store::accounts::Account;
use store::fault::Fault;
use store::tx::Tx;
use store::{accounts, audit, bank_access};

use super::reached;
use crate::audit_entry::audited;
use crate::changes::{Facts, changed};
use crate::{Act, App, Error, Precondition};

/// Settings that an owner has chosen for an account.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AccountSettings {
    /// Whether a call of the API may be confirmed by payer, amount and day, where the account's bank lists payments
    /// between two customers of its own under references that no receipt has.
    pub same_bank_by_payer: bool,
    /// Says whether four digits of a reference do with an amount, in calls of the API.
    pub short_references: bool,
    /// The holder's name as the bank shows it to payers.
    pub holder: Option<HolderName>,
}

impl Facts for AccountSettings {
    fn facts(&self) -> Value {
        json!({
            "same_bank_by_payer": self.same_bank_by_payer,
            "short_references": self.short_references,
            "holder_name": self.holder.as_ref().map(ToString::to_string),
        })
    }
}

/// Change of an account's settings. Fields that it does not name stay; fields that it names as nothing are removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AccountSettingsChange {
    /// Whether payments may be confirmed by payer, amount and day.
    pub same_bank_by_payer: Option<bool>,
    /// Says whether four digits of a reference do with an amount.
    pub short_references: Option<bool>,
    /// The holder's name.
    pub holder: Option<Option<HolderName>>,
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
    let found = app.store.look_up(act.meter(), move |tx| read(tx, owner, id)).await?;
    let (account, settings) = found.unzip();
    reached(account, act.caller())?;
    Ok(settings.unwrap_or_default())
}

/// Keeps what the owner chooses for an account, from the next answer and the next look at a page on.
///
/// # Errors
/// Not found; a choice that the account's bank has no use for; what somebody else has changed meanwhile; or a failure of
/// the store.
pub async fn set_settings(
    app: &App,
    act: &Act<SetAccountSettings>,
    id: BankId,
    change: AccountSettingsChange,
    precondition: Precondition<AccountSettings>,
) -> Result<AccountSettings, Error> {
    let (owner, now) = (act.owner(), act.now);
    let found = app.store.look_up(act.meter(), move |tx| accounts::find(tx, owner, id)).await?;
    let account = reached(found, act.caller())?;
    check_is_of_use(app, &account, &change)?;
    let entry = audited(app, act, id.to_string());
    let write = act.write(app, move |tx| {
        let (_, former) = read(tx, owner, id)?.ok_or(Refusal::UserBankNotFound)?;
        precondition.check(&former)?;
        // It may have been put into the trash meanwhile.
        if !keep(tx, owner, id, &change, now)? {
            return Err(Refusal::UserBankNotFound.into());
        }
        let (_, kept) = read(tx, owner, id)?.ok_or(Refusal::UserBankNotFound)?;
        if kept != former {
            audit::insert_change(tx, owner, &entry, &changed(&former, &kept), now)?;
        }
        Ok(kept)
    });
    write.await
}

/// Checks that the account's bank has a use for what is chosen.
fn check_is_of_use(
    app: &App,
    account: &Account,
    change: &AccountSettingsChange,
) -> Result<(), Refusal> {
    let bank = app.banks.get(&account.provider).map(|bank| bank.capabilities());
    let has_same_bank = bank.is_some_and(|bank| bank.same_bank().is_some());
    if change.same_bank_by_payer == Some(true) && !has_same_bank {
        let problem =
            ("no hace falta en pagos a este banco", "is nothing that payments to this bank need");
        return Err(Refusal::invalid("same_bank_by_payer", problem));
    }
    let has_endings = bank.is_some_and(|bank| bank.rule != Rule::Exact);
    if change.short_references == Some(true) && !has_endings {
        let problem = (
            "no tiene uso aquí: este banco compara referencias enteras",
            "has no use here: this bank compares whole references",
        );
        return Err(Refusal::invalid("short_references", problem));
    }
    let has_holder = bank.is_some_and(|bank| !bank.credentials.is_empty());
    if matches!(change.holder, Some(Some(_))) && !has_holder {
        let problem = ("este banco no tiene titulares", "is nothing that this bank has");
        return Err(Refusal::invalid("holder_name", problem));
    }
    Ok(())
}

/// Writes the change; answers whether the account is still there.
fn keep(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: BankId,
    change: &AccountSettingsChange,
    now: Timestamp,
) -> Result<bool, Fault> {
    let mut is_there = true;
    if let Some(is_chosen) = change.same_bank_by_payer {
        is_there &= accounts::choose_same_bank_by_payer(tx, owner, id, is_chosen, now)?;
    }
    if let Some(is_chosen) = change.short_references {
        is_there &= accounts::choose_short_references(tx, owner, id, is_chosen, now)?;
    }
    if let Some(holder) = &change.holder {
        let is_kept = bank_access::change_holder(tx, owner, id, holder.as_ref(), now)?;
        // The sandbox has no place for a name, so that there is none to be taken away.
        is_there &= is_kept || holder.is_none();
    }
    Ok(is_there)
}

fn read(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: BankId,
) -> Result<Option<(Account, AccountSettings)>, Fault> {
    let Some(account) = accounts::find(tx, owner, id)? else { return Ok(None) };
    let facts = bank_access::facts_of(tx, owner, id)?;
    let settings = AccountSettings {
        same_bank_by_payer: account.same_bank_by_payer,
        short_references: account.short_references,
        holder: facts.and_then(|facts| facts.holder),
    };
    Ok(Some((account, settings)))
}
