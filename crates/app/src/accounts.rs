//! The operations on bank accounts: `POST /usersbank` and `GET /me/usersbank`.

use std::sync::Arc;

use bank::Bank;
pub use bank::{Capabilities, Requirement};
use domain::access::{Guarded, LinkBankAccount, ListBankAccounts};
use domain::ids::{BankId, IdentityId, OwnerId};
use domain::refusal::Refusal;
use domain::text::Text;
use domain::time::Timestamp;
use store::accounts::{ACCOUNTS_MAX, Account, NewAccount};
use store::fault::Fault;
use store::tx::Tx;
use store::{Lane, accounts, audit};

use crate::keys::audited;
use crate::{Act, App, Error};

/// The owner's label of an account.
pub type Description = Text<0, 200>;

/// What an account is linked with.
#[derive(Clone, Debug)]
pub struct LinkRequest {
    /// Whose account it should be, if that was said; it can be the caller's owner only.
    pub user_id: Option<String>,
    /// Which connector serves it, by its name on the wire.
    pub provider: String,
    /// The owner's label.
    pub description: Option<Description>,
}

/// A linked account and what its bank can do.
#[derive(Clone, Debug)]
pub struct Linked {
    /// The account.
    pub account: Account,
    /// Its bank; `None` where the connector is closed here.
    pub bank: Option<Capabilities>,
}

/// Links an account. Made by a client's caller, it belongs to that client.
///
/// # Errors
/// A refusal, or a failure of the store.
pub async fn link(
    app: &App,
    act: &Act<LinkBankAccount>,
    request: LinkRequest,
) -> Result<Linked, Error> {
    let (owner, now) = (act.owner(), act.now);
    if request.user_id.as_ref().is_some_and(|user| *user != owner.to_string()) {
        return Err(Refusal::Forbidden.into());
    }
    let bank = open_bank(app, &request.provider).ok_or(Refusal::InvalidBankProvider)?;
    let capabilities = bank.capabilities();
    let description = request.description.map(Text::into_string).unwrap_or_default();
    let id = BankId::new(&*app.ids, now);
    let new = NewAccount {
        id,
        identity: IdentityId::new(&*app.ids, now),
        provider: capabilities.provider.to_owned(),
        // Each link of the sandbox is an account of its own.
        account: id.to_string(),
        description: if description.is_empty() {
            capabilities.platform.to_owned()
        } else {
            description
        },
        client: act.caller().client(),
    };
    let entry = audited(app, act, id.to_string());
    let linked = app
        .store
        .write(act.meter(), Lane::Admission, owner, move |tx| write(tx, owner, &new, &entry, now))
        .await?;
    Ok(Linked { account: linked?, bank: Some(capabilities.clone()) })
}

/// Lists the accounts that the caller reaches, oldest first.
///
/// # Errors
/// A failure of the store.
pub async fn list(app: &App, act: &Act<ListBankAccounts>) -> Result<Vec<Linked>, Error> {
    let owner = act.owner();
    let accounts = app.store.look_up(act.meter(), move |tx| accounts::list(tx, owner)).await?;
    let reached =
        accounts.into_iter().filter(|account| act.caller().reaches(account.id, account.client));
    let linked = reached.map(|account| {
        let bank = open_bank(app, &account.provider).map(|bank| bank.capabilities().clone());
        Linked { account, bank }
    });
    Ok(linked.collect())
}

/// Checks that the caller reaches the account: whoever does not is to learn nothing else about its
/// request.
///
/// # Errors
/// Not found, or a failure of the store.
pub async fn check_reach<O: Guarded>(app: &App, act: &Act<O>, id: BankId) -> Result<(), Error> {
    let owner = act.owner();
    let found = app.store.look_up(act.meter(), move |tx| accounts::find(tx, owner, id)).await?;
    let reached = found.is_some_and(|account| {
        !account.is_trashed && act.caller().reaches(account.id, account.client)
    });
    if reached { Ok(()) } else { Err(Refusal::UserBankNotFound.into()) }
}

/// The connector of that name, unless it is the sandbox and the sandbox is closed.
fn open_bank<'a>(app: &'a App, provider: &str) -> Option<&'a Arc<dyn Bank>> {
    let bank = app.banks.get(provider)?;
    (bank.capabilities().livemode || app.settings.allow_test_bank).then_some(bank)
}

fn write(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    new: &NewAccount,
    entry: &audit::Entry,
    now: Timestamp,
) -> Result<Result<Account, Refusal>, Fault> {
    if accounts::count(tx, owner)? >= ACCOUNTS_MAX {
        return Ok(Err(Refusal::BankAccountLimit));
    }
    accounts::insert(tx, owner, new, now)?;
    audit::insert(tx, owner, entry, now)?;
    let account = accounts::find(tx, owner, new.id)?;
    account.map(Ok).ok_or_else(|| Fault::broken("a linked account is missing"))
}
