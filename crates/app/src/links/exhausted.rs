//! Links that fail because they were tried too often, where their owner wants that.

use std::collections::HashSet;

use domain::ids::{LinkId, OwnerId};
use domain::links::ATTEMPTS_COUNTED;
use domain::reference::tail;
use domain::time::Timestamp;
use domain::webhooks::Outcome;
use store::fault::Fault;
use store::tx::Tx;
use store::{credits, link_settings, links};

use super::Teller;
use crate::verification::asked::Asked;

/// Fails the link, whose check has just ended without a payment, if it has been tried as often as
/// its owner lets payers try. The caller holds it, so that of two checks that end at once one is
/// the last.
///
/// Only answers count that time cannot change, and one reference once, however often and with however
/// many of its digits it is typed: one payment of somebody's own ends nobody's link. While another check is
/// under way, that one decides: whoever has paid is not to lose to somebody else's mistakes.
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
    let mut tried = HashSet::new();
    for asked in links::lasting_answers(tx, owner, id, ATTEMPTS_COUNTED)? {
        let reference = Asked::from_json(asked.as_str())?.reference;
        tried.insert(tail(&reference).to_owned());
    }
    if u32::try_from(tried.len()).is_ok_and(|tried| tried < max) {
        return Ok(());
    }
    // Payers read it too, and are not to learn what the bank shows.
    let detail = format!("Se agotaron los intentos de pago ({max}).");
    links::exhaust(tx, owner, id, &detail, now)?;
    let balance = credits::balance(tx, owner)?;
    teller.tell(tx, owner, &link, Outcome::Failed { detail: &detail }, balance, now)
}
