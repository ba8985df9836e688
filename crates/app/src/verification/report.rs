//! The page of a verification reports its payment as new: once, to the person who had it looked for.
//!
//! A person who sends a form is led to that page, so the answer to the form says nothing that would be said again when
//! it is sent again. Whichever node shows the page first takes the report by a conditional update.

use std::sync::Arc;

use domain::access::ShowVerification;
use domain::ids::FirstReportId;
use domain::verification::State;
use store::tx::Tx;
use store::verifications;

use super::explain::Explained;
use super::first_report::FirstReportGuard;
use super::in_review::is_report_in_doubt;
use super::repeat::{is_left_to_callers, may_get_first_report};
use crate::{Act, App, Error};

/// Takes the first report of a payment for the page that is about to be shown. `None` where it was reported before, and
/// to anybody but the person who had it looked for within a day.
///
/// # Errors
/// A caller who is not admitted any more, or a failure of the store.
pub async fn report(
    app: &Arc<App>,
    act: &Act<ShowVerification>,
    found: &Explained,
) -> Result<Option<FirstReportGuard>, Error> {
    let row = &found.shown.row;
    let is_open = row.state == State::Confirmed && row.link.is_none() && row.reported_by.is_none();
    let payment = found.shown.payment.as_ref().map(|whole| &whole.payment).filter(|payment| {
        // What a person has left to a caller is reported by no page.
        payment.verification == row.id
            && !is_left_to_callers(payment)
            && may_get_first_report(payment, row.fingerprint, act.now)
    });
    let Some(payment) = payment.filter(|_| is_open && row.actor == act.actor()) else {
        return Ok(None);
    };
    let (owner, id, made_at) = (act.owner(), row.id, payment.created_at);
    let (of_store, of_account) = ((app.review, found.shown.livemode), (owner, row.identity));
    let first_report = FirstReportId::new(app.ids.as_ref(), act.now);
    // Made before: a page that nobody waits for any more gives back what it takes.
    let guard = FirstReportGuard::of_page(app, owner, id, first_report);
    let job = move |tx: &mut Tx<'_>| {
        Ok(!is_report_in_doubt(tx, of_store, of_account, made_at)?
            && verifications::announce(tx, owner, id, first_report)?)
    };
    if act.write_again(app, job).await? {
        return Ok(Some(guard));
    }
    guard.delivered();
    Ok(None)
}
