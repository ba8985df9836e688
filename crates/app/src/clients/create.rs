//! The operation: `POST /v1/clients`.

use std::sync::Arc;

use domain::access::{Caller, CreateClient};
use domain::ids::{BankId, ClientId, OwnerId};
use domain::language::Language;
use domain::money::Credits;
use domain::payer::Document;
use domain::quota::Usage;
use domain::refusal::{Detail, Problem, Refusal};
use domain::text::EmailAddress;
use domain::time::{CaracasMonth, Timestamp};
use store::accounts::Account;
use store::clients::{CLIENTS_MAX, NewClient};
use store::idempotency::Slot;
use store::tx::Tx;
use store::{account_use, accounts, audit, clients};

use super::names::check_distinct;
use super::{ClientName, ClientRecord, kept_document, kept_email};
use crate::audit_entry::audited;
use crate::changes::ClientOfAccount;
use crate::outcome::Outcome;
use crate::{Act, App, Error, changes, kept_answers};

/// Data from which a client is made.
#[derive(Clone, Debug)]
pub struct ClientRequest {
    /// Its name.
    pub name: ClientName,
    /// Where it is written to.
    pub email: Option<EmailAddress>,
    /// Its document.
    pub document: Option<Document>,
    /// Whether its keys may verify payments and make payment links.
    pub payments_enabled: bool,
    /// The quota that its keys share. It and the accounts are the owner's to give.
    pub monthly_credit_limit: Option<Credits>,
    /// The accounts that it gets, each once and of no client.
    pub accounts: Vec<BankId>,
}

/// Writes a new client as the body of an answer.
pub type Render = fn(&ClientRecord, Language) -> Vec<u8>;

/// Everything that one transaction needs to make a client.
struct Making {
    caller: Caller,
    owner: OwnerId,
    new: NewClient,
    /// The accounts that it gets, each with its line in the audit trail.
    accounts: Vec<(BankId, audit::Entry)>,
    now: Timestamp,
    entry: audit::Entry,
    body: Vec<u8>,
    slot: Option<Slot>,
}

/// Makes a client; with an `Idempotency-Key` that was used before, answers what was answered then. Whose payments are
/// enabled, only the owner says, and only the owner gives a quota or accounts; all of these ask for a proof.
/// An account that no client has had keeps the secret of its bank's notices. Two clients of one name need documents that
/// differ.
///
/// # Errors
/// A refusal, or a failure of the store.
pub async fn create(
    app: &Arc<App>,
    act: &Act<CreateClient>,
    request: ClientRequest,
    slot: Option<Slot>,
    render: Render,
) -> Result<Vec<u8>, Error> {
    let (owner, now) = (act.owner(), act.now);
    if request.payments_enabled && !act.caller().may_let_in() {
        return Err(Refusal::OwnerSessionRequired.into());
    }
    check_gifts(act.caller(), &request)?;
    if gives(&request) {
        act.proved(app)?;
    }
    let new = NewClient {
        id: ClientId::new(&*app.ids, now),
        name: request.name.into_string(),
        email: request.email.as_ref().map(kept_email),
        document: request.document.as_ref().map(kept_document),
        payments_enabled: request.payments_enabled,
        monthly_credit_limit: request.monthly_credit_limit,
    };
    let line = |bank: &BankId| (*bank, audited(app, act, bank.to_string()));
    let making_accounts = request.accounts.iter().map(line).collect();
    let record = ClientRecord {
        client: new.made(now),
        accounts: request.accounts,
        month: CaracasMonth::of(now),
        usage: Usage::default(),
    };
    let making = Making {
        caller: act.caller().clone(),
        owner,
        accounts: making_accounts,
        entry: audited(app, act, new.id.to_string()),
        new,
        now,
        body: render(&record, act.request.language),
        slot,
    };
    let (inner, making) = (Arc::clone(app), Arc::new(making));
    let write = move |tx: &mut Tx<'_>| write(tx, &inner, &making);
    act.write_again(app, write).await
}

/// Refuses a quota and accounts of whom they are not to give.
fn check_gifts(caller: &Caller, request: &ClientRequest) -> Result<(), Refusal> {
    let mut given = Vec::new();
    if request.monthly_credit_limit.is_some() {
        given.push(("monthly_credit_limit", "PUT /v1/clients/{client_id}/credit-limit"));
    }
    if !request.accounts.is_empty() {
        given.push(("user_banks", "PUT /v1/usersbank/{bank_id}/client"));
    }
    if given.is_empty() || caller.may_let_in() {
        return Ok(());
    }
    let given = given.into_iter();
    let details = given.map(|(field, call)| Detail::new(field, Problem::set_by_owner(call)));
    Err(Refusal::Validation(details.collect()))
}

/// Tells whether the client may spend credits, or sees payments, from its making on.
fn gives(request: &ClientRequest) -> bool {
    let ClientRequest { payments_enabled, monthly_credit_limit, accounts, .. } = request;
    *payments_enabled || monthly_credit_limit.is_some() || !accounts.is_empty()
}

fn write(tx: &mut Tx<'_>, app: &App, making: &Making) -> Outcome<Vec<u8>> {
    let Making { owner, new, now, slot, .. } = making;
    if clients::find(tx, *owner, new.id)?.is_some() {
        // The same write again: its answer was lost.
        return Ok(making.body.clone());
    }
    let subject = new.id.to_bytes();
    kept_answers::once(tx, app, *owner, slot.as_ref(), subject, *now, |tx| make(tx, making))
}

fn make(tx: &mut Tx<'_>, making: &Making) -> Outcome<Vec<u8>> {
    let Making { caller, owner, new, accounts, now, entry, body, .. } = making;
    if clients::count(tx, *owner)? >= CLIENTS_MAX {
        return Err(Refusal::ClientLimit { limit: CLIENTS_MAX }.into());
    }
    for (bank, _) in accounts {
        check_free(tx, (*owner, caller), *bank, new.id, *now)?;
    }
    let made = new.made(*now);
    check_distinct(tx, *owner, &made)?;
    clients::insert(tx, *owner, new, *now)?;
    audit::insert_change(tx, *owner, entry, &changes::made(&made), *now)?;
    for (bank, entry) in accounts {
        accounts::move_to(tx, *owner, *bank, Some(new.id), *now)?;
        let change = changes::changed(&ClientOfAccount(None), &ClientOfAccount(Some(new.id)));
        audit::insert_change(tx, *owner, entry, &change, *now)?;
    }
    Ok(body.clone())
}

/// Checks that a new client can get an account: it is the owner's, no client has it, and nothing of one is open on it.
fn check_free(
    tx: &mut Tx<'_>,
    (owner, caller): (OwnerId, &Caller),
    bank: BankId,
    client: ClientId,
    now: Timestamp,
) -> Outcome<()> {
    let account = accounts::find(tx, owner, bank)?;
    let is_free = |account: &Account| {
        !account.is_trashed && account.client.is_none() && caller.reaches(bank, None)
    };
    if !account.as_ref().is_some_and(is_free) {
        return Err(Refusal::AccountNotInClient.into());
    }
    if account_use::is_in_use_by_another(tx, owner, bank, Some(client), now)? {
        return Err(Refusal::AccountInUse.into());
    }
    Ok(())
}
