//! The attempts that need no bank: repeats of what is claimed, and calls that joined a run.

use domain::ids::{PaymentId, VerificationId};
use domain::money::Credits;
use domain::refusal::Refusal;
use domain::time::{CaracasMonth, Timestamp};
use domain::verification::{REPEAT, Settled};
use store::fault::Fault;
use store::tx::Tx;
use store::{activity, credits, idempotency, payments, verifications};

use super::settle::Settling;
use super::{Call, verify};
use crate::App;

/// What an attempt is called in the activity whose payment was claimed before.
pub(super) const REPEATED: &str = "repeat";

/// Notes a repeat of a claimed payment and answers it, at no cost. Where the payment was claimed by
/// a call like this one and nobody has heard that it is new, this call is told, and no later one.
///
/// # Errors
/// A fault of the store.
pub(super) fn note_repeat(
    tx: &mut Tx<'_>,
    app: &App,
    call: &Call,
    payment: PaymentId,
    now: Timestamp,
) -> Result<(Settling, Vec<u8>), Fault> {
    let repeated = answer_repeat(tx, app, call, payment, now)?;
    let subject = repeated.0.payment.as_ref().map(|(payment, _)| payment.verification);
    note(tx, call, REPEATED, None, subject, now)?;
    Ok(repeated)
}

/// What [`note_repeat`] answers, where the attempt is noted by whoever calls.
///
/// # Errors
/// A fault of the store.
pub(super) fn answer_repeat(
    tx: &mut Tx<'_>,
    app: &App,
    call: &Call,
    payment: PaymentId,
    now: Timestamp,
) -> Result<(Settling, Vec<u8>), Fault> {
    let payment = payments::find(tx, call.owner, payment)?;
    let is_own = payment.fingerprint == call.fingerprint.to_bytes()
        && now.since(payment.created_at) < REPEAT;
    let is_new = is_own && verifications::announce(tx, call.owner, payment.verification)?;
    let subject = payment.verification;
    let settling = Settling {
        settled: Settled { result: Ok(payment.id), is_new },
        payment: Some((payment, Credits::ZERO)),
        balance: credits::balance(tx, call.owner)?,
    };
    let confirmed =
        call.confirmed(&settling)?.ok_or_else(|| Fault::broken("a repeat without a payment"))?;
    let body = (call.render)(&confirmed);
    if let Some(slot) = &call.slot {
        idempotency::begin(tx, call.owner, slot, subject.to_bytes(), now, now.minus(REPEAT))?;
        let sealed = app.vault.seal(app.ids.as_ref(), verify::place(call.owner, slot), &body);
        idempotency::keep(tx, call.owner, slot, &sealed)?;
    }
    Ok((settling, body))
}

/// Notes an attempt that joined a run and was refused what that run was refused.
///
/// # Errors
/// A fault of the store.
pub(super) fn note_refused(
    tx: &mut Tx<'_>,
    call: &Call,
    status: &str,
    refusal: &Refusal,
    verification: VerificationId,
    now: Timestamp,
) -> Result<(), Fault> {
    note(tx, call, status, Some(refusal.code().as_str()), Some(verification), now)
}

fn note(
    tx: &mut Tx<'_>,
    call: &Call,
    status: &str,
    code: Option<&str>,
    verification: Option<VerificationId>,
    now: Timestamp,
) -> Result<(), Fault> {
    let month = CaracasMonth::of(now);
    let ordinal = credits::count_attempt(tx, call.owner, call.actor, month)?;
    let entry = call.activity(status, code, now);
    activity::insert(tx, call.owner, call.actor, month, ordinal, &entry, verification)
}
