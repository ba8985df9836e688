//! Rows that may be the same money though the bank says something else of them.
//!
//! A bank's reference is unique in practice within a bank and a day. Two rows of one whole reference,
//! amount and day that name different payers are more often one payment that was reported wrongly
//! than two payments, and so are two of one whole reference, amount and payer on different days, or
//! from different banks; and to accept one payment twice is what must never happen. So the second is
//! contested: it is kept and shown, no question finds it, and its owner decides. Another amount is another payment.

use super::{Movement, Query, Rule, Verdict, find};
use crate::ids::MovementId;

/// How many days a bank's two accounts of one payment may be apart.
const DAYS_APART_MAX: u32 = 7;

/// Answers whether the two may be one payment of which the bank says different things.
/// Two stable ids are two movements, and the sandbox distinguishes movements by their references.
pub(super) fn contradict_each_other(rule: Rule, one: &Movement, other: &Movement) -> bool {
    rule != Rule::Exact
        && one.amount == other.amount
        && !(one.bank_key.is_some() && other.bank_key.is_some())
        && (differ_by_payer_alone(one, other) || differ_but_for_payer(one, other))
}

/// Answers whether the two are alike in everything but the payer, who is at the same bank as far as is known.
fn differ_by_payer_alone(one: &Movement, other: &Movement) -> bool {
    one.reference.is_same_whole(&other.reference)
        && one.paid_on == other.paid_on
        && one.payer.contradict(&other.payer)
        && !one.payer.are_of_other_bank(&other.payer)
}

/// Answers whether the two are of one whole reference and of one payer, by phone or document, and differ in the day, by a week
/// at most, or in the payer's bank.
fn differ_but_for_payer(one: &Movement, other: &Movement) -> bool {
    one.reference.shares_whole(&other.reference)
        && one.payer.agree(&other.payer)
        && one.paid_on.days_apart(other.paid_on) <= DAYS_APART_MAX
        && (one.paid_on != other.paid_on || one.payer.are_of_other_bank(&other.payer))
}

/// The claimed movement among those known that may be the same money as `movement`, of which the bank says something
/// else: by what it says now, or because one was contested with the other when it was first shown.
#[must_use]
pub fn claimed_twin<'a>(
    rule: Rule,
    movement: &Movement,
    known: &'a [Movement],
) -> Option<&'a Movement> {
    let is_claimed_twin = |other: &&Movement| {
        other.id != movement.id
            && other.claimed.is_some()
            && (contradict_each_other(rule, other, movement)
                || other.contested_with == Some(movement.id)
                || movement.contested_with == Some(other.id))
    };
    known.iter().find(is_claimed_twin)
}

/// The movements that `query` names by their whole reference and amount, but with another payer.
pub fn named_with_other_payer<'a>(
    query: &'a Query,
    rule: Rule,
    movements: &'a [Movement],
) -> impl Iterator<Item = MovementId> + 'a {
    let unnamed =
        Query { phone: None, document: None, account: None, bank_origin: None, ..query.clone() };
    let is_named = move |known: &&Movement| {
        let fits = |asked: &Query| {
            let window = known.paid_on.plus_days(-1)..=known.paid_on.plus_days(1);
            find(asked, rule, std::slice::from_ref(*known), &window) == Verdict::One(known.id)
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
