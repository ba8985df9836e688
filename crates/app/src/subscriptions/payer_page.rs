//! What a payer sees of its subscription, and how it comes to pay: by an address that nobody can guess, and without a
//! caller. An address that has ended and one that never was are answered alike.

use std::sync::Arc;

use domain::access::{RenewLink, ViewPayerPage};
use domain::ids::{LinkId, OwnerId, ReceiptId};
use domain::links::Price;
use domain::profile::PublicProfile;
use domain::receipts::ReceiptAddress;
use domain::refusal::Refusal;
use domain::subscriptions::{PayerAddress, Period, Status};
use domain::time::{CaracasDate, Timestamp};
use store::fault::Fault;
use store::links::{self, CycleOf, Link};
use store::subscription_cycles::{self, Cycle};
use store::tx::Tx;
use store::{owners, public_profiles, receipts, subscriptions as rows};

use super::{CycleState, NOT_FOUND, Subscription, rules};
use crate::links::{is_payable, renew};
use crate::outcome::{Outcome, as_answer};
use crate::profile::merchant_name;
use crate::{Act, App, Error};

/// How many cycles that are owed a payer is shown, the earliest first.
const OWED_SHOWN: i64 = 12;

/// How many cycles that were paid a payer is shown, the latest first.
const PAID_SHOWN: i64 = 24;

/// A subscription as its payer sees it.
#[derive(Clone, Debug)]
pub struct PayerPage {
    /// The name of the one who asks for the money; empty where there is none.
    pub merchant: String,
    /// What its owner says to payers, such as how to reach it.
    pub profile: PublicProfile,
    /// What is kept of it.
    pub subscription: Subscription,
    /// What it is now.
    pub standing: Status,
    /// The day on which somebody has to pay next.
    pub next_due: Option<CaracasDate>,
    /// The cycles that are owed, the earliest first.
    pub owed: Vec<OwedByPayer>,
    /// The cycles that were paid, the latest first.
    pub paid: Vec<PaidByPayer>,
    /// What canceling it leaves; nothing where it has ended, or its payer has canceled it.
    pub remains: Option<Remains>,
}

/// A cycle that its payer owes.
#[derive(Clone, Debug)]
pub struct OwedByPayer {
    /// Its number, counted from zero.
    pub number: u32,
    /// The days that it is for.
    pub period: Period,
    /// The day on which it is due.
    pub due: CaracasDate,
    /// What its link asks for.
    pub price: Price,
    /// Whether that day has gone by.
    pub is_late: bool,
    /// Whether it can be paid now.
    pub is_payable: bool,
}

/// A cycle that was paid.
#[derive(Clone, Debug)]
pub struct PaidByPayer {
    /// The days that it is for.
    pub period: Period,
    /// What its link asked for.
    pub price: Price,
    /// When the payment was confirmed.
    pub paid_at: Timestamp,
    /// The address of its receipt's page.
    pub receipt: Option<ReceiptAddress>,
    /// Whether that receipt is void.
    pub is_void: bool,
}

/// Time that a subscription goes on once its payer has canceled it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remains {
    /// It ends at once, and nothing is owed any more.
    Nothing,
    /// What was paid, until that day, the last one.
    Paid(CaracasDate),
    /// The same, and what is owed of the time before.
    PaidAndLate(CaracasDate),
    /// The period that runs, until that day, the last one; it is paid after that.
    Owed(CaracasDate),
}

/// Shows a payer the subscription whose page has that address.
///
/// # Errors
/// Not found, also where the page is not open any more; or a failure of the store.
pub async fn view_payer_page(
    app: &App,
    act: &Act<ViewPayerPage>,
    address: PayerAddress,
) -> Result<PayerPage, Error> {
    let now = act.now;
    act.read(app, move |tx| {
        let of = found(tx, address, now)?;
        page(tx, address.owner, of, now)
    })
    .await
}

/// Leads a payer to the link by which a cycle is paid: its own, or another one where the cycle has lapsed and its own has
/// ended by that. Where nobody may have another, the page of its own says why.
///
/// # Errors
/// Not found, also where the page is not open any more; or a failure of the store.
pub async fn link_of_cycle(
    app: &Arc<App>,
    act: &Act<RenewLink>,
    address: PayerAddress,
    number: u32,
) -> Result<LinkId, Error> {
    let now = act.now;
    let find = move |tx: &mut Tx<'_>| -> Outcome<Cycle> {
        let of = CycleOf { subscription: found(tx, address, now)?.id, number };
        let cycle = subscription_cycles::find(tx, address.owner, of)?;
        Ok(cycle.ok_or(Refusal::NotFound("cycle"))?)
    };
    let cycle = app.store.look_up(act.meter(), move |tx| as_answer(find(tx))).await??;
    if cycle.state != CycleState::Lapsed {
        return Ok(cycle.link);
    }
    match renew(app, act, cycle.link).await {
        Err(Error::Refused(Refusal::Link(_) | Refusal::Subscription(_))) => Ok(cycle.link),
        led => led,
    }
}

/// Finds the subscription whose payer's page has that address and is open.
///
/// # Errors
/// Not found, or a fault of the store.
pub(super) fn found(
    tx: &mut Tx<'_>,
    PayerAddress { owner, page }: PayerAddress,
    now: Timestamp,
) -> Outcome<Subscription> {
    let of = rows::of_page(tx, owner, page)?.filter(|of| now < of.page_until);
    Ok(of.ok_or(NOT_FOUND)?)
}

fn page(tx: &mut Tx<'_>, owner: OwnerId, of: Subscription, now: Timestamp) -> Outcome<PayerPage> {
    let row = owners::find(tx, owner)?.ok_or(NOT_FOUND)?;
    let profile = public_profiles::find(tx, owner)?;
    let rules = rules(&of, &subscription_cycles::owed(tx, owner, of.id)?);
    let mut owed = subscription_cycles::earliest_owed(tx, owner, of.id, OWED_SHOWN)?;
    owed.retain(|cycle| of.standing.canceled_from.is_none_or(|from| cycle.number < from));
    let paid = subscription_cycles::latest_paid(tx, owner, of.id, PAID_SHOWN)?;
    let (standing, next_due) = (rules.status(now), rules.next_due());
    let is_over = of.standing.end.is_some() || of.standing.ends_unpaid || of.canceled_by_payer;
    let canceled = (!is_over).then(|| rules.canceled_by_payer(now).standing);
    let remains = canceled.map(|standing| match (standing.end, standing.canceled_from) {
        (None, Some(from)) => {
            let last = of.terms.schedule.boundary(from).plus_days(-1);
            match of.terms.pay_first {
                true if owed.iter().any(|cycle| cycle.number < from) => Remains::PaidAndLate(last),
                true => Remains::Paid(last),
                false => Remains::Owed(last),
            }
        }
        _ => Remains::Nothing,
    });
    let owed = with_links(tx, owner, owed)?;
    let paid = with_links(tx, owner, paid)?;
    let receipts = receipts_of(tx, owner, &paid)?;
    let with_receipts = paid.iter().zip(receipts);
    Ok(PayerPage {
        merchant: merchant_name(&row, &profile),
        profile,
        standing,
        next_due,
        owed: owed.iter().map(|each| owed_of(&of, each, now)).collect(),
        paid: with_receipts.map(|(each, receipt)| paid_of(owner, &of, each, receipt)).collect(),
        remains,
        subscription: of,
    })
}

/// Cycles, each with its link.
fn with_links(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    cycles: Vec<Cycle>,
) -> Result<Vec<(Cycle, Link)>, Fault> {
    let ids: Vec<LinkId> = cycles.iter().map(|cycle| cycle.link).collect();
    let links = links::find_each(tx, owner, &ids)?;
    Ok(cycles.into_iter().zip(links).collect())
}

fn owed_of(of: &Subscription, (cycle, link): &(Cycle, Link), now: Timestamp) -> OwedByPayer {
    let (terms, number) = (of.terms, cycle.number);
    OwedByPayer {
        number,
        period: terms.schedule.period(number),
        due: terms.due_day(number),
        price: link.price,
        is_late: terms.past_due_at(number) <= of.clock.virtual_now(now),
        is_payable: is_payable(cycle, link, now),
    }
}

/// Receipts of the payments of these links, in this order, each with whether it is void.
fn receipts_of(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    paid: &[(Cycle, Link)],
) -> Result<Vec<Option<(ReceiptId, bool)>>, Fault> {
    let of_link = |(_, link): &(Cycle, Link)| {
        link.payment.ok_or_else(|| Fault::broken("a paid cycle without a payment"))
    };
    let payments: Vec<_> = paid.iter().map(of_link).collect::<Result<_, _>>()?;
    receipts::of_payments(tx, owner, &payments)
}

fn paid_of(
    owner: OwnerId,
    of: &Subscription,
    (cycle, link): &(Cycle, Link),
    receipt: Option<(ReceiptId, bool)>,
) -> PaidByPayer {
    PaidByPayer {
        period: of.terms.schedule.period(cycle.number),
        price: link.price,
        // Nothing changes a link any more that is paid.
        paid_at: link.updated_at,
        receipt: receipt.map(|(id, _)| ReceiptAddress { owner, id }),
        is_void: receipt.is_some_and(|(_, is_void)| is_void),
    }
}
