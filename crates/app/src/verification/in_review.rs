//! Movements that nobody claims by a question, since the store was put back from a copy: a person may have accepted them
//! after it.

use domain::ids::{IdentityId, OwnerId};
use domain::matching::Movement;
use domain::money::Credits;
use domain::review::ReviewWindow;
use domain::time::Timestamp;
use domain::verification::Failed;
use store::fault::Fault;
use store::tx::Tx;

use super::call::Call;
use super::settlement::SettleInput;
use crate::App;
use crate::review::open_window;

/// The end of a question that means the movement, where a person must look at it first. The caller holds the account.
///
/// # Errors
/// A fault of the store.
pub(super) fn end_of(
    tx: &mut Tx<'_>,
    work: &SettleInput,
    movement: &Movement,
) -> Result<Option<Failed>, Fault> {
    let window = open_window(tx, (work.review, work.livemode), (work.owner, work.identity))?;
    let window = window.filter(|window| window.covers(movement));
    Ok(window.map(Failed::NeedsReview))
}

/// Answers whether a payment that was made then may have been reported as new after the copy, which does not know it: nobody
/// gets its first report while the account is reviewed.
///
/// # Errors
/// A fault of the store.
pub(super) fn is_report_in_doubt(
    tx: &mut Tx<'_>,
    of_store: (Option<ReviewWindow>, bool),
    of_account: (OwnerId, IdentityId),
    made_at: Timestamp,
) -> Result<bool, Fault> {
    let window = open_window(tx, of_store, of_account)?;
    Ok(window.is_some_and(|window| window.is_before(made_at)))
}

/// The price of a person's acceptance: nothing where the movement may have been paid for before the store was put back.
///
/// # Errors
/// A fault of the store.
pub(super) fn price(
    tx: &mut Tx<'_>,
    app: &App,
    call: &Call,
    movement: &Movement,
) -> Result<Credits, Fault> {
    let of = (call.owner, call.account.identity);
    let window = open_window(tx, (app.review, call.livemode), of)?;
    let is_free = window.is_some_and(|window| window.covers(movement));
    Ok(if is_free { Credits::ZERO } else { call.price(&app.settings) })
}
