//! The operation: `PUT /v1/usersbank/{bank_id}/client`.

use std::sync::Arc;

use domain::access::{Caller, MoveBankAccount};
use domain::ids::{BankId, ClientId, OwnerId};
use domain::push_secret::PushSecretHash;
use domain::refusal::Refusal;
use domain::time::Timestamp;
use store::ended::{self, EndedThing};
use store::tx::Tx;
use store::{account_use, accounts, audit, bank_access, bank_push, clients};

use super::{Linked, PushAccess, reached};
use crate::audit_entry::audited;
use crate::changes::{ClientOfAccount, changed};
use crate::locator::Locator;
use crate::outcome::Outcome;
use crate::{Act, App, Error, Precondition};

/// An account that was moved.
#[derive(Clone, Debug)]
pub struct Moved {
    /// The account.
    pub linked: Linked,
    /// What the owner gives its bank, so that its notices are accepted. What it gave before is void, since the former
    /// holder of the account knows it. Nothing where the bank sends no notices, or the account was there already.
    pub push: Option<PushAccess>,
}

/// Everything that one transaction needs to move an account.
struct Moving {
    caller: Caller,
    owner: OwnerId,
    bank: BankId,
    client: Option<ClientId>,
    precondition: Precondition<Option<ClientId>>,
    push: Option<PushSecretHash>,
    entry: audit::Entry,
    now: Timestamp,
}

/// Gives an account to a client, or takes it back. A client sees only what was recorded since it got the account;
/// what was charged stays with the client that had it then, and keys that are limited to it reach it no more unless
/// it is in their scope. Moving it to where it is changes nothing.
///
/// # Errors
/// Not found, a client that has something open on the account, what somebody else has changed meanwhile; or a failure of
/// the store.
pub async fn move_account(
    app: &App,
    act: &Act<MoveBankAccount>,
    id: BankId,
    client: Option<ClientId>,
    precondition: Precondition<Option<ClientId>>,
) -> Result<Moved, Error> {
    let owner = act.owner();
    let found = app.store.look_up(act.meter(), move |tx| accounts::find(tx, owner, id)).await?;
    let account = reached(found, act.caller())?;
    let bank = app.open_bank(&account.provider);
    let push = bank.and_then(|bank| PushAccess::new(app, &**bank, id));
    if push.is_some() {
        Locator::of_push(id).claim(&app.store, act.meter(), (owner, id.to_bytes())).await?;
    }
    let moving = Moving {
        caller: act.caller().clone(),
        owner,
        bank: id,
        client,
        precondition,
        push: push.as_ref().map(|push| push.secret.hash()),
        entry: audited(app, act, id.to_string()),
        // What is recorded while the request is on its way is not the client's.
        now: app.clock.now(),
    };
    let moving = Arc::new(moving);
    let write = move |tx: &mut Tx<'_>| write(tx, &moving);
    let is_moved = act.write_again(app, write).await?;

    let read = app.store.look_up(act.meter(), move |tx| {
        Ok((accounts::find(tx, owner, id)?, bank_access::facts_of(tx, owner, id)?))
    });
    let (account, facts) = read.await?;
    let account = account.ok_or(Refusal::UserBankNotFound)?;
    Ok(Moved { linked: Linked::new(app, account, facts), push: push.filter(|_| is_moved) })
}

/// Answers whether the account was somewhere else.
fn write(tx: &mut Tx<'_>, moving: &Moving) -> Outcome<bool> {
    let Moving { caller, owner, bank, client, precondition, push, entry, now } = moving;
    if let Some(client) = client
        && clients::find(tx, *owner, *client)?.is_none()
    {
        return Err(Refusal::NotFound("client").into());
    }
    let account = reached(accounts::find(tx, *owner, *bank)?, caller)?;
    if account.client == *client {
        // Or this very write, whose answer was lost.
        return Ok(push.is_some() && bank_push::find(tx, *owner, *bank)? == *push);
    }
    precondition.check(&account.client)?;
    if account_use::is_in_use_by_another(tx, *owner, *bank, *client, *now)? {
        return Err(Refusal::AccountInUse.into());
    }
    accounts::move_to(tx, *owner, *bank, *client, *now)?;
    match push {
        Some(push) => bank_push::put(tx, *owner, *bank, *push, *now)?,
        // Also where the bank's connector is closed here: nobody else is to know the secret when it opens again.
        None => bank_push::remove(tx, *owner, *bank)?,
    }
    ended::note(tx, *owner, EndedThing::PushSecret(*bank), *now);
    let change = changed(&ClientOfAccount(account.client), &ClientOfAccount(*client));
    audit::insert_change(tx, *owner, entry, &change, *now)?;
    Ok(true)
}
