//! Searches for movements, and the endings that indexes have.

use domain::matching::{Rule, Sighting};
use domain::reference::{SHORT_DIGITS_MIN, TAIL_DIGITS, TypedReference, tail};

use crate::value::Value;

/// A search for movements.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReferenceQuery {
    /// By the whole reference, where no other is the same.
    Whole(String),
    /// By a reference that is the ending of the movement's, or the other way round.
    OneWith(String),
    /// By an ending of fewer digits than the index has.
    ShortEnding(String),
    /// By the bank's stable id.
    BankKey(String),
    /// By the ending of the receipt's reference, where the bank lists it under another.
    Receipt(String),
    /// By the ending of the reference that was typed when it was confirmed by its payer or its owner.
    Typed(String),
}

impl ReferenceQuery {
    /// The references that a caller may mean by what it typed; with zeros in front that may be digits, as it was typed and
    /// without them.
    pub fn from_caller(rule: Rule, reference: &TypedReference) -> impl Iterator<Item = Self> {
        let ending = |digits: &str| {
            let digits = digits.to_owned();
            if digits.len() < TAIL_DIGITS {
                Self::ShortEnding(digits)
            } else {
                Self::OneWith(digits)
            }
        };
        let whole = || Self::Whole(reference.digits().to_owned());
        let bare = reference.without_zeros().filter(|_| rule != Rule::Exact);
        let first = if rule == Rule::Exact { whole() } else { ending(reference.typed()) };
        // One that is all that the bank shows is found by no longer ending. Fewer than four digits fit nothing else.
        let others = bare.map(|bare| {
            let is_ending = bare.count() >= SHORT_DIGITS_MIN;
            let is_apart = bare.count() < TAIL_DIGITS;
            [is_apart.then(whole), is_ending.then(|| ending(bare.digits()))]
        });
        std::iter::once(first).chain(others.into_iter().flatten().flatten())
    }

    /// The same, and what else may be meant where the bank lists some movements under references that no receipt has.
    pub fn named(
        rule: Rule,
        reference: &TypedReference,
        has_receipts: bool,
    ) -> impl Iterator<Item = Self> {
        let digits = || reference.digits().to_owned();
        let others = has_receipts.then(|| [Self::Receipt(digits()), Self::Typed(digits())]);
        Self::from_caller(rule, reference).chain(others.into_iter().flatten())
    }

    /// Searches for what may be the movement that a bank shows.
    pub fn from_bank(rule: Rule, seen: &Sighting) -> impl Iterator<Item = Self> {
        let digits = seen.reference.digits().to_owned();
        let (reference, key) = match rule {
            // The reference is all that distinguishes these.
            Rule::Exact => (Self::Whole(digits), None),
            // A stable id stays where the reference changes.
            Rule::Suffix { .. } => (Self::OneWith(digits), seen.bank_key.clone()),
        };
        std::iter::once(reference).chain(key.map(Self::BankKey))
    }
}

/// The tail as the index has it, its last digit first: those that end alike stand together however few digits are asked
/// for.
pub(crate) fn reversed_suffix(digits: &str) -> String {
    tail(digits).chars().rev().collect()
}

/// The first and the last tail of references that end so.
pub(crate) fn tail_range(digits: &str) -> Vec<Value> {
    let from = reversed_suffix(digits);
    let to = format!("{from:9<TAIL_DIGITS$}");
    vec![from.into(), to.into()]
}
