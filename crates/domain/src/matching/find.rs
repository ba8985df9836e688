//! Looking for the movement that a question means.

use std::collections::HashSet;
use std::ops::RangeInclusive;

use super::{Movement, PayerFacts, PayerForm, Query, Rule, Verdict};
use crate::ids::PaymentId;
use crate::payer::Document;
use crate::reference::{TAIL_DIGITS, TypedReference, shared};
use crate::time::CaracasDate;

/// Finds the movement that `query` means among `movements`, of which those outside `window` do not
/// count. Those that are [contested](Movement::is_contested) are never found. Under
/// [`Rule::Exact`] days do not matter. The reference is compared as it was typed; only where that means nothing at all,
/// not even another amount, it is compared without the zeros in front. Where nothing is meant because too few digits
/// were typed, that is what is said.
#[must_use]
pub fn find(
    query: &Query,
    rule: Rule,
    movements: &[Movement],
    window: &RangeInclusive<CaracasDate>,
) -> Verdict {
    let typed = query.reference.count();
    let mut verdicts =
        query.readings(rule).map(|one| find_as(&one, typed, rule, movements, window));
    let found = verdicts.find(|verdict| *verdict != Verdict::NotFound);
    let would_fit = || {
        movements.iter().any(|known| {
            window.contains(&known.paid_on)
                && is_named(query, rule, known)
                && !contradicts(query, known)
                && is_paid(query, known)
        })
    };
    match found {
        Some(verdict) => verdict,
        None if !query.is_strong(rule) && would_fit() => Verdict::TooShort,
        None => Verdict::NotFound,
    }
}

/// The same by one reading of what was typed, which had so many digits.
fn find_as(
    query: &Query,
    typed: usize,
    rule: Rule,
    movements: &[Movement],
    window: &RangeInclusive<CaracasDate>,
) -> Verdict {
    let in_time = |movement: &&Movement| rule == Rule::Exact || window.contains(&movement.paid_on);
    let (contested, meant): (Vec<_>, Vec<_>) = movements
        .iter()
        .filter(in_time)
        .filter(|known| may_mean(query, rule, known))
        .partition(|known| known.is_contested());
    let paid: Vec<_> = meant.iter().copied().filter(|known| is_paid(query, known)).collect();
    let is_alone = |known: &&Movement| !is_accepted_as_another(known, &paid);
    let fits: Vec<_> = paid.iter().copied().filter(is_alone).collect();
    // What may be a movement that fits adds nothing to it: the money came in once for certain.
    let is_of = |doubt: &Movement| fits.iter().any(|known| Some(known.id) == doubt.contested_with);
    let mut doubted = contested.into_iter().filter(|seen| is_paid(query, seen) && !is_of(seen));
    match (fits.as_slice(), doubted.next()) {
        ([one], None) => return Verdict::One(one.id),
        ([], None) => {}
        ([], Some(first)) => {
            let digits = u32::try_from(typed).unwrap_or(u32::MAX);
            return Verdict::Contested { with: first.contested_with.unwrap_or(first.id), digits };
        }
        (several, more) => {
            let all: Vec<_> = several.iter().copied().chain(more).chain(doubted).collect();
            return Verdict::Ambiguous { digits_needed: digits_needed(query, typed, &all) };
        }
    }
    let incoming = meant.iter().filter(|known| known.amount.is_positive());
    if let Some(other) = incoming.max_by_key(|known| (known.paid_on, known.paid_at)) {
        return Verdict::OtherAmount { amount: other.amount };
    }
    meant.first().map_or(Verdict::NotFound, |outgoing| Verdict::Outgoing(outgoing.id))
}

/// Finds the movement that callers named as `query` does when it was confirmed by its payer. What a caller typed is
/// weaker than what a bank said: ask for it where [`find`] finds nothing. A movement of another amount is none.
#[must_use]
pub fn find_typed(
    query: &Query,
    rule: Rule,
    movements: &[Movement],
    window: &RangeInclusive<CaracasDate>,
) -> Verdict {
    let find_as = |query: &Query| {
        let is_meant = |known: &&Movement| {
            window.contains(&known.paid_on)
                && is_named_as_typed(query, known)
                && is_described(query, rule, known)
                && is_paid(query, known)
        };
        let meant: Vec<_> = movements.iter().filter(is_meant).collect();
        match meant.as_slice() {
            [] => Verdict::NotFound,
            [one] => Verdict::One(one.id),
            _ => Verdict::Ambiguous { digits_needed: longest_typed(&meant) },
        }
    };
    let mut verdicts = query.readings(rule).map(|one| find_as(&one));
    verdicts.find(|verdict| *verdict != Verdict::NotFound).unwrap_or(Verdict::NotFound)
}

/// Tells whether the reference typed now names the movement by the reference that was typed when it was confirmed: it
/// is the ending of that one, or the fuller form of one of six digits. Fewer digits are soon typed again, and name it
/// on its day alone.
fn is_named_as_typed(query: &Query, movement: &Movement) -> bool {
    let Some(before) = &movement.typed else { return false };
    let now = query.reference.typed();
    let shared = shared(now, before.typed()).unwrap_or_default();
    let is_ending = before.typed().ends_with(now);
    let is_of_day = query.paid_on.is_none_or(|day| day == movement.paid_on);
    shared >= TAIL_DIGITS || (is_ending && is_of_day)
}

/// How many digits the longest of what was typed for the movements has.
fn longest_typed(movements: &[&Movement]) -> u32 {
    let typed = movements.iter().filter_map(|known| known.typed.as_ref());
    let longest = typed.map(|typed| typed.typed().len()).max().unwrap_or_default();
    u32::try_from(longest).unwrap_or(u32::MAX)
}

/// Tells whether `query` repeats what a movement was confirmed by without a reference of the bank's: the reference that
/// was typed then, digit by digit, and the payer.
pub(super) fn repeats_typed(query: &Query, rule: Rule, movement: &Movement) -> bool {
    let is_same = |typed: &TypedReference| typed.digits() == query.reference.digits();
    let on_the_day = query.paid_on.is_none_or(|day| day.days_apart(movement.paid_on) <= 1);
    movement.typed.as_ref().is_some_and(is_same)
        && on_the_day
        && is_named_as_typed(query, movement)
        && confirms(query, &movement.payer)
        && is_described(query, rule, movement)
        && is_paid(query, movement)
}

/// Tells whether a movement is what `query` means beyond doubt, by its whole reference. Then a claimed one is a repeat,
/// and the bank need not be asked. The day counts where the query says one, since banks use short references again.
pub(super) fn whole_match(query: &Query, rule: Rule, movement: &Movement) -> bool {
    let on_the_day = rule == Rule::Exact
        || query.paid_on.is_none_or(|day| day.days_apart(movement.paid_on) <= 1);
    movement.references().any(|reference| query.reference.is_whole(reference))
        && on_the_day
        && may_mean(query, rule, movement)
        && is_paid(query, movement)
}

/// The payment that claims the one of these movements that `query` means beyond doubt. Two of one whole reference are
/// for the bank and the rules of [`find`] to distinguish, no matter who has claimed one of them; but what is contested
/// adds nothing to the one that it may be.
#[must_use]
pub fn known_claim(query: &Query, rule: Rule, movements: &[Movement]) -> Option<PaymentId> {
    let is_meant = |query: &Query, movement: &Movement| {
        whole_match(query, rule, movement) || repeats_typed(query, rule, movement)
    };
    let meant = |movement: &&Movement| query.readings(rule).any(|one| is_meant(&one, movement));
    let meant: Vec<_> = movements.iter().filter(|one| !one.is_contested()).filter(meant).collect();
    let mut alone = meant.iter().filter(|one| !is_accepted_as_another(one, &meant));
    let first = alone.next()?;
    first.claimed.filter(|_| alone.next().is_none())
}

/// Answers whether one of these movements may be the same money as this unclaimed one, was contested with it, and was
/// accepted by a person all the same: then that payment is what a question means.
fn is_accepted_as_another(movement: &Movement, others: &[&Movement]) -> bool {
    let is_it =
        |other: &&Movement| other.claimed.is_some() && other.contested_with == Some(movement.id);
    movement.claimed.is_none() && others.iter().any(is_it)
}

/// Tells whether no other payment can be meant than this movement, which fits, even by one that the bank has not shown
/// yet: the whole reference was typed, or six digits and a phone or document that the bank says too.
#[must_use]
pub fn is_certain(query: &Query, rule: Rule, movement: &Movement) -> bool {
    rule == Rule::Exact
        || movement.references().any(|reference| query.reference.names_whole(reference))
        || (confirms(query, &movement.payer)
            && query
                .readings(rule)
                .any(|one| one.is_strong(rule) && is_named(&one, rule, movement)))
}

/// Tells whether `query` may mean this movement, if its amount is right.
fn may_mean(query: &Query, rule: Rule, movement: &Movement) -> bool {
    is_named(query, rule, movement) && is_described(query, rule, movement)
}

/// Tells whether the caller says enough of the movement beside its reference, and nothing that contradicts it. Where so
/// few digits name it by the amount alone, the amount must be equal.
fn is_described(query: &Query, rule: Rule, movement: &Movement) -> bool {
    let has_amount = || query.amount == Some(movement.amount);
    !query.is_too_short(rule)
        && query.lacks(rule).is_none()
        && (query.is_strong(rule)
            || (query.is_enough_with_amount(rule) && has_amount())
            || confirms(query, &movement.payer))
        && !contradicts(query, movement)
}

/// Tells whether the reference that was typed may be one of the movement's.
fn is_named(query: &Query, rule: Rule, movement: &Movement) -> bool {
    match rule {
        Rule::Exact => query.reference.is_whole(&movement.reference),
        Rule::Suffix { .. } => {
            movement.references().any(|reference| query.reference.matches_as_typed(reference))
        }
    }
}

/// Tells whether the amount that was asked for came in, while it was owed.
fn is_paid(query: &Query, movement: &Movement) -> bool {
    movement.amount.is_positive()
        && query.amount.is_none_or(|asked| asked == movement.amount)
        && query.paid_within.as_ref().is_none_or(|times| times.contains(movement))
}

/// Tells whether the bank says something else of the payer than the caller.
fn contradicts(query: &Query, movement: &Movement) -> bool {
    asked_payer(query).contradict(&movement.payer)
}

/// The payer that the caller names.
pub(super) fn asked_payer(query: &Query) -> PayerFacts {
    PayerFacts {
        bank: query.bank_origin.clone(),
        phone: query.phone.clone(),
        document: query.document.clone(),
        account: query.account.clone(),
        form: PayerForm::Known,
    }
}

/// Answers whether the bank says the same phone or document of the payer as the caller, and says that in a form that is known.
#[must_use]
pub fn confirms(query: &Query, payer: &PayerFacts) -> bool {
    let both = query.document.as_ref().zip(payer.document.as_ref());
    let phone = query.phone.is_some() && query.phone == payer.phone;
    let document = both.is_some_and(|(one, other)| Document::is_same_person(one, other));
    (phone && payer.form.proves_phone()) || (document && payer.form.proves_document())
}

/// Tells whether the caller knows who paid, as far as the bank says it: its phone or its document is the bank's, or the
/// bank says neither. Nobody is asked for what the bank does not say; but nobody knows who paid where the bank says it
/// in a form that is not known.
#[must_use]
pub fn knows_payer(query: &Query, payer: &PayerFacts) -> bool {
    let is_stated = payer.phone.is_some() || payer.document.is_some();
    let is_silent = !is_stated && payer.form == PayerForm::Known;
    is_silent || confirms(query, payer)
}

/// The fewest last digits, more than the `typed`, that no two of the movements share; as many as the
/// longest has, where digits cannot distinguish them.
fn digits_needed(query: &Query, typed: usize, movements: &[&Movement]) -> u32 {
    // Each by the reference of its own that was typed.
    let named = |known: &'_ &Movement| {
        let mut references = known.references();
        references
            .find(|one| query.reference.matches_as_typed(one))
            .unwrap_or(&known.reference)
            .clone()
    };
    let named: Vec<_> = movements.iter().map(named).collect();
    let longest = named.iter().map(|one| one.digits().len()).max().unwrap_or_default();
    let apart = |digits: &usize| {
        let mut endings = HashSet::new();
        named.iter().all(|one| {
            let whole = one.digits();
            endings.insert(whole.split_at(whole.len().saturating_sub(*digits)).1)
        })
    };
    let needed = (typed + 1..longest).find(apart).unwrap_or(longest);
    u32::try_from(needed).unwrap_or(u32::MAX)
}
