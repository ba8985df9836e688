//! Taking in what a bank shows: known already, new, or undecided.

use super::contest::contradict_each_other;
use super::{Movement, Rule, Sighting};
use crate::ids::MovementId;

/// Relation of a sighting to the movements that are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Absorption {
    /// One that is known.
    Same {
        /// Which.
        id: MovementId,
        /// The movement as it is known now, where the sighting says more of it than was known: a
        /// fuller reference, the bank's stable id, the payer, the bank's words.
        learned: Option<Box<Movement>>,
    },
    /// One that was not known.
    New,
    /// It may be any of these: a question with more digits shows which is meant. Nothing is kept of it.
    Ambiguous(Vec<MovementId>),
    /// It may be this one, and says something else of payer, bank or day, or has its stable id and another amount: only
    /// a person can say whether it is. It is kept as a movement that is [contested](Movement::is_contested).
    Contested(MovementId),
    /// One that is kept as contested already.
    ContestedAgain(MovementId),
}

/// Decides what `seen` is, given the movements `known` of the account whose references end alike.
///
/// The same money is shown again by a later scan, by a push and by an answer to a question, with more
/// or fewer digits and a day that may differ by one. It is the same movement where the amount is, the
/// days are at most one apart, the references are one (or the bank's stable id is the same) and
/// nothing said of the payer contradicts it. Two stable ids are two movements. What differs by the
/// payer alone, or by day or bank and not by the payer, is contested, and stays so whenever it is shown again.
#[must_use]
pub fn absorb(rule: Rule, known: &[Movement], seen: &Sighting) -> Absorption {
    let certain = || known.iter().filter(|movement| !movement.is_contested());
    let contested = || known.iter().filter(|movement| movement.is_contested());
    let has_key = |movement: &&Movement| is_keyed_alike(movement, seen);
    let keyed = certain().find(has_key);
    let agreed = keyed.filter(|movement| rule == Rule::Exact || movement.amount == seen.amount);
    let again = || certain().find(|movement| is_very_same(rule, movement, seen));
    if let Some(movement) = agreed.or_else(again) {
        return same(rule, known, movement, seen);
    }
    let is_again = |one: &&Movement| {
        has_key(one)
            || is_very_same(rule, one, seen)
            // Its stable id stays with the one that had it first.
            || (keyed.is_some() && may_be_same(rule, one, seen))
    };
    if let Some(kept) = contested().find(is_again) {
        return Absorption::ContestedAgain(kept.id);
    }
    if let Some(movement) = keyed {
        return Absorption::Contested(movement.id);
    }
    let candidates: Vec<_> =
        certain().filter(|movement| may_be_same(rule, movement, seen)).collect();
    match candidates.as_slice() {
        [] => {
            let alike = |known: &&Movement| {
                contradict_each_other(rule, known, &seen.clone().into_movement(known.id))
            };
            if let Some(kept) = contested().find(|one| may_be_same(rule, one, seen)) {
                return Absorption::ContestedAgain(kept.id);
            }
            let rival = certain().find(alike).or_else(|| contested().find(alike));
            rival.map_or(Absorption::New, |movement| Absorption::Contested(movement.id))
        }
        [one] => same(rule, known, one, seen),
        several => Absorption::Ambiguous(several.iter().map(|movement| movement.id).collect()),
    }
}

/// Answers whether the bank's stable id of both is the same.
fn is_keyed_alike(movement: &Movement, seen: &Sighting) -> bool {
    seen.bank_key.is_some() && movement.bank_key == seen.bank_key
}

/// Tells whether the bank shows again exactly what it showed then. Among several candidates, such a movement is the one
/// that is meant.
fn is_very_same(rule: Rule, movement: &Movement, seen: &Sighting) -> bool {
    movement.reference.is_same(&seen.reference)
        // Two stable ids are two movements.
        && (movement.bank_key.is_none() || movement.bank_key == seen.bank_key)
        && (rule == Rule::Exact
            || (movement.amount == seen.amount
                && movement.paid_on == seen.paid_on
                && movement.paid_at == seen.paid_at
                && movement.payer == seen.payer))
}

fn may_be_same(rule: Rule, movement: &Movement, seen: &Sighting) -> bool {
    let two_ids = movement.bank_key.is_some() && seen.bank_key.is_some();
    match rule {
        // The first sighting fixes everything: a later one has nothing to say but its reference.
        Rule::Exact => movement.reference.is_same(&seen.reference) && !two_ids,
        Rule::Suffix { .. } => {
            movement.reference.is_one_with(&seen.reference)
                && movement.amount == seen.amount
                && movement.paid_on.days_apart(seen.paid_on) <= 1
                && !two_ids
                && !movement.payer.contradict(&seen.payer)
        }
    }
}

fn same(rule: Rule, known: &[Movement], movement: &Movement, seen: &Sighting) -> Absorption {
    let mut learned = movement.clone();
    if seen.reference.is_fuller_than(&movement.reference) {
        learned.reference = seen.reference.clone();
    }
    // The sandbox shows everything at first sight, and what it showed stays.
    if rule != Rule::Exact {
        // A stable id that another movement has already is not this one's.
        if !known.iter().any(|other| other.bank_key == seen.bank_key) {
            learned.bank_key = learned.bank_key.or_else(|| seen.bank_key.clone());
        }
        learned.paid_at = learned.paid_at.or(seen.paid_at);
        learned.payer.learn(&seen.payer);
        // The first words stay; a notice has none.
        if learned.description.is_empty() {
            learned.description = seen.description.clone();
        }
    }
    let is_more = learned != *movement;
    Absorption::Same { id: movement.id, learned: is_more.then(|| Box::new(learned)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bank_text::BankText;
    use crate::matching::PayerFacts;
    use crate::money::Bolivars;
    use crate::reference::BankReference;
    use crate::time::CaracasDate;

    const ID: MovementId = MovementId::from_bytes([1; 16]);
    const SUFFIX: Rule = Rule::Suffix { min_digits: 6 };

    fn seen(reference: &str, text: &str) -> Sighting {
        Sighting {
            reference: BankReference::parse(reference).unwrap(),
            bank_key: None,
            amount: Bolivars::from_hundredths(500),
            paid_on: CaracasDate::from_days(20_000).unwrap(),
            paid_at: None,
            payer: PayerFacts::default(),
            description: BankText::clean(text),
        }
    }

    #[test]
    fn the_fullest_reference_and_the_first_words_of_the_bank_stay() {
        let known = seen("79912345", "").into_movement(ID);
        let fuller = seen("0000079912345", "PAGOMOVIL OTROS BANCOS");
        let learned = fuller.clone().into_movement(ID);
        let absorbed = Absorption::Same { id: known.id, learned: Some(Box::new(learned.clone())) };
        assert_eq!(absorb(SUFFIX, &[known], &fuller), absorbed);
        // Neither fewer zeros nor other words change it, and neither makes it another movement.
        let nothing_new = Absorption::Same { id: learned.id, learned: None };
        for again in ["79912345", "00079912345", "912345"] {
            let again = seen(again, "OTRO TEXTO");
            assert_eq!(absorb(SUFFIX, std::slice::from_ref(&learned), &again), nothing_new);
        }
    }
}
