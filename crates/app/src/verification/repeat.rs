//! The attempts that need no bank: repeats of what is claimed, and calls that joined a run.

use domain::fingerprint::Fingerprint;
use domain::ids::{PaymentId, VerificationId};
use domain::refusal::Refusal;
use domain::time::{CaracasMonth, Timestamp};
use domain::verification::{REPEAT, Settled};
use store::fault::Fault;
use store::payments::Payment;
use store::tx::Tx;
use store::{activity, credits, idempotency, payments, verifications};

use super::call::Call;
use super::idempotency_slot::{self, Use};
use super::settlement::SettleResult;
use super::{in_review, receipt};
use crate::App;

/// Activity status of an attempt whose payment was claimed before.
pub(super) const REPEATED: &str = "repeat";

/// Activity status of an attempt that was refused and has no verification of its own.
pub(super) const REFUSED: &str = "refused";

/// How a call whose payment is claimed is answered.
#[derive(Debug)]
pub(super) enum Repeated {
    /// With the payment.
    Known(Box<SettleResult>, Vec<u8>),
    /// With the bytes that the same call was answered with before.
    Replayed(Vec<u8>),
    /// Its `Idempotency-Key` was used with another body.
    Refused(Refusal),
}

impl Repeated {
    /// The verification that claimed the payment, where one is shown.
    pub(super) fn subject(&self) -> Option<VerificationId> {
        match self {
            Self::Known(settling, _) => {
                settling.payment.as_ref().map(|payment| payment.verification)
            }
            Self::Replayed(_) | Self::Refused(_) => None,
        }
    }

    /// Returns the attempt's activity status, with the code of its refusal if it was refused.
    pub(super) fn status(&self) -> (&'static str, Option<&'static str>) {
        match self {
            Self::Known(..) | Self::Replayed(_) => (REPEATED, None),
            Self::Refused(refusal) => (REFUSED, Some(refusal.code().as_str())),
        }
    }
}

/// Notes a repeat of a claimed payment and answers it, at no cost; to a person with a receipt, which is made where there
/// is none. Where the payment was claimed by a call like this one and it was reported as new to nobody, it is reported as
/// new to this call, and to no later one.
///
/// # Errors
/// A fault of the store.
pub(super) fn note_repeat(
    tx: &mut Tx<'_>,
    app: &App,
    call: &Call,
    payment: PaymentId,
    now: Timestamp,
) -> Result<Repeated, Fault> {
    let repeated = answer_repeat(tx, app, call, payment, now)?;
    note(tx, call, repeated.status(), repeated.subject(), now)?;
    Ok(repeated)
}

/// Answers as [`note_repeat`] does, but leaves it to the calling function to note the attempt.
///
/// # Errors
/// A fault of the store.
pub(super) fn answer_repeat(
    tx: &mut Tx<'_>,
    app: &App,
    call: &Call,
    payment: PaymentId,
    now: Timestamp,
) -> Result<Repeated, Fault> {
    let payment = payments::find(tx, call.owner, payment)?;
    let about = payment.verification;
    if let Some(slot) = &call.slot {
        let replaces = match idempotency_slot::look(tx, call.owner, slot, None, now)? {
            Use::Free { replaces } => replaces,
            Use::Own => None,
            // The call that began it was gone before it could be answered.
            Use::Same(first) => Some(first.to_bytes()),
            Use::Reused => return Ok(Repeated::Refused(Refusal::IdempotencyKeyReused)),
            Use::Answered(_) => {
                let body = idempotency_slot::replay(tx, app, call, now)?;
                let body = body.ok_or_else(|| {
                    Fault::broken("a kept answer disappeared within its transaction")
                })?;
                return Ok(Repeated::Replayed(body));
            }
        };
        let (subject, expired) = (about.to_bytes(), now.minus(REPEAT));
        if !idempotency::begin(tx, call.owner, slot, subject, now, expired, replaces)? {
            return Err(idempotency_slot::used_elsewhere());
        }
    }
    let is_new = match call.first_report {
        Some(first_report) if may_get_first_report(&payment, call.fingerprint, now) => {
            let (of_store, of_account) =
                ((app.review, call.livemode), (call.owner, call.account.identity));
            !in_review::is_report_in_doubt(tx, of_store, of_account, payment.created_at)?
                && verifications::announce(tx, call.owner, about, first_report)?
        }
        _ => false,
    };
    let payment = receipt::issue_after(tx, call.owner, payment, call.by_hand(), now)?;
    let settling = SettleResult {
        settled: Settled { result: Ok(payment.id), is_new },
        payment: Some(payment),
        balance: credits::balance(tx, call.owner)?,
        had_ended: false,
    };
    let confirmed = call.confirmed(&settling, &app.settings.base_url)?;
    let confirmed = confirmed.ok_or_else(|| Fault::broken("a repeat without a payment"))?;
    let body = (call.render)(&confirmed);
    call.keep(app, tx, &body, about, is_new)?;
    Ok(Repeated::Known(Box::new(settling), body))
}

/// Answers whether a call of that fingerprint may get the first report of a payment: the same call, for a day; and of a payment
/// that a person has left to the next caller, any that asks for it.
pub(super) fn may_get_first_report(
    payment: &Payment,
    fingerprint: Fingerprint,
    now: Timestamp,
) -> bool {
    let is_same = payment.fingerprint == fingerprint.to_bytes();
    (is_same && now.since(payment.created_at) < REPEAT) || is_left_to_callers(payment)
}

/// Answers whether a person accepted the movement of the payment, as a payment of its own.
pub(super) fn is_accepted(payment: &Payment) -> bool {
    let by_acceptor = Fingerprint::of_acceptance(payment.movement, Some(payment.actor));
    payment.fingerprint == by_acceptor.to_bytes() || is_left_to_callers(payment)
}

/// Answers whether a person accepted the payment and left its first report to the next caller who asks for it.
pub(super) fn is_left_to_callers(payment: &Payment) -> bool {
    payment.fingerprint == Fingerprint::of_acceptance(payment.movement, None).to_bytes()
}

/// Notes an attempt that has no verification of its own: its status, with the code of its refusal if it was refused,
/// and which verification it was about.
///
/// # Errors
/// A fault of the store.
pub(super) fn note(
    tx: &mut Tx<'_>,
    call: &Call,
    (status, code): (&str, Option<&str>),
    verification: Option<VerificationId>,
    now: Timestamp,
) -> Result<(), Fault> {
    let month = CaracasMonth::of(now);
    let ordinal = credits::count_attempt(tx, call.owner, call.actor, month)?;
    let entry = call.activity(status, code, now);
    activity::insert(tx, call.owner, call.actor, month, ordinal, &entry, verification)
}
