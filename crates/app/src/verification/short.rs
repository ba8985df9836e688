//! Limits of questions with few digits, whose answers show what is there.

use domain::refusal::Refusal;
use domain::time::Timestamp;
use store::fault::Fault;
use store::short_references;
use store::tx::Tx;
use store::verifications::{NewVerification, Verification};

use super::call::{AdmittedBy, Call};
use super::settlement::SettleInput;

/// The reference, where it is so short that only a payer whom the bank confirms makes it enough: any other answer says
/// whether there is such a payment.
pub(super) fn reference(call: &Call) -> Option<String> {
    let asks = matches!(call.admitted, AdmittedBy::Caller(_));
    let is_short = asks && call.query.needs_payer(call.rule);
    is_short.then(|| call.query.reference.typed().to_owned())
}

/// Answers whether the bank is asked about one more short reference. One with an amount and a payer always is: the bank
/// may confirm them. Where it does not, [`is_one_too_many`] decides.
///
/// # Errors
/// A fault of the store.
pub(super) fn decide(
    tx: &mut Tx<'_>,
    call: &Call,
    new: &NewVerification,
    now: Timestamp,
) -> Result<Result<(), Refusal>, Fault> {
    if new.short_reference.is_none() || call.query.lacks(call.rule).is_none() {
        return Ok(Ok(()));
    }
    let asked = (new.actor, new.bank, &call.query.reference);
    let is_over = short_references::asked_too_many(tx, call.owner, asked, now)?;
    Ok(if is_over { Err(Refusal::ReferenceTooShort) } else { Ok(()) })
}

/// Answers whether the caller is no longer told that there is no such payment: enough short references with a payer
/// made up would show all that is there.
///
/// # Errors
/// A fault of the store.
pub(super) fn is_one_too_many(
    tx: &mut Tx<'_>,
    work: &SettleInput,
    row: &Verification,
) -> Result<bool, Fault> {
    if row.link.is_some() || !work.query.needs_payer(work.rule) {
        return Ok(false);
    }
    let asked = (row.actor, row.bank, &work.query.reference);
    short_references::asked_too_many(tx, work.owner, asked, work.now)
}
