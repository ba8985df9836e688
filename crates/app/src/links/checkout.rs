//! What a payer sees of a link, and the one thing that a payer does: typing the reference.
//!
//! Nobody signs in here. The link's id is the only thing that leads to it, through a locator; the
//! owner's own row decides. What a payer is answered never depends on rows of another link.

use std::sync::Arc;

use bank::PayerFact;
use domain::access::{Operation, PayLink, ViewLink};
use domain::ids::{LinkId, OwnerId, VerificationId};
use domain::links::{Currency, Status};
use domain::matching::{Lacking, Query};
use domain::money::Bolivars;
use domain::payer::{Document, Phone};
use domain::profile::PublicProfile;
use domain::rates::{Owed, RateLock, owed};
use domain::reference::TypedReference;
use domain::refusal::{Detail, LinkRefusal, Problem, Refusal};
use domain::review::ReviewWindow;
use domain::time::Timestamp;
use store::accounts::Account;
pub use store::bank_access::Facts;
use store::fault::Fault;
use store::links::Link;
use store::tx::Tx;
use store::{accounts, bank_access, clients, links, owners, public_profiles, subscriptions};

use super::owed_cycle::is_renewable;
use super::{NOT_FOUND, locks_of, usable};
use crate::locator::Locator;
use crate::profile::merchant_name;
use crate::rates::serving;
use crate::receipts::{self, Receipt};
use crate::review::open_window;
use crate::verification::STARTS_MAX;
use crate::verification::link_check::{Check, CheckOutcome, attempt, outcome};
use crate::{Act, App, Error};

/// A link as its payer sees it.
#[derive(Clone, Debug)]
pub struct Checkout {
    /// The link.
    pub link: Link,
    /// What it is now.
    pub status: Status,
    /// The name of the one who asks for the money; empty where there is none.
    pub merchant: String,
    /// What its owner says to payers, such as how to reach it.
    pub profile: PublicProfile,
    /// Where the money is to go.
    pub payee: Payee,
    /// Why it cannot be paid now, though it has no end yet.
    pub closed: Option<Closed>,
    /// Flag of a link that ended without a payment and whose cycle of a subscription its payer may pay by another one.
    pub is_renewable: bool,
    /// The receipt of what paid it.
    pub receipt: Option<Receipt>,
    /// The rates that were held for its payers, the latest first.
    pub locks: Vec<RateLock>,
    /// How the check stands that the payer asks about.
    pub outcome: Option<CheckOutcome>,
    /// The instant of all this.
    pub now: Timestamp,
    owner: OwnerId,
    account: Option<Account>,
}

impl Checkout {
    pub(super) fn owner(&self) -> OwnerId {
        self.owner
    }
}

/// Payee of a link: where the money is to go, and what is asked of the person who sends it.
#[derive(Clone, Debug, Default)]
pub struct Payee {
    /// The bank.
    pub bank: String,
    /// What a payer has to type to send money there; nothing on the sandbox.
    pub facts: Option<Facts>,
    /// Whether the payer's phone is asked for. Where the document is too, one of them will do:
    /// which of them the bank reports depends on how it was paid.
    pub asks_phone: bool,
    /// Whether the payer's document is asked for.
    pub asks_document: bool,
    /// Whether payments from the same bank are listed under references that no receipt has, so that the merchant has
    /// to confirm them.
    pub has_same_bank_references: bool,
}

/// Why a link without an end cannot be paid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closed {
    /// The owner, its plan, its client or the account does not take part now, or its client takes no payments.
    Unavailable,
    /// It was there when the store was put back from a copy, or the cycle was open that it asks for, and the copy may not know
    /// that it was paid: the merchant looks at it, until the review of its account is closed.
    InReview,
    /// It is asked for in a currency of which no rate is held, and none serves. What was paid by an earlier one can be
    /// confirmed.
    NoRate,
}

/// Facts that a payer types.
#[derive(Clone, Debug)]
pub struct Typed {
    /// The reference, or its last digits.
    pub reference: TypedReference,
    /// The phone that the payment came from.
    pub phone: Option<Phone>,
    /// The payer's document.
    pub document: Option<Document>,
    /// What the page asked for when the payer typed this.
    pub seen: Option<Bolivars>,
}

/// Shows a link, and how one check of it stands.
///
/// # Errors
/// Not found; or a failure of the store.
pub async fn view(
    app: &Arc<App>,
    act: &Act<ViewLink>,
    id: LinkId,
    check: Option<VerificationId>,
) -> Result<Checkout, Error> {
    look(app, act, id, check).await
}

/// Begins a check of what the payer typed; answers the id by which the page shows how it stands.
///
/// # Errors
/// Not found; the link takes no checks, or too many were tried; what was typed does not do; the
/// amount is not the one that the payer saw; credits refuse; or a failure of the store.
pub async fn pay(
    app: &Arc<App>,
    act: &Act<PayLink>,
    id: LinkId,
    typed: Typed,
) -> Result<VerificationId, Error> {
    for _ in 0..STARTS_MAX {
        if let Some(check) = start(app, act, id, typed.clone()).await? {
            return Ok(check);
        }
    }
    Err(Refusal::ServiceUnavailable.into())
}

/// Begins a check, unless the link's owner or account changes before it has reserved.
async fn start(
    app: &Arc<App>,
    act: &Act<PayLink>,
    id: LinkId,
    typed: Typed,
) -> Result<Option<VerificationId>, Error> {
    let checkout = look(app, act, id, None).await?;
    let Checkout { link, owner, account, payee, locks, closed, .. } = checkout;
    let takes_references =
        link.standing.takes_attempts(act.now) && closed != Some(Closed::InReview);
    let account = account.filter(|_| takes_references);
    let account = account.ok_or(Refusal::Link(LinkRefusal::Closed))?;
    let is_known = link.price.currency == Currency::Vef || !locks.is_empty();
    let refusal = if is_known {
        Refusal::Link(LinkRefusal::Changed)
    } else {
        Refusal::Link(LinkRefusal::Closed)
    };
    let Owed { amount, paid_within } = owed(link.price, &locks, typed.seen).ok_or(refusal)?;
    let query = Query {
        amount: Some(amount),
        paid_within,
        phone: typed.phone,
        document: typed.document,
        ..Query::new(typed.reference)
    };
    check_facts(app, &account, &payee, &query)?;
    let check = Check { owner, link, account, query };
    attempt(app, check, &act.request).await
}

/// Shows a link to a payer who has just sent a form, and how the check stands that it began, if any.
///
/// # Errors
/// Not found; or a failure of the store.
pub async fn look_again<O: Operation>(
    app: &Arc<App>,
    act: &Act<O>,
    id: LinkId,
    check: Option<VerificationId>,
) -> Result<Checkout, Error> {
    look(app, act, id, check).await
}

/// Checks that the payer said what the bank's movements are distinguished by.
fn check_facts(app: &App, account: &Account, payee: &Payee, query: &Query) -> Result<(), Refusal> {
    let bank = app.open_bank(&account.provider).ok_or(Refusal::Link(LinkRefusal::Closed))?;
    let is_short = query.lacks(bank.capabilities().rule) == Some(Lacking::Payer);
    let is_asked = payee.asks_phone || payee.asks_document || is_short;
    if !is_asked || query.phone.is_some() || query.document.is_some() {
        return Ok(());
    }
    let is_required = |field| Detail::new(field, Problem::REQUIRED);
    let mut missing = Vec::new();
    if payee.asks_phone || !payee.asks_document {
        missing.push(is_required("phone"));
    }
    if payee.asks_document {
        missing.push(is_required("document"));
    }
    Err(Refusal::Validation(missing))
}

pub(super) async fn look<O: Operation>(
    app: &Arc<App>,
    act: &Act<O>,
    id: LinkId,
    check: Option<VerificationId>,
) -> Result<Checkout, Error> {
    let (inner, now) = (Arc::clone(app), act.now);
    let found = app.store.look_up(act.meter(), move |tx| read(tx, &inner, id, check, now)).await?;
    found.ok_or_else(|| NOT_FOUND.into())
}

fn read(
    tx: &mut Tx<'_>,
    app: &App,
    id: LinkId,
    check: Option<VerificationId>,
    now: Timestamp,
) -> Result<Option<Checkout>, Fault> {
    let located = Locator::of_link(id).find(tx)?;
    let Some(located) = located else { return Ok(None) };
    let owner = located.owner;
    let Some(link) = links::find(tx, owner, id)? else { return Ok(None) };
    let Some(row) = owners::find(tx, owner)? else { return Ok(None) };
    let profile = public_profiles::find(tx, owner)?;
    let account = accounts::find(tx, owner, link.bank)?;
    let takes_part = row.is_active && row.plan_is_active && client_takes_part(tx, owner, &link)?;
    let account = account.filter(|account| takes_part && !account.is_trashed);
    let open = account.and_then(|account| usable(app, &account).ok().map(|bank| (account, bank)));
    let outcome = match (check, &open) {
        (Some(check), Some((_, bank))) => outcome(tx, owner, id, bank.capabilities(), check)?,
        _ => None,
    };
    let facts = match &open {
        Some((account, _)) => bank_access::facts_of(tx, owner, account.id)?,
        None => None,
    };
    let payee = open.as_ref().map(|(_, bank)| {
        let capabilities = bank.capabilities();
        let asks = |fact| capabilities.payer_facts.contains(&fact);
        Payee {
            bank: capabilities.platform.to_owned(),
            facts,
            asks_phone: asks(PayerFact::Phone),
            asks_document: asks(PayerFact::Document),
            has_same_bank_references: capabilities.same_bank().is_some(),
        }
    });
    let locks = locks_of(tx, owner, &link)?;
    let account = open.as_ref().map(|(account, _)| account);
    let closed = match payee {
        None => Some(Closed::Unavailable),
        Some(_) if is_in_review(tx, app, (owner, &link), account)? => Some(Closed::InReview),
        Some(_) if lacks_rate(tx, owner, &link, &locks, now)? => Some(Closed::NoRate),
        Some(_) => None,
    };
    let status = link.standing.status(now);
    let receipt = match link.payment {
        Some(payment) => receipts::of_payment(tx, owner, payment, &app.banks)?,
        None => None,
    };
    let is_over = matches!(status, Status::Failed | Status::Expired);
    Ok(Some(Checkout {
        status,
        is_renewable: is_over && is_renewable(tx, owner, &link, now)?,
        receipt,
        merchant: merchant_name(&row, &profile),
        profile,
        payee: payee.unwrap_or_default(),
        closed,
        locks,
        outcome,
        now,
        link,
        owner,
        account: open.map(|(account, _)| account),
    }))
}

/// Answers whether the client that made the link, if one did, may use the service and take payments now.
fn client_takes_part(tx: &mut Tx<'_>, owner: OwnerId, link: &Link) -> Result<bool, Fault> {
    let Some(client) = link.client else { return Ok(true) };
    let client = clients::find(tx, owner, client)?;
    Ok(client.is_some_and(|client| client.is_active && client.payments_enabled))
}

/// Answers whether the link's money may have been paid after the copy from which the store was put back, and the review of its
/// account is open.
fn is_in_review(
    tx: &mut Tx<'_>,
    app: &App,
    (owner, link): (OwnerId, &Link),
    account: Option<&Account>,
) -> Result<bool, Fault> {
    let (Some(window), Some(account)) = (app.review, account) else { return Ok(false) };
    if !was_asked_for(tx, owner, link, window)? {
        return Ok(false);
    }
    let of = (owner, account.identity);
    Ok(open_window(tx, (app.review, link.livemode), of)?.is_some())
}

/// Answers whether somebody may have been asked for the link's money before the store was put back: by the link itself, or by
/// another one of the same cycle, which the copy may lack.
fn was_asked_for(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    link: &Link,
    window: ReviewWindow,
) -> Result<bool, Fault> {
    if window.is_before(link.created_at) {
        return Ok(true);
    }
    let Some(cycle) = link.cycle else { return Ok(false) };
    let Some(of) = subscriptions::find(tx, owner, cycle.subscription)? else { return Ok(false) };
    let opened_at = of.clock.real_of(of.terms.opens_at(cycle.number));
    Ok(window.is_before(of.created_at) && window.is_before(opened_at))
}

/// Tells whether nobody can know how many bolívares the link asks for.
fn lacks_rate(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    link: &Link,
    locks: &[RateLock],
    now: Timestamp,
) -> Result<bool, Fault> {
    let currency = link.price.currency;
    let is_known = currency == Currency::Vef || locks.iter().any(|lock| lock.holds(now));
    Ok(!is_known && serving(tx, owner, currency, now)?.is_none())
}
