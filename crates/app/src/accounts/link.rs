//! The operation: `POST /usersbank`.

use std::sync::Arc;

use domain::access::{Caller, LinkBankAccount};
use domain::ids::{BankId, IdentityId, OwnerId};
use domain::payer::{AccountNumber, Phone};
use domain::refusal::{Detail, Refusal};
use domain::secret::SecretText;
use domain::text::Text;
use domain::time::Timestamp;
use domain::verification::Failure;
use store::accounts::{ACCOUNTS_MAX, Link, NewAccount};
use store::bank_access::{Access, Facts};
use store::fault::{Fault, WriteError};
use store::idempotency::Slot;
use store::tx::Tx;
use store::{Lane, accounts, audit, bank_access, bank_push, idempotency};

use super::push::{claim_locator, remove_locator};
use super::{
    AccountFact, Capabilities, Linked, PushAccess, check_access, open_bank, seal, untaken,
};
use crate::kept_answers::{self, Use};
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
    /// The receiving account's number.
    pub number: Option<AccountNumber>,
    /// The phone that receives mobile payments.
    pub phone: Option<Phone>,
    /// The key, password or token that the bank gave its owner.
    pub secret: Option<SecretText>,
}

/// Writes a linked account as the body of an answer.
pub type Render = Box<dyn Fn(&Linked, Option<&PushAccess>) -> Vec<u8> + Send>;

/// Everything that one transaction needs to link an account.
struct Linking {
    owner: OwnerId,
    slot: Option<Slot>,
    render: Render,
    capabilities: Capabilities,
    caller: Caller,
    account: NewAccount,
    /// What it is reached with, where its bank wants that.
    reached: Option<(AccountNumber, Option<Phone>, SecretText)>,
    /// What its bank tells of payments with, where it does.
    push: Option<PushAccess>,
    entry: audit::Entry,
    now: Timestamp,
}

/// What came of it.
enum Written {
    /// The account is linked under this id, and this is the answer.
    Done(BankId, Vec<u8>),
    /// The same call was answered before, with this, sealed.
    Answered(Vec<u8>),
    /// Nothing was done.
    Refused(Refusal),
}

/// Links an account, and answers what `render` makes of it. Made by a client's caller, it belongs to
/// that client. What a bank certainly refuses is not kept; a bank that cannot be asked now is
/// believed. With an `Idempotency-Key` that was used before, nothing is linked: the same call gets
/// the same bytes again, unless a secret is in them.
///
/// # Errors
/// A refusal, or a failure of the store.
pub async fn link(
    app: &Arc<App>,
    act: &Act<LinkBankAccount>,
    request: LinkRequest,
    slot: Option<Slot>,
    render: Render,
) -> Result<Vec<u8>, Error> {
    let (owner, now) = (act.owner(), act.now);
    if request.user_id.as_ref().is_some_and(|user| *user != owner.to_string()) {
        return Err(Refusal::Forbidden.into());
    }
    let bank = open_bank(app, &request.provider).ok_or(Refusal::InvalidBankProvider)?;
    let capabilities = bank.capabilities();
    let description = request.description.map(Text::into_string).unwrap_or_default();
    let reached = reached(capabilities, request.number, request.phone, request.secret)?;
    let id = BankId::new(&*app.ids, now);
    if let Some((number, phone, secret)) = &reached {
        let access = bank::Access { account: number, secret, phone: phone.as_ref() };
        let tried = check_access(app, &**bank, access, now).await;
        if let Err(failure @ Failure::RejectedCredentials) = tried {
            return Err(untaken(&failure).into());
        }
    }
    let push = PushAccess::new(app, &**bank, id);
    let linking = Linking {
        owner,
        slot: slot.clone(),
        render,
        capabilities: capabilities.clone(),
        caller: act.caller().clone(),
        account: NewAccount {
            id,
            identity: IdentityId::new(&*app.ids, now),
            provider: capabilities.provider.to_owned(),
            // Each link of the sandbox is an account of its own.
            account: match &reached {
                Some((number, ..)) => number.as_str().to_owned(),
                None => id.to_string(),
            },
            description: if description.is_empty() {
                capabilities.platform.to_owned()
            } else {
                description
            },
            client: act.caller().client(),
        },
        reached,
        push,
        entry: audited(app, act, id.to_string()),
        now,
    };
    match (write_found(app, act, linking).await?, slot) {
        (Written::Done(_, answer), _) => Ok(answer),
        (Written::Answered(sealed), Some(slot)) => kept_answers::open(app, owner, &slot, &sealed),
        (Written::Answered(_), None) => Err(Fault::broken("an answer of no call").into()),
        (Written::Refused(refusal), _) => Err(refusal.into()),
    }
}

/// Writes the link so that its bank's notices find it, where it sends any: the way to the account is
/// laid first, and taken away where it is not linked under that id.
async fn write_found(
    app: &Arc<App>,
    act: &Act<LinkBankAccount>,
    linking: Linking,
) -> Result<Written, Error> {
    let (owner, id, has_notices) = (linking.owner, linking.account.id, linking.push.is_some());
    if has_notices {
        claim_locator(app, act.meter(), owner, id).await?;
    }
    let inner = Arc::clone(app);
    let write =
        app.store.write(act.meter(), Lane::Admission, owner, move |tx| write(tx, &inner, &linking));
    let written = write.await;
    // One that came back from the trash has kept its own way.
    let is_there = match &written {
        Ok(Written::Done(linked, _)) => *linked == id,
        // Perhaps it was applied.
        Err(WriteError::Unknown) => true,
        Ok(_) | Err(_) => false,
    };
    if has_notices && !is_there {
        remove_locator(app, act.meter(), id).await;
    }
    Ok(written?)
}

/// What the account is reached with, as far as its bank wants it.
fn reached(
    bank: &Capabilities,
    number: Option<AccountNumber>,
    phone: Option<Phone>,
    secret: Option<SecretText>,
) -> Result<Option<(AccountNumber, Option<Phone>, SecretText)>, Refusal> {
    if bank.account.is_empty() {
        return Ok(None);
    }
    let mut problems = Vec::new();
    if phone.is_none() && bank.account.contains(&AccountFact::Phone) {
        problems.push(Detail::new("user_bank_phone", "is required by this bank"));
    }
    match (&number, bank.bank_code) {
        (None, _) => problems.push(Detail::new(
            "metadata",
            "must have the account_number, 20 digits, which this bank requires",
        )),
        (Some(number), Some(code)) if !number.as_str().starts_with(code) => {
            problems.push(Detail::new(
                "metadata",
                format!("account_number must begin with {code}, this bank's code"),
            ));
        }
        _ => {}
    }
    if secret.is_none() {
        problems.push(Detail::new("password", "is required: the key that the bank gave you"));
    }
    match (number, secret) {
        (Some(number), Some(secret)) if problems.is_empty() => Ok(Some((number, phone, secret))),
        _ => Err(Refusal::Validation(problems)),
    }
}

fn write(tx: &mut Tx<'_>, app: &App, linking: &Linking) -> Result<Written, Fault> {
    let Linking { owner, slot, account, now, .. } = linking;
    let subject = account.id.to_bytes();
    if let Some(slot) = slot {
        match kept_answers::begin(tx, *owner, slot, subject, *now)? {
            Use::Begun => {}
            Use::Answered(sealed) => return Ok(Written::Answered(sealed)),
            Use::Withheld(made) => {
                let id = BankId::from_bytes(made).to_string();
                return Ok(Written::Refused(Refusal::Conflict { id }));
            }
            Use::Refused(refusal) => return Ok(Written::Refused(refusal)),
        }
    }
    let linked = match write_link(tx, app, linking)? {
        Ok(linked) => linked,
        Err(refusal) => {
            if let Some(slot) = slot {
                idempotency::forget(tx, *owner, slot)?;
            }
            return Ok(Written::Refused(refusal));
        }
    };
    let id = linked.account.id;
    let push = linking.push.as_ref().map(|push| push.at(id));
    if let Some(push) = &push {
        bank_push::put(tx, *owner, id, push.secret.hash(), *now)?;
    }
    let answer = (linking.render)(&linked, push.as_ref());
    match slot {
        // An answer that holds a secret is not kept, only what it was about.
        Some(slot) if push.is_some() => {
            idempotency::forget(tx, *owner, slot)?;
            kept_answers::begin(tx, *owner, slot, id.to_bytes(), *now)?;
        }
        Some(slot) => {
            let sealed = kept_answers::seal(app, *owner, slot, &answer);
            idempotency::keep(tx, *owner, slot, &sealed, subject, None)?;
        }
        None => {}
    }
    Ok(Written::Done(id, answer))
}

fn write_link(
    tx: &mut Tx<'_>,
    app: &App,
    linking: &Linking,
) -> Result<Result<Linked, Refusal>, Fault> {
    let Linking { owner, caller, account, reached, entry, now, .. } = linking;
    if accounts::count(tx, *owner)? >= ACCOUNTS_MAX {
        return Ok(Err(Refusal::BankAccountLimit));
    }
    // An account that a client linked comes back to that client alone, or to the owner.
    let may_revive = |client| caller.client().is_none() || caller.client() == client;
    let id = match accounts::link(tx, *owner, account, may_revive, *now)? {
        Link::Made => account.id,
        Link::Revived(former) => former,
        Link::Taken => return Ok(Err(Refusal::UserBankAlreadyExists)),
    };
    let facts = match reached {
        None => None,
        Some((number, phone, secret)) => {
            let facts = Facts { bank: id, number: number.clone(), phone: phone.clone() };
            let sealed = seal(app, *owner, id, secret);
            bank_access::put(tx, *owner, &Access { facts: facts.clone(), sealed }, *now)?;
            Some(facts)
        }
    };
    audit::insert(tx, *owner, entry, *now)?;
    let account = accounts::find(tx, *owner, id)?;
    let account = account.ok_or_else(|| Fault::broken("a linked account is missing"))?;
    Ok(Ok(Linked { account, bank: Some(linking.capabilities.clone()), facts }))
}
