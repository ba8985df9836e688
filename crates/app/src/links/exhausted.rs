//! Links that fail because they were tried too often, where their owner wants that.

use domain::ids::{LinkId, OwnerId};
use domain::links::State;
use domain::time::Timestamp;
use domain::webhooks::Outcome;
use store::fault::Fault;
use store::tx::Tx;
use store::{credits, link_settings, links};

use super::Teller;

/// Fails the link, whose check has just ended without a payment, if it has been tried as often as
/// its owner lets payers try. The caller holds it, so that of two checks that end at once one is
/// the last.
///
/// Only answers count that time cannot change. While another check is under way, that one decides:
/// whoever has paid is not to lose to somebody else's mistakes.
///
/// # Errors
/// A fault of the store.
pub(crate) fn fail_if_exhausted(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: LinkId,
    teller: &Teller,
    now: Timestamp,
) -> Result<(), Fault> {
    let Some(max) = link_settings::find(tx, owner)?.max_attempts else { return Ok(()) };
    let link = links::find(tx, owner, id)?;
    let Some(link) = link.filter(|link| link.standing.may_fail(now)) else { return Ok(()) };
    if links::lasting_answers(tx, owner, id, max)? < max {
        return Ok(());
    }
    // Payers read it too, and are not to learn what the bank shows.
    let detail = format!("Se agotaron los intentos de pago ({max}).");
    links::end(tx, owner, id, (State::Failed, Some(&detail)), now)?;
    let balance = credits::balance(tx, owner)?;
    teller.tell(tx, owner, &link, Outcome::Failed { detail: &detail }, balance, now)
}
