//! Links that fail because they were tried too often, where their owner wants that.

use std::cmp::Reverse;

use domain::ids::{LinkId, OwnerId};
use domain::links::{ATTEMPTS_COUNTED, State};
use domain::reference::tail;
use domain::refusal::Code;
use domain::time::Timestamp;
use store::fault::Fault;
use store::tx::Tx;
use store::{credits, link_settings, links};

use super::{LinkEvents, LinkOutcome};
use crate::verification::asked::Asked;

/// Fails the link, whose check has just ended without a payment, if it has been tried as often as
/// its owner lets payers try. The caller holds it, so that of two checks that end at once one is
/// the last.
///
/// Only answers count that time cannot change, and one reference once, however often and with however many
/// of its digits it is typed: one payment of somebody's own ends nobody's link. While another check is
/// under way, that one decides: a payer who has paid must not lose to somebody else's mistakes.
///
/// # Errors
/// A fault of the store.
pub(crate) fn fail_if_exhausted(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: LinkId,
    events: &LinkEvents,
    now: Timestamp,
) -> Result<(), Fault> {
    let Some(max) = link_settings::find(tx, owner)?.max_attempts else { return Ok(()) };
    let link = links::find(tx, owner, id)?;
    let Some(mut link) = link.filter(|link| link.standing.may_fail(now)) else { return Ok(()) };
    let mut tried = Vec::new();
    for (asked, code) in links::lasting_answers(tx, owner, id, ATTEMPTS_COUNTED)? {
        let Asked { reference, paid_within, .. } = Asked::from_json(asked.as_str())?;
        // A link in another currency asks for one amount after another: who says the wrong one, or paid a little
        // late, has perhaps paid all the same.
        if paid_within.is_none() || code != Code::PaymentAmountNotValid.as_str() {
            tried.push(reference);
        }
    }
    if u32::try_from(count_apart(&tried)).is_ok_and(|tried| tried < max) {
        return Ok(());
    }
    // Payers read it too, and are not to learn what the bank shows.
    let detail = format!("Se agotaron los intentos de pago ({max}).");
    link.standing.state = State::Failed;
    link.status_detail = Some(detail);
    link.updated_at = now;
    links::end(tx, owner, &link)?;
    let balance = credits::balance(tx, owner)?;
    events.emit(tx, owner, &link, LinkOutcome::Failed, balance, now)
}

/// How many of the references are of different payments for certain. Of two whose last six digits end
/// alike, zeros before them left out, one may be the other with more or fewer of its digits.
fn count_apart(references: &[String]) -> usize {
    let mut endings: Vec<&str> =
        references.iter().map(|digits| tail(digits).trim_start_matches('0')).collect();
    endings.sort_by_key(|ending| Reverse(ending.len()));
    let mut apart: Vec<&str> = Vec::new();
    for ending in endings {
        if !apart.iter().any(|longer| longer.ends_with(ending)) {
            apart.push(ending);
        }
    }
    apart.len()
}

#[cfg(test)]
mod tests {
    use super::count_apart;

    #[test]
    fn digits_more_or_fewer_make_no_other_reference() {
        for (references, apart) in [
            (&["9000456", "456"][..], 1),
            (&["6", "56", "456", "3456", "23456", "123456"], 1),
            (&["110001", "9110001", "79110001", "79110001"], 1),
            (&["79110001", "79210001"], 2),
            (&["1000000"], 1),
            (&[], 0),
        ] {
            let references: Vec<String> = references.iter().map(ToString::to_string).collect();
            assert_eq!(count_apart(&references), apart, "{references:?}");
        }
    }
}
