//! The operation: `POST /usersbank`.

use std::sync::Arc;

use domain::access::{Caller, LinkBankAccount, Operation as _};
use domain::ids::{BankId, IdentityId, OwnerId};
use domain::refusal::Refusal;
use domain::text::Text;
use domain::time::Timestamp;
use domain::verification::Failure;
use store::accounts::{ACCOUNTS_MAX, Link, NewAccount};
use store::bank_access::{Access, Facts};
use store::fault::{Fault, WriteError};
use store::idempotency::Slot;
use store::tx::Tx;
use store::{Lane, accounts, audit, bank_access, bank_push, plans};

use super::credentials::{seal, seal_metadata};
use super::link_request::{LinkRequest, NewAccess};
use super::{Linked, PushAccess, check_access, platforms, untaken};
use crate::audit_entry::audited;
use crate::locator::Locator;
use crate::outcome::{Outcome, as_answer};
use crate::present::unchanged;
use crate::{Act, App, Error, changes, kept_answers};

/// Everything that one transaction needs to link an account.
struct Linking {
    owner: OwnerId,
    caller: Caller,
    account: NewAccount,
    /// What it is reached with, where its bank wants that.
    access: Option<NewAccess>,
    /// What its bank sends notices of payments with, where it does.
    push: Option<PushAccess>,
    slot: Option<Slot>,
    entry: audit::Entry,
    now: Timestamp,
}

/// Links an account, and answers what `render` makes of it. Made by a client's caller, it belongs to
/// that client. What a bank certainly refuses is not kept; a bank that cannot be asked now is
/// believed. With an `Idempotency-Key` that was used before, neither the bank is asked nor anything
/// linked: the same call gets the same bytes again.
///
/// # Errors
/// A refusal, or a failure of the store.
pub async fn link(
    app: &Arc<App>,
    act: &Act<LinkBankAccount>,
    request: LinkRequest,
    slot: Option<Slot>,
    render: impl Fn(&Linked, Option<&PushAccess>) -> Vec<u8> + Send + 'static,
) -> Result<Vec<u8>, Error> {
    let (owner, now) = (act.owner(), act.now);
    if request.user_id.as_ref().is_some_and(|user| *user != owner.to_string()) {
        return Err(Refusal::Forbidden.into());
    }
    let slot = slot.map(|slot| kept_answers::of_secret_call(app, &slot));
    if let Some(earlier) = earlier(app, act, slot.clone()).await? {
        return Ok(earlier);
    }
    let provider = app.banks.provider_named(&request.provider);
    let bank = app.open_bank(provider).ok_or_else(|| not_offered(app))?;
    let capabilities = bank.capabilities();
    let description = request.description.clone().map(Text::into_string).unwrap_or_default();
    let id = BankId::new(&*app.ids, now);
    let access = NewAccess::of(capabilities, id, request)?;
    if let Some(access) = &access {
        let tried = check_access(app, &**bank, access.opened.access(), now).await;
        if let Err(failure @ Failure::RejectedCredentials) = tried {
            return Err(untaken(&failure).into());
        }
    }
    let push = PushAccess::new(app, &**bank, id);
    let linking = Linking {
        owner,
        caller: act.caller().clone(),
        account: NewAccount {
            id,
            identity: IdentityId::new(&*app.ids, now),
            provider: capabilities.provider.to_owned(),
            // Each link of the sandbox is an account of its own.
            account: match &access {
                Some(access) => access.opened.facts.number.as_str().to_owned(),
                None => id.to_string(),
            },
            description: if description.is_empty() {
                capabilities.platform.to_owned()
            } else {
                description
            },
            client: act.caller().client(),
        },
        access,
        push,
        slot,
        entry: audited(app, act, id.to_string()),
        now,
    };
    write_found(app, act, linking, render).await
}

/// Writes the link so that its bank's notices find it, where it sends any: the way to the account is
/// laid first, and taken away where it is not linked under that id.
async fn write_found(
    app: &Arc<App>,
    act: &Act<LinkBankAccount>,
    linking: Linking,
    render: impl Fn(&Linked, Option<&PushAccess>) -> Vec<u8> + Send + 'static,
) -> Result<Vec<u8>, Error> {
    let (owner, id, has_notices) = (linking.owner, linking.account.id, linking.push.is_some());
    if has_notices {
        Locator::of_push(id).claim(&app.store, act.meter(), (owner, id.to_bytes())).await?;
    }
    let inner = Arc::clone(app);
    let job = move |tx: &mut Tx<'_>| as_answer(write(tx, &inner, &linking, &render));
    let written = app.store.write(act.meter(), Lane::Admission, owner, job).await;
    // One that came back from the trash has kept its own way.
    let is_there = match &written {
        Ok(Ok(written)) => written.linked == Some(id),
        // Perhaps it was applied.
        Err(WriteError::Unknown) => true,
        Ok(Err(_)) | Err(_) => false,
    };
    if has_notices && !is_there {
        Locator::of_push(id).remove(&app.store, act.meter()).await;
    }
    Ok(written??.answer)
}

/// Returns the answer of an earlier use of the slot.
async fn earlier(
    app: &Arc<App>,
    act: &Act<LinkBankAccount>,
    slot: Option<Slot>,
) -> Result<Option<Vec<u8>>, Error> {
    let Some(slot) = slot else { return Ok(None) };
    let (inner, owner, now) = (Arc::clone(app), act.owner(), act.now);
    let find = move |tx: &mut Tx<'_>| as_answer(kept_answers::find(tx, &inner, owner, &slot, now));
    Ok(app.store.look_up(act.meter(), find).await??)
}

/// Tells whether the provider of that name is asked before an account is linked: the caller could try secrets by it.
#[must_use]
pub fn wants_credentials(app: &App, provider: &str) -> bool {
    let bank = app.open_bank(app.banks.provider_named(provider));
    bank.is_some_and(|bank| !bank.capabilities().credentials.is_empty())
}

/// That there is no such provider, and which there are.
fn not_offered(app: &App) -> Refusal {
    let offered = platforms(app).into_iter().map(|platform| platform.bank.wire_name);
    Refusal::BankProviderNotOffered { offered: offered.map(ToOwned::to_owned).collect() }
}

/// The outcome of the transaction.
struct Written {
    /// The id that the account is linked under, if this call linked it.
    linked: Option<BankId>,
    answer: Vec<u8>,
}

/// Links the account and keeps the answer for a repeat.
fn write(
    tx: &mut Tx<'_>,
    app: &App,
    linking: &Linking,
    render: &impl Fn(&Linked, Option<&PushAccess>) -> Vec<u8>,
) -> Outcome<Written> {
    let Linking { owner, caller, slot, now, .. } = linking;
    // The bank took its time.
    unchanged(tx, caller, LinkBankAccount::ENTRY, *now)?;
    if let Some(slot) = slot {
        let subject = linking.account.id.to_bytes();
        if let Some(answer) = kept_answers::begin(tx, app, *owner, slot, subject, *now)? {
            return Ok(Written { linked: None, answer });
        }
    }
    let made = make(tx, app, linking);
    let linked = kept_answers::release_if_refused(tx, *owner, slot.as_ref(), made)?;
    let id = linked.account.id;
    let push = linking.push.as_ref().map(|push| push.at(id));
    if let Some(push) = &push {
        bank_push::put(tx, *owner, id, push.secret.hash(), *now)?;
    }
    let answer = render(&linked, push.as_ref());
    match slot {
        Some(slot) if push.is_some() => {
            kept_answers::withhold(tx, *owner, slot, id.to_bytes(), *now)?;
        }
        Some(slot) => kept_answers::keep(tx, app, *owner, slot, &answer, id.to_bytes())?,
        None => {}
    }
    Ok(Written { linked: Some(id), answer })
}

fn make(tx: &mut Tx<'_>, app: &App, linking: &Linking) -> Outcome<Linked> {
    let Linking { owner, caller, account, access, entry, now, .. } = linking;
    let plan = plans::of_owner(tx, *owner)?.and_then(|(plan, _)| plan.bank_account_limit);
    if accounts::count(tx, *owner)? >= plan.unwrap_or(ACCOUNTS_MAX).min(ACCOUNTS_MAX) {
        return Err(Refusal::BankAccountLimit.into());
    }
    // An account that a client linked comes back to that client alone, or to the owner.
    let may_revive = |client| caller.client().is_none() || caller.client() == client;
    let id = match accounts::link(tx, *owner, account, may_revive, *now)? {
        Link::Made => account.id,
        Link::Revived(former) => former,
        Link::Taken => return Err(Refusal::UserBankAlreadyExists.into()),
        Link::InUse => return Err(Refusal::AccountInUse.into()),
    };
    let facts = match access {
        None => None,
        Some(NewAccess { opened, metadata }) => {
            let facts = Facts { bank: id, ..opened.facts.clone() };
            let sealed = seal(app, *owner, id, &opened.credentials);
            let metadata = seal_metadata(app, *owner, id, metadata);
            let access = Access { facts: facts.clone(), sealed };
            bank_access::put(tx, *owner, &access, metadata.as_deref(), *now)?;
            Some(facts)
        }
    };
    // A revived account keeps its former id.
    let entry = audit::Entry { subject: id.to_string(), ..entry.clone() };
    let account = accounts::find(tx, *owner, id)?;
    let account = account.ok_or_else(|| Fault::broken("a linked account is missing"))?;
    audit::insert_change(tx, *owner, &entry, &changes::made(&account), *now)?;
    Ok(Linked::new(app, account, facts))
}
