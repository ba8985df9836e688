//! The operation: `POST /v1/paymentlink/{payment_link_id}/accept`.
//!
//! A person decides that a movement which the bank has shown is the payment of a link: money that
//! came late, money whose reference at the bank is not the one on the receipt, or one of several
//! movements that fit.

use std::sync::Arc;

use domain::access::{AcceptLink, Caller};
use domain::ids::{LinkId, MovementId, OwnerId, PaymentId};
use domain::language::Language;
use domain::links::{Currency, Status};
use domain::matching::Movement;
use domain::rates::{RateLock, owed};
use domain::refusal::{LinkRefusal, MovementRefusal, Refusal, SubscriptionRefusal};
use domain::time::Timestamp;
use store::fault::Fault;
use store::idempotency::Slot;
use store::tx::Tx;
use store::{accounts, audit, links, movements, payments, subscription_cycles};

use super::create::Render;
use super::{LinkRecord, lock_of, locks_of, reached, usable};
use crate::audit_entry::audited;
use crate::changes::LinkPaid;
use crate::outcome::Outcome;
use crate::verification::accept::Acceptance;
use crate::verification::same_bank::{self, TypedFor};
use crate::{Act, App, Error, changes, kept_answers};

/// Movement that a person chose to pay a link with, and what the person has confirmed about it.
#[derive(Clone, Copy, Debug)]
pub struct Chosen {
    /// The movement.
    pub movement: MovementId,
    /// Whether it pays the link though what the payer typed names another payment.
    pub has_other_receipt: bool,
    /// The payment that the person has looked at and says to be another one, though its row may be the same money.
    pub other_than: Option<PaymentId>,
}

/// When a link was paid with the movement.
enum Accepted {
    /// In this transaction; it stood so before.
    Now(Status),
    /// Before it.
    Before,
}

/// Everything that one transaction needs to pay a link.
struct Wish {
    owner: OwnerId,
    caller: Caller,
    acceptance: Acceptance,
    link: LinkId,
    chosen: Chosen,
    entry: audit::Entry,
    render: Render,
    language: Language,
    now: Timestamp,
}

/// Pays a link with a movement of its account. The same again answers the paid link, at no cost; with an
/// `Idempotency-Key` that was used before, what was answered then.
///
/// # Errors
/// Link or movement not found; the link failed, is stopped, was paid, or ended more than a day ago; no
/// rate was ever held for it; the movement is of another amount, claimed, or maybe the money of another
/// payment; what the payer typed names another payment; credits refuse; or a failure of the store.
pub async fn accept(
    app: &Arc<App>,
    act: &Act<AcceptLink>,
    id: LinkId,
    chosen: Chosen,
    slot: Option<Slot>,
    render: Render,
) -> Result<Vec<u8>, Error> {
    let (owner, now) = (act.owner(), act.now);
    let wish = Wish {
        owner,
        caller: act.caller().clone(),
        acceptance: Acceptance::new(app, act),
        link: id,
        chosen,
        entry: audited(app, act, id.to_string()),
        render,
        language: act.request.language,
        now,
    };
    let inner = Arc::clone(app);
    act.write(app, move |tx| {
        let (subject, slot) = (id.to_bytes(), slot.as_ref());
        kept_answers::once(tx, &inner, owner, slot, subject, now, |tx| answer(tx, &inner, &wish))
    })
    .await
}

/// Pays the link and writes the answer.
fn answer(tx: &mut Tx<'_>, app: &App, wish: &Wish) -> Outcome<Vec<u8>> {
    let Wish { owner, link: id, now, .. } = *wish;
    let accepted = write(tx, app, &wish.acceptance, &wish.caller, (id, wish.chosen))?;
    match accepted {
        Accepted::Now(was) => {
            let paid = LinkPaid(Status::Paid, Some(wish.chosen.movement));
            let change = changes::changed(&LinkPaid(was, None), &paid);
            audit::insert_change(tx, owner, &wish.entry, &change, now)?;
        }
        Accepted::Before => {}
    }
    let link = links::find(tx, owner, id)?.ok_or(super::NOT_FOUND)?;
    let record = LinkRecord::of(app, owner, link, now);
    Ok((wish.render)(&record, wish.language))
}

/// Pays the link, unless something speaks against it.
fn write(
    tx: &mut Tx<'_>,
    app: &App,
    acceptance: &Acceptance,
    caller: &Caller,
    (id, chosen): (LinkId, Chosen),
) -> Outcome<Accepted> {
    let owner = acceptance.owner;
    let link = reached(tx, owner, caller, id)?;
    if let Some(payment) = link.payment
        && payments::find(tx, owner, payment)?.movement == chosen.movement
    {
        return Ok(Accepted::Before);
    }
    let now = acceptance.now;
    if let Some(cycle) = link.cycle
        && subscription_cycles::find(tx, owner, cycle)?.is_some_and(|cycle| cycle.is_paid())
    {
        return Err(Refusal::Subscription(SubscriptionRefusal::CycleIsPaid).into());
    }
    if !link.standing.takes_accepted(link.updated_at, now) {
        return Err(Refusal::Link(LinkRefusal::TakesNoPayment(link.standing.status(now))).into());
    }
    let locks = locks_of(tx, owner, &link)?;
    let is_of_price = |lock: &RateLock| lock.price == link.price;
    if link.price.currency != Currency::Vef && !locks.iter().any(is_of_price) {
        return Err(Refusal::RateNotAvailable.into());
    }
    let account = accounts::find(tx, owner, link.bank)?;
    let account = account.ok_or_else(|| Fault::broken("a link without its account"))?;
    let bank = usable(app, &account)?;
    let held = movements::find_held(tx, owner, account.identity, chosen.movement)?;
    let movement = held.ok_or(Refusal::NotFound("movement"))?;
    if movement.claimed.is_some() {
        return Err(Refusal::Movement(MovementRefusal::Claimed).into());
    }
    if owed(link.price, &locks, Some(movement.amount)).is_none() {
        let bank_amount = Some(movement.amount);
        return Err(Refusal::AmountNotValid { bank_amount }.into());
    }
    let capabilities = bank.capabilities();
    let of = (account.identity, capabilities.rule);
    acceptance.check_rival(tx, of, &movement, chosen.other_than)?;
    let typed = match capabilities.same_bank() {
        Some(code) => {
            same_bank::find_typed_for(tx, owner, (id, account.identity), code, &movement)?
        }
        None => TypedFor::Nothing,
    };
    let typed = match typed {
        TypedFor::Movement(typed) => Some(typed),
        TypedFor::Other if !chosen.has_other_receipt => {
            return Err(Refusal::Link(LinkRefusal::OtherReceipt).into());
        }
        TypedFor::Other | TypedFor::Nothing => None,
    };
    let movement = Movement { typed, ..movement };
    // Whether an amount that was owed by an earlier rate was paid in time is for a person to say.
    let lock = lock_of(&link, &locks, &movement).map(|lock| lock.id);
    acceptance.pay_link(tx, app, (&link, lock), account, capabilities.rule, &movement)?;
    Ok(Accepted::Now(link.standing.status(now)))
}
