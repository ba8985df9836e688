//! What may be the same money though another payer is named.
//!
//! A bank's reference is unique in practice within a bank and a day. Two rows of one whole reference,
//! amount and day that name different payers are more often one payment that was reported wrongly
//! than two payments, and to accept one payment twice is what must never happen. So the second is
//! contested: it is no movement of its own, and its owner decides. Another bank of the payer or
//! another amount is another payment.

use super::{Movement, Query, Rule, Sighting, Verdict, find};
use crate::ids::MovementId;

/// A sighting that is no movement of its own, since it may be one that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContestedSighting {
    /// What the bank showed.
    pub seen: Sighting,
    /// The movement that it may be.
    pub with: MovementId,
}

impl ContestedSighting {
    /// The sighting as a movement, under the id of the one that it may be.
    pub(super) fn as_movement(&self) -> Movement {
        self.seen.clone().into_movement(self.with)
    }
}

/// Whether the two are alike in everything but the payer, who is at the same bank as far as is known.
/// Two stable ids are two movements, and the sandbox distinguishes movements by their references.
pub(super) fn differ_by_payer_alone(rule: Rule, one: &Movement, other: &Movement) -> bool {
    rule != Rule::Exact
        && one.reference.is_same_whole(&other.reference)
        && one.amount == other.amount
        && one.paid_on == other.paid_on
        && !(one.bank_key.is_some() && other.bank_key.is_some())
        && one.payer.contradict(&other.payer)
        && !one.payer.are_of_other_bank(&other.payer)
}

/// The claimed movement among those known that may be the same money as `movement`, and names
/// another payer.
#[must_use]
pub fn claimed_twin(rule: Rule, movement: &Movement, known: &[Movement]) -> Option<MovementId> {
    let is_claimed_twin = |other: &&Movement| {
        other.id != movement.id
            && other.claimed.is_some()
            && differ_by_payer_alone(rule, other, movement)
    };
    known.iter().find(is_claimed_twin).map(|other| other.id)
}

/// The movements that `query` names by their whole reference and amount, but with another payer,
/// at the same bank as far as is known.
pub fn named_with_other_payer<'a>(
    query: &'a Query,
    rule: Rule,
    movements: &'a [Movement],
) -> impl Iterator<Item = MovementId> + 'a {
    let unnamed = Query { phone: None, document: None, account: None, ..query.clone() };
    let is_named = move |known: &&Movement| {
        let fits = |asked: &Query| {
            let window = known.paid_on.plus_days(-1)..=known.paid_on.plus_days(1);
            find(asked, rule, std::slice::from_ref(*known), &[], &window) == Verdict::One(known.id)
        };
        let on_the_day = query.paid_on.is_none_or(|day| day.days_apart(known.paid_on) <= 1);
        rule != Rule::Exact
            && on_the_day
            && known
                .references()
                .any(|one| query.reference.is_whole(one) || query.reference.names_whole(one))
            && fits(&unnamed)
            && !fits(query)
    };
    movements.iter().filter(is_named).map(|known| known.id)
}
