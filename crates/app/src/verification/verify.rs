//! The operation: `POST /userbankpayment/{bank_id}/betaserio`.

use std::sync::Arc;
use std::time::Duration;

use domain::access::Verify;
use domain::ids::{OwnerId, PaymentId, VerificationId};
use domain::refusal::Refusal;
use domain::verification::{ANSWER, JOIN_POLL, State};
use futures_util::future::{Either, select};
use store::fault::Fault;
use store::idempotency::{Kept, Slot};
use store::{Lane, verifications};

use super::recall::{Inquiry, Recalled, recall};
use super::repeat::{note_refused, note_repeat};
use super::run::{Heard, Run};
use super::settle::Settling;
use super::{Announced, Answered, Call, Render, VerifyRequest};
use crate::vault::Place;
use crate::{Act, App, Error};

/// How long the looks of a joined call are apart at most.
const JOIN_POLL_MAX: Duration = Duration::from_millis(250);

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
    let inquiry = Inquiry {
        caller: act.caller().clone(),
        owner: act.owner(),
        actor: act.actor(),
        caller_client: act.caller().client(),
        request,
        slot,
        render: render,
        received: act.request.received,
        now: act.now,
        allow_test_bank: app.settings.allow_test_bank,
    };
    let banks = Arc::clone(&app.banks);
    let recalled = app.store.look_up(act.meter(), move |tx| recall(tx, &banks, &inquiry)).await?;
    match recalled {
        Recalled::Refused(refusal) => Err(refusal.into()),
        Recalled::Claimed(call, payment) => repeat(app, act, call, payment).await,
        Recalled::Kept(call, kept) => replay(app, act, call, &kept).await,
        Recalled::Unknown(call) => ask(app, act, call).await,
    }
}

/// Where an answer is sealed to.
pub(super) fn place(owner: OwnerId, slot: &Slot) -> Place<'_> {
    Place { table: "idempotent_answers", column: "answer", owner: Some(owner), row: &slot.key_hash }
}

async fn repeat(
    app: &Arc<App>,
    act: &Act<Verify>,
    call: Arc<Call>,
    payment: PaymentId,
) -> Result<Answered, Error> {
    let now = app.clock.now();
    let (inner, slot, owner) = (Arc::clone(app), call.slot.clone(), call.owner);
    let (settling, body) = app
        .store
        .write(act.meter(), Lane::Admission, call.owner, move |tx| {
            note_repeat(tx, &inner, &call, payment, now)
        })
        .await?;
    Ok(Answered { body, announced: announced(app, owner, slot.as_ref(), &settling) })
}

/// The same `Idempotency-Key` again: the same answer, or the same verification.
async fn replay(
    app: &Arc<App>,
    act: &Act<Verify>,
    call: Arc<Call>,
    kept: &Kept,
) -> Result<Answered, Error> {
    let Some(slot) = &call.slot else { return ask(app, act, call).await };
    if kept.body_hash != slot.body_hash {
        return Err(Refusal::IdempotencyKeyReused.into());
    }
    if let Some(sealed) = &kept.answer {
        let opened = app.vault.open(place(call.owner, slot), sealed);
        let body = opened.map_err(|error| Error::Internal(Box::new(error)))?;
        return Ok(Answered { body, announced: None });
    }
    let first = VerificationId::from_bytes(kept.subject);
    let owner = call.owner;
    let row =
        app.store.look_up(act.meter(), move |tx| verifications::find(tx, owner, first)).await?;
    match row.map(|row| row.state) {
        Some(State::Asking | State::Confirmed) => join(app, act, call, first).await,
        // Only an answer with a payment is kept; after any other, the call runs again.
        _ => ask(app, act, call).await,
    }
}

/// Starts a run and waits for it, as long as a caller waits.
async fn ask(app: &Arc<App>, act: &Act<Verify>, call: Arc<Call>) -> Result<Answered, Error> {
    let connector = app.banks.get(call.account.provider.as_str()).cloned();
    let connector = connector.ok_or(Refusal::InvalidBankProvider)?;
    let meter = Arc::clone(&act.request.meter);
    let (run, heard) = Run::of_call(app, connector, Arc::clone(&call), meter);
    let id = run.id();
    app.tasks.spawn(Box::pin(run.drive()));

    let patience = app.clock.sleep_until(act.request.received.plus(ANSWER));
    let heard = match select(heard, patience).await {
        Either::Left((Ok(heard), _)) => heard,
        // The task was dropped with the process: whoever comes next takes the row over.
        Either::Left((Err(_), _)) | Either::Right(((), _)) => {
            return Err(Refusal::BankNotAvailable { verification: Some(id) }.into());
        }
    };
    match heard {
        Heard::Settled(settling, kept, announced) => {
            Ok(Answered { body: body(&call, &settling, kept)?, announced })
        }
        Heard::Refused(refusal) => Err(refusal.into()),
        Heard::Joined(other) => join(app, act, call, other).await,
        Heard::Failed(error) => Err(error),
    }
}

/// The body of a settled answer, as it was kept or as it is rendered now.
fn body(call: &Call, settling: &Settling, kept: Option<Vec<u8>>) -> Result<Vec<u8>, Error> {
    if let Err(failed) = &settling.settled.result {
        return Err(failed.refusal(call.query.reference.digits().len()).into());
    }
    if let Some(body) = kept {
        return Ok(body);
    }
    let confirmed = call.confirmed(settling)?;
    let confirmed =
        confirmed.ok_or_else(|| Fault::broken("a confirmed verification without a payment"))?;
    Ok((call.render)(&confirmed))
}

/// Waits for the run of another call with the same fingerprint, on whichever node it is, and is
/// answered from what it found.
async fn join(
    app: &Arc<App>,
    act: &Act<Verify>,
    call: Arc<Call>,
    id: VerificationId,
) -> Result<Answered, Error> {
    let owner = call.owner;
    let until = act.request.received.plus(ANSWER);
    let mut pause = JOIN_POLL;
    loop {
        let row = app.store.look_up(act.meter(), move |tx| verifications::find(tx, owner, id));
        let row = row.await?.ok_or(Refusal::BankNotAvailable { verification: Some(id) })?;
        if let Some(payment) = row.payment {
            return repeat(app, act, call, payment).await;
        }
        if let Some(failed) = &row.failed {
            let refusal = failed.refusal(call.query.reference.digits().len());
            let (noted, status, now) = (refusal.clone(), row.state.as_str(), app.clock.now());
            app.store
                .write(act.meter(), Lane::Admission, owner, move |tx| {
                    note_refused(tx, &call, status, &noted, id, now)
                })
                .await?;
            return Err(refusal.into());
        }
        let now = app.clock.now();
        if now >= until {
            return Err(Refusal::BankNotAvailable { verification: Some(id) }.into());
        }
        app.clock.sleep_until(now.plus(pause).min(until)).await;
        pause = (pause * 2).min(JOIN_POLL_MAX);
    }
}

/// The news in a settled answer, if it has any.
pub(super) fn announced(
    app: &Arc<App>,
    owner: OwnerId,
    slot: Option<&Slot>,
    settling: &Settling,
) -> Option<Announced> {
    let (payment, _) = settling.payment.as_ref().filter(|_| settling.settled.is_new)?;
    Some(Announced::new(app, owner, payment.verification, slot.cloned()))
}
