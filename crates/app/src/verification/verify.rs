//! The operation: `POST /userbankpayment/{bank_id}/betaserio`.

use std::sync::Arc;
use std::time::Duration;

use bank::Bank;
use domain::access::{Permit, Verify};
use domain::ids::{PaymentId, VerificationId};
use domain::refusal::Refusal;
use domain::verification::{ANSWER, JOIN_POLL};
use futures_util::future::{Either, select};
use store::fault::Fault;
use store::idempotency::Slot;
use store::tx::Tx;
use store::{Lane, accounts, verifications};

use super::call::{Call, Render, VerifyRequest};
use super::first_report::FirstReportGuard;
use super::idempotency_slot;
use super::recall::{Recalled, admit, recall};
use super::repeat::{REFUSED, REPEATED, Repeated, note, note_repeat};
use super::run::{Run, RunOutcome, has_begun};
use super::settlement::SettleResult;
use crate::outcome::as_answer;
use crate::present::present;
use crate::{Act, App, Error};

/// How often a call is admitted anew whose credential or account changes before it has reserved.
pub(crate) const STARTS_MAX: usize = 3;

/// How long the looks of a joined call are apart at most.
const JOIN_POLL_MAX: Duration = Duration::from_millis(250);

/// Answer that is sent back to the caller.
#[derive(Debug)]
pub struct Answered {
    /// The body, as it was rendered now or when the same call was first answered.
    pub body: Vec<u8>,
    /// The first report in it, to be marked as delivered when the answer reaches its connection.
    pub first_report: Option<FirstReportGuard>,
}

/// Verifies a payment: answers what is known, joins what is running, or asks the bank. `slot` is
/// where the answer is kept if the call came with an `Idempotency-Key`.
///
/// # Errors
/// A refusal, among them every end without a payment; or a failure of the store.
pub async fn verify(
    app: &Arc<App>,
    act: &Act<Verify>,
    request: VerifyRequest,
    slot: Option<Slot>,
    render: Render,
) -> Result<Answered, Error> {
    let mut present = None;
    for _ in 0..STARTS_MAX {
        let act = present.as_ref().unwrap_or(act);
        if let Some(answered) = start(app, act, request.clone(), slot.clone(), render).await? {
            return Ok(answered);
        }
        present = Some(admit_anew(app, act).await?);
    }
    Err(Refusal::ReachChanged.into())
}

/// The same act, by the same caller as it is now.
async fn admit_anew(app: &App, act: &Act<Verify>) -> Result<Act<Verify>, Error> {
    let (caller, now) = (act.caller().clone(), app.clock.now());
    let look = move |tx: &mut Tx<'_>| as_answer(present(tx, &caller, now));
    let caller = app.store.look_up(act.meter(), look).await??;
    Ok(Act { permit: Permit::check(&caller, now)?, now, request: Arc::new(act.request.anew()) })
}

/// Answers the call, unless what let it in has changed before anything has begun.
async fn start(
    app: &Arc<App>,
    act: &Act<Verify>,
    request: VerifyRequest,
    slot: Option<Slot>,
    render: Render,
) -> Result<Option<Answered>, Error> {
    let account = accounts::finding(act.owner(), request.bank);
    let account = app.store.look_up_auth(act.meter(), account).await?;
    let (call, bank) = admit(app, act, account, request, slot, render)?;
    let call = Arc::new(call);
    let kept = Arc::clone(&call);
    let recalled = app.store.look_up(act.meter(), move |tx| recall(tx, &kept)).await?;
    match recalled {
        Recalled::Reused => {
            Err(refuse(app, act, call, (REFUSED, None), Refusal::IdempotencyKeyReused).await)
        }
        Recalled::Claimed(payment) => repeat(app, act, call, payment).await,
        Recalled::Answered => replay(app, act, call, bank).await,
        Recalled::Same(first) => join(app, act, call, first).await,
        Recalled::Unknown => ask(app, act, call, bank).await,
    }
}

/// Answers a call whose payment is claimed. Nothing where what let the call in has changed.
async fn repeat(
    app: &Arc<App>,
    act: &Act<Verify>,
    call: Arc<Call>,
    payment: PaymentId,
) -> Result<Option<Answered>, Error> {
    let (inner, kept, now) = (Arc::clone(app), Arc::clone(&call), app.clock.now());
    let job = move |tx: &mut Tx<'_>| match kept.stands(tx, now)? {
        true => note_repeat(tx, &inner, &kept, payment, now).map(Some),
        false => Ok(None),
    };
    match app.store.write_again(act.meter(), Lane::Admission, call.owner, job).await? {
        Some(Repeated::Known(settling, body)) => {
            Ok(Some(Answered { body, first_report: FirstReportGuard::of(app, &call, &settling) }))
        }
        Some(Repeated::Replayed(body)) => Ok(Some(Answered { body, first_report: None })),
        Some(Repeated::Refused(refusal)) => Err(refusal.into()),
        None => Ok(None),
    }
}

/// The same `Idempotency-Key` again: the same answer. Nothing where what let the call in has changed.
async fn replay(
    app: &Arc<App>,
    act: &Act<Verify>,
    call: Arc<Call>,
    bank: Arc<dyn Bank>,
) -> Result<Option<Answered>, Error> {
    let (inner, kept) = (Arc::clone(app), Arc::clone(&call));
    let now = app.clock.now();
    let job = move |tx: &mut Tx<'_>| {
        if !kept.stands(tx, now)? {
            return Ok(None);
        }
        let body = idempotency_slot::replay(tx, &inner, &kept, kept.now)?;
        if body.is_some() {
            note(tx, &kept, (REPEATED, None), None, now)?;
        }
        Ok(Some(body))
    };
    match app.store.write_again(act.meter(), Lane::Admission, call.owner, job).await? {
        Some(Some(body)) => Ok(Some(Answered { body, first_report: None })),
        // The call that lost that answer has just given its first report back: this call is the next one.
        Some(None) => ask(app, act, call, bank).await,
        None => Ok(None),
    }
}

/// Starts a run and waits for it, as long as a caller waits. Nothing where what let the call in has changed.
async fn ask(
    app: &Arc<App>,
    act: &Act<Verify>,
    call: Arc<Call>,
    bank: Arc<dyn Bank>,
) -> Result<Option<Answered>, Error> {
    let meter = Arc::clone(&act.request.meter);
    let (run, outcome) = Run::of_call(app, bank, Arc::clone(&call), meter);
    let (id, owner) = (run.id(), call.owner);
    app.tasks.spawn(Box::pin(run.drive()));

    let patience = app.clock.sleep(act.request.left_of(ANSWER, &*app.clock));
    let outcome = match select(outcome, patience).await {
        Either::Left((Ok(outcome), _)) => outcome,
        // The task was dropped with the process: a later run takes the row over.
        Either::Left((Err(_), _)) => return Err(Refusal::BankSearching { verification: id }.into()),
        Either::Right(((), _)) => {
            // An id is answered that leads somewhere. Where nothing has begun, a new try begins it or joins it.
            return Err(match has_begun(app, act.meter(), owner, id).await? {
                true => Refusal::BankSearching { verification: id }.into(),
                false => Refusal::ServiceUnavailable.into(),
            });
        }
    };
    match outcome {
        RunOutcome::Settled(settling, kept, first_report) => {
            Ok(Some(Answered { body: body(app, &call, &settling, kept)?, first_report }))
        }
        RunOutcome::Refused(refusal) => Err(refusal.into()),
        RunOutcome::Joined(other) => join(app, act, call, other).await,
        RunOutcome::Changed => Ok(None),
        RunOutcome::Failed(error) => Err(error),
    }
}

/// The body of a settled answer, as it was kept or as it is rendered now.
fn body(
    app: &App,
    call: &Call,
    settling: &SettleResult,
    kept: Option<Vec<u8>>,
) -> Result<Vec<u8>, Error> {
    if let Err(failed) = &settling.settled.result {
        return Err(call.refusal(failed).into());
    }
    if let Some(body) = kept {
        return Ok(body);
    }
    let confirmed = call.confirmed(settling, &app.settings.base_url)?;
    let confirmed =
        confirmed.ok_or_else(|| Fault::broken("a confirmed verification without a payment"))?;
    Ok((call.render)(&confirmed))
}

/// Waits for the run of another call with the same fingerprint, on whichever node it is, and is
/// answered from what it found. Nothing where what let the call in has changed.
async fn join(
    app: &Arc<App>,
    act: &Act<Verify>,
    call: Arc<Call>,
    id: VerificationId,
) -> Result<Option<Answered>, Error> {
    let owner = call.owner;
    let mut pause = JOIN_POLL;
    loop {
        let (kept, now) = (Arc::clone(&call), app.clock.now());
        let look = app.store.look_up(act.meter(), move |tx| {
            let row = verifications::find(tx, owner, id)?;
            // A failed end is answered to a credential that is live then.
            let has_failed = row.as_ref().is_some_and(|row| row.failed.is_some());
            Ok((row, !has_failed || kept.stands(tx, now)?))
        });
        let (row, stands) = look.await?;
        if !stands {
            return Ok(None);
        }
        let row = row.ok_or(Refusal::BankNotAvailable)?;
        if let Some(payment) = row.payment {
            return repeat(app, act, call, payment).await;
        }
        if let Some(failed) = &row.failed {
            let refusal = call.refusal(failed);
            let status = row.state.as_str();
            return Err(refuse(app, act, call, (status, Some(id)), refusal).await);
        }
        let left = act.request.left_of(ANSWER, &*app.clock);
        if left.is_zero() {
            let refusal = Refusal::BankSearching { verification: id };
            return Err(refuse(app, act, call, (REFUSED, Some(id)), refusal).await);
        }
        app.clock.sleep(pause.min(left)).await;
        pause = (pause * 2).min(JOIN_POLL_MAX);
    }
}

/// Notes an attempt that has no verification of its own, and answers its refusal: that is known, and true even where
/// it cannot be noted.
async fn refuse(
    app: &App,
    act: &Act<Verify>,
    call: Arc<Call>,
    (status, verification): (&'static str, Option<VerificationId>),
    refusal: Refusal,
) -> Error {
    let (owner, code, now) = (call.owner, refusal.code().as_str(), app.clock.now());
    let job = move |tx: &mut Tx<'_>| note(tx, &call, (status, Some(code)), verification, now);
    if let Err(error) = app.store.write(act.meter(), Lane::Admission, owner, job).await {
        tracing::warn!(%error, code, "a refused attempt could not be recorded in the activity");
    }
    refusal.into()
}
