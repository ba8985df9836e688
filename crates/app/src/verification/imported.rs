//! Movements and references that another system accepted before the shop came here: nobody claims them again.

use domain::matching::Movement;
use domain::reference::WHOLE_DIGITS;
use domain::verification::Failed;
use store::fault::Fault;
use store::tx::Tx;
use store::verifications::Verification;
use store::{imported_claims, movements};

use super::settlement::SettleInput;

/// The end of a question that means the movement, where it was accepted elsewhere. The caller holds the account, of which
/// claims were imported or not. The movement is read again: the bank may have shown it, or more of it, just now.
///
/// # Errors
/// A fault of the store.
pub(super) fn end_of(
    tx: &mut Tx<'_>,
    work: &SettleInput,
    has_imported_claims: bool,
    (movement, is_by_payer): (&Movement, bool),
) -> Result<Option<Failed>, Fault> {
    if !has_imported_claims || movement.claimed.is_some() {
        return Ok(None);
    }
    let kept = movements::find_one(tx, work.owner, work.identity, movement.id)?;
    // One that is meant by its payer is known by what was typed, which the bank does not show.
    let is_used =
        kept.is_some_and(|kept| kept.is_imported) || (is_by_payer && is_typed_imported(tx, work)?);
    Ok(is_used.then_some(Failed::AlreadyReconciled))
}

/// The end of a question that finds nothing: the bank may have forgotten what was accepted elsewhere. A payer's page says
/// nothing of what is not found.
///
/// # Errors
/// A fault of the store.
pub(super) fn end_in_place_of(
    tx: &mut Tx<'_>,
    work: &SettleInput,
    has_imported_claims: bool,
    (row, failed): (&Verification, Failed),
) -> Result<Failed, Fault> {
    let is_asked = has_imported_claims && row.link.is_none();
    let is_asked = is_asked && matches!(failed, Failed::NotFound { .. });
    Ok(if is_asked && is_typed_imported(tx, work)? { Failed::AlreadyReconciled } else { failed })
}

/// Tells whether what was typed is the whole reference of an imported claim.
fn is_typed_imported(tx: &mut Tx<'_>, work: &SettleInput) -> Result<bool, Fault> {
    let SettleInput { owner, identity, .. } = *work;
    let digits = work.query.reference.digits();
    let is_whole = digits.len() >= WHOLE_DIGITS;
    Ok(is_whole && imported_claims::is_named(tx, owner, identity, digits, work.query.amount)?)
}
