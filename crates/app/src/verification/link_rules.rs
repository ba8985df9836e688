//! Whether a payer's check of a link may begin, and what its owner is notified of where it may not.

use domain::ids::{LinkId, OwnerId, VerificationId};
use domain::links::{
    ACCOUNT_ATTEMPTS_MAX, ATTEMPTS_MAX, account_may_attempt, asks_account, may_attempt,
};
use domain::notices::Notice;
use domain::refusal::{LinkRefusal, Refusal};
use domain::time::Timestamp;
use store::fault::Fault;
use store::tx::Tx;
use store::{links, notices, verifications};

use super::call::Call;
use super::settlement::notice_of;
use crate::links::owed_by;

/// Decision about whether a check may begin.
pub(super) enum Admission {
    /// It may.
    Admitted,
    /// It has: the same write, whose answer was lost.
    Begun,
    /// The link takes none, or none now.
    Refused(Refusal),
}

/// Decides whether a check of a link may begin, and holds the link until the transaction ends. A
/// call of the API needs no link's leave.
///
/// # Errors
/// A fault of the store.
pub(super) fn admit(
    tx: &mut Tx<'_>,
    call: &Call,
    id: VerificationId,
    now: Timestamp,
) -> Result<Admission, Fault> {
    let Some(link) = call.link else { return Ok(Admission::Admitted) };
    let link = links::find_held(tx, call.owner, link)?;
    let link = link.ok_or_else(|| Fault::broken("a check without its link"))?;
    if verifications::find(tx, call.owner, id)?.is_some() {
        return Ok(Admission::Begun);
    }
    if !link.standing.takes_attempts(now) {
        return Ok(Admission::Refused(Refusal::Link(LinkRefusal::Closed)));
    }
    // It was asked for what the payer saw; what the link asks for now may be more.
    let owed = owed_by(tx, call.owner, &link, call.query.amount)?;
    // In another currency the times may have become more meanwhile, which changes nothing of what was seen. Where there are
    // times now and were none, or none any more, it is the currency that has changed, though not the amount.
    let is_bound = call.query.paid_within.is_some();
    if owed.is_none_or(|owed| owed.paid_within.is_some() != is_bound) {
        return Ok(Admission::Refused(Refusal::Link(LinkRefusal::Changed)));
    }
    let latest = links::latest_attempts(tx, call.owner, link.id, ATTEMPTS_MAX, now)?;
    let mut may = may_attempt(&latest, now);
    if may.is_ok() && asks_account(&latest, now) {
        let oldest =
            links::nth_latest_failed_check(tx, call.owner, link.bank, ACCOUNT_ATTEMPTS_MAX, now)?;
        may = account_may_attempt(oldest, now);
    }
    Ok(match may {
        Ok(()) => Admission::Admitted,
        Err(retry_after) => Admission::Refused(Refusal::TooManyRequests { retry_after }),
    })
}

/// Notifies the owner that a check was refused because plan, limits or balance leave no room.
///
/// # Errors
/// A fault of the store.
pub(super) fn notify_refused(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    link: LinkId,
    (id, refusal): (VerificationId, &Refusal),
    now: Timestamp,
) -> Result<(), Fault> {
    let notice = match refusal {
        Refusal::PlanNotActive | Refusal::PlanRequestLimit { .. } => {
            Notice::link_refused_by_plan(link)
        }
        _ => Notice::link_refused_for_credits(link),
    };
    notices::notify(tx, owner, notice_of(id), &notice, now)
}
