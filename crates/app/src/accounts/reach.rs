//! Which accounts a caller reaches.

use domain::access::{Caller, Guarded};
use domain::ids::{BankId, OwnerId};
use domain::refusal::Refusal;
use domain::time::{CaracasDate, Timestamp};
use store::accounts::{self, Account};
use store::fault::Fault;
use store::movement_pages::Unnamed;
use store::scope::{AccountScope, Scope, ScopedAccount};
use store::tx::Tx;

use crate::{Act, App, Error, Settings};

/// The account, if it is linked and the caller reaches it. Where the trash counts too, only
/// [`Caller::reaches`] is asked.
///
/// # Errors
/// Not found.
pub(crate) fn reached(account: Option<Account>, caller: &Caller) -> Result<Account, Refusal> {
    account
        .filter(|account| !account.is_trashed && caller.reaches(account.id, account.client))
        .ok_or(Refusal::UserBankNotFound)
}

/// Tells whether the caller sees what was made on the account. A caller that is confined to some accounts sees nothing
/// of one in the trash, neither in a list nor by its id; what is pending there is the owner's to end.
pub(crate) fn sees(account: &Account, caller: &Caller) -> bool {
    caller.reaches(account.id, account.client) && !(account.is_trashed && caller.is_scoped())
}

/// From when on the caller sees what was recorded of an account that it reaches: a client sees nothing of before it got
/// the account. Nothing where it sees all.
pub(crate) fn shown_since(account: &Account, caller: &Caller) -> Option<Timestamp> {
    account.client_since.filter(|_| caller.client().is_some())
}

/// Which movements of an account the caller sees that no question named and no notice of the bank brought. The owner
/// and its people see all of them; a client's people those from the day after it got the account on, or all where it was
/// made for it; keys none, unless the operator lets them see what people see.
pub(crate) fn unnamed_shown(settings: &Settings, account: &Account, caller: &Caller) -> Unnamed {
    if matches!(caller, Caller::Key(_)) && !settings.unnamed_movements_for_keys {
        return Unnamed::None;
    }
    match shown_since(account, caller) {
        Some(since) if since != account.created_at => {
            Unnamed::Since(CaracasDate::of(since).plus_days(1))
        }
        _ => Unnamed::All,
    }
}

/// Returns the part of the owner's rows that the caller sees. A caller confined to some accounts sees nothing of one in
/// the trash.
///
/// # Errors
/// A fault of the store.
pub(crate) fn scope(tx: &mut Tx<'_>, owner: OwnerId, caller: &Caller) -> Result<Scope, Fault> {
    if !caller.is_scoped() {
        return Ok(Scope::All);
    }
    let linked = accounts::list(tx, owner)?.into_iter();
    let reached = linked.filter(|account| caller.reaches(account.id, account.client));
    Ok(Scope::Accounts(scope_of(reached, caller)))
}

/// Returns the part that the caller sees of these accounts, which it reaches.
pub(crate) fn scope_of(
    accounts: impl IntoIterator<Item = Account>,
    caller: &Caller,
) -> AccountScope {
    let account =
        |account: Account| ScopedAccount { id: account.id, since: shown_since(&account, caller) };
    AccountScope { accounts: accounts.into_iter().map(account).collect(), client: caller.client() }
}

/// Checks that the caller reaches the account: one that does not must learn nothing else about its
/// request.
///
/// # Errors
/// Not found, or a failure of the store.
pub async fn check_reach<O: Guarded>(app: &App, act: &Act<O>, id: BankId) -> Result<(), Error> {
    let owner = act.owner();
    let found = app.store.look_up(act.meter(), move |tx| accounts::find(tx, owner, id)).await?;
    reached(found, act.caller())?;
    Ok(())
}
