//! The operation: `POST /v1/movements/{movement_id}/accept`.
//!
//! A person decides that a movement which the bank has shown is a payment: money whose reference nobody typed right,
//! that came late, or that only a person can tell from another. It costs what a verification costs. That the payment is
//! new is reported once: to the person, or, where it is accepted for a caller, to the next one who asks for it.

use std::sync::Arc;

use bank::Capabilities;
use domain::access::{AcceptMovement, Caller};
use domain::ids::{ActorId, MovementId, PaymentId};
use domain::matching::Movement;
use domain::refusal::{MovementRefusal, Refusal};
use domain::verification::Settled;
use store::accounts::Account;
use store::fault::Fault;
use store::idempotency::Slot;
use store::payments::Payment;
use store::tx::Tx;
use store::{accounts, audit, credits, movements, payments, verifications};
use tokio::sync::oneshot;

use super::accept::{Acceptance, ReportedTo};
use super::call::{Call, Render};
use super::first_report::FirstReportGuard;
use super::idempotency_slot::{self, Use};
use super::repeat::{Repeated, is_left_to_callers, note_repeat};
use super::settlement::SettleResult;
use super::verify::Answered;
use crate::accounts::reached;
use crate::audit_entry::audited;
use crate::changes::{self, MovementAccepted};
use crate::links::usable;
use crate::outcome::Outcome;
use crate::{Act, App, Error};

/// The choice of a person.
#[derive(Clone, Copy, Debug)]
pub struct AcceptRequest {
    /// The movement.
    pub movement: MovementId,
    /// To whom its payment is reported as new.
    pub reported_to: ReportedTo,
    /// The payment that the person has looked at and says to be another one, though its row may be the same money.
    pub other_than: Option<PaymentId>,
}

impl AcceptRequest {
    fn is_for_caller(self) -> bool {
        self.reported_to == ReportedTo::NextCaller
    }
}

/// Everything that the transaction needs.
#[derive(Clone)]
struct Work {
    acceptance: Acceptance,
    caller: Caller,
    actor: ActorId,
    entry: audit::Entry,
    request: AcceptRequest,
    slot: Option<Slot>,
    render: Render,
}

/// The answer, as it is kept, and what it is about; nothing of an answer that was sent before.
struct Written {
    body: Vec<u8>,
    about: Option<(Call, SettleResult)>,
}

/// Makes a payment of a movement that nobody has claimed. One that was claimed before, by whomever, is answered with
/// its payment, at no cost. `slot` is where the answer is kept if the call came with an `Idempotency-Key`.
///
/// # Errors
/// No such movement, or the account is in the trash; it went out; the account or its client is switched off; it was
/// claimed before and cannot be left to a caller any more; it may be the money of another payment; credits refuse; or a
/// failure of the store.
pub async fn accept_movement(
    app: &Arc<App>,
    act: &Act<AcceptMovement>,
    request: AcceptRequest,
    slot: Option<Slot>,
    render: Render,
) -> Result<Answered, Error> {
    let work = Work {
        acceptance: Acceptance::new(app, act),
        caller: act.caller().clone(),
        actor: act.actor(),
        entry: audited(app, act, request.movement.to_string()),
        request,
        slot,
        render,
    };
    let act = Act { permit: act.permit.clone(), now: act.now, request: Arc::clone(&act.request) };
    let (caller, outcome) = oneshot::channel();
    let inner = Arc::clone(app);
    // It outlives a caller that hangs up, whose first report then goes back: the answer is dropped here.
    app.tasks.spawn(Box::pin(async move {
        drop(caller.send(write(&inner, &act, work).await));
    }));
    // Dropped with the process.
    outcome.await.unwrap_or_else(|_| Err(Refusal::ServiceUnavailable.into()))
}

async fn write(app: &Arc<App>, act: &Act<AcceptMovement>, work: Work) -> Result<Answered, Error> {
    let inner = Arc::clone(app);
    let Written { body, about } = act.write_again(app, move |tx| accept(tx, &inner, &work)).await?;
    let first_report =
        about.and_then(|(call, settling)| FirstReportGuard::of(app, &call, &settling));
    Ok(Answered { body, first_report })
}

/// Accepts the movement, or answers what was done with it before.
fn accept(tx: &mut Tx<'_>, app: &App, work: &Work) -> Outcome<Written> {
    let Work { acceptance, request, .. } = work;
    let owner = acceptance.owner;
    let (account, movement) = find(tx, work)?;
    let &Capabilities { rule, livemode, .. } = usable(app, &account)?.capabilities();
    let (of, ending) = ((account, rule, livemode), (work.slot.clone(), work.render));
    let call = acceptance.call_of_person(work.actor, of, &movement, request.reported_to, ending)?;
    if let Some(body) = answered_before(tx, app, &call)? {
        return Ok(Written { body, about: None });
    }
    if let Some(payment) = movement.claimed {
        return repeat(tx, app, work, call, payment);
    }
    if !movement.amount.is_positive() {
        return Err(Refusal::NotPositivePayment.into());
    }
    let of = (call.account.identity, rule);
    acceptance.check_rival(tx, of, &movement, request.other_than)?;
    let settling = acceptance.make_payment(tx, app, &call, &movement)?;
    if let Ok(payment) = settling.settled.result {
        let made = changes::made(&MovementAccepted(payment, request.is_for_caller()));
        audit::insert_change(tx, owner, &work.entry, &made, acceptance.now)?;
    }
    answer(tx, app, call, settling)
}

/// The movement, which is held until the transaction ends, and its account.
fn find(tx: &mut Tx<'_>, work: &Work) -> Outcome<(Account, Movement)> {
    let (owner, id) = (work.acceptance.owner, work.request.movement);
    let not_found = Refusal::NotFound("movement");
    let account = reached(accounts::of_movement(tx, owner, id)?, &work.caller);
    let account = account.map_err(|_| not_found.clone())?;
    let movement = movements::find_held(tx, owner, account.identity, id)?.ok_or(not_found)?;
    Ok((account, movement))
}

/// The answer that the same `Idempotency-Key` was given.
fn answered_before(tx: &mut Tx<'_>, app: &App, call: &Call) -> Outcome<Option<Vec<u8>>> {
    let Some(slot) = &call.slot else { return Ok(None) };
    match idempotency_slot::look(tx, call.owner, slot, None, call.now)? {
        Use::Answered(_) => Ok(idempotency_slot::replay(tx, app, call, call.now)?),
        Use::Reused => Err(Refusal::IdempotencyKeyReused.into()),
        // An answer is kept in the transaction of its effect: without one the key was not used.
        Use::Free { .. } | Use::Own | Use::Same(_) => Ok(None),
    }
}

/// The movement is claimed already. A payment that was reported, or is somebody's to be, cannot be left to a caller.
fn repeat(
    tx: &mut Tx<'_>,
    app: &App,
    work: &Work,
    call: Call,
    payment: PaymentId,
) -> Outcome<Written> {
    let claimed = payments::find(tx, call.owner, payment)?;
    if work.acceptance.made(payment) {
        let settling = own(tx, &call, claimed)?;
        return answer(tx, app, call, settling);
    }
    let is_left = is_left_to_callers(&claimed);
    if work.request.is_for_caller() && !is_left {
        return Err(Refusal::Movement(MovementRefusal::FirstReportTaken).into());
    }
    // The one who left it to a caller is not told either.
    let call = Call { first_report: call.first_report.filter(|_| !is_left), ..call };
    match note_repeat(tx, app, &call, payment, call.now)? {
        Repeated::Known(settling, body) => Ok(Written { body, about: Some((call, *settling)) }),
        Repeated::Replayed(body) => Ok(Written { body, about: None }),
        Repeated::Refused(refusal) => Err(refusal.into()),
    }
}

/// The payment that this very call made, where the answer of its commit was lost.
fn own(tx: &mut Tx<'_>, call: &Call, payment: Payment) -> Result<SettleResult, Fault> {
    let is_new = match call.first_report {
        Some(report) => verifications::announce(tx, call.owner, payment.verification, report)?,
        None => false,
    };
    Ok(SettleResult {
        settled: Settled { result: Ok(payment.id), is_new },
        payment: Some(payment),
        balance: credits::balance(tx, call.owner)?,
        had_ended: true,
    })
}

/// Renders the answer, and keeps it.
fn answer(tx: &mut Tx<'_>, app: &App, call: Call, settling: SettleResult) -> Outcome<Written> {
    let confirmed = call.confirmed(&settling, &app.settings.base_url)?;
    let mut confirmed =
        confirmed.ok_or_else(|| Fault::broken("an acceptance without a payment"))?;
    // This call made the payment, whichever caller gets its first report.
    confirmed.is_made = true;
    confirmed.credit_cost = confirmed.whole.payment.credit_cost;
    let body = (call.render)(&confirmed);
    call.keep(app, tx, &body, confirmed.verification, confirmed.is_new)?;
    Ok(Written { body, about: Some((call, settling)) })
}
