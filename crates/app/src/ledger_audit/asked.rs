//! What verifications asked, against their fingerprints and against what they found; and to whom it was reported.

use std::sync::atomic::Ordering;

use domain::fingerprint::Fingerprint;
use domain::ids::{OwnerId, VerificationId};
use domain::matching::{Query, Rule};
use domain::money::Bolivars;
use domain::reference::{BankReference, DIGITS_MAX, tail};
use store::difference::Difference;
use store::fault::Fault;
use store::query_audit::{self, Asked as Kept, FoundMovement};
use store::tx::Tx;

use super::{Progress, name};
use crate::verification::asked::Asked;

/// How many verifications are read at once.
const PAGE: i64 = 1_000;

/// Names the owner's verifications that did not ask what their row says, or found something else.
pub(super) fn check(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    progress: &Progress,
    found: &mut Vec<Difference>,
) -> Result<(), Fault> {
    let mut after = VerificationId::from_bytes([0; 16]);
    // The rules of banks are few, and neighbours mostly have the same.
    let mut rule = Rule::Exact;
    loop {
        let page = query_audit::page(tx, owner, after, PAGE)?;
        for kept in &page {
            compare(kept, &mut rule, found);
        }
        progress.verifications.fetch_add(page.len() as u64, Ordering::Relaxed);
        match page.last() {
            Some(last) if page.len() == PAGE as usize => after = last.id,
            _ => return Ok(()),
        }
    }
}

fn compare(kept: &Kept, rule: &mut Rule, found: &mut Vec<Difference>) {
    let query = Asked::from_json(&kept.query).and_then(|asked| asked.query());
    let Ok(query) = query else {
        return name(found, "verifications.query", &kept.id, "nothing that can be asked");
    };
    if !kept.has_first_report_seal {
        let says = "not that of who was told that the payment is new";
        name(found, "verifications.first_report_seal", &kept.id, says);
    }
    match rule_of(kept, &query, *rule) {
        Some(fits) => *rule = fits,
        None if is_acceptance(kept) => {}
        None => {
            let says = "not that of what was asked, on that account, by whom it says";
            name(found, "verifications.fingerprint", &kept.id, says);
        }
    }
    if let Some(owed) = kept.paid
        && query.amount.map(Bolivars::hundredths) != owed
    {
        let says = "not what the check asked for that paid the link";
        name(found, "payment_links.amount", &format!("the link of {}", kept.id), says);
    }
    let Some(movement) = &kept.found else { return };
    if query.amount.is_some_and(|amount| amount.hundredths() != movement.amount) {
        let says = format!("not what {} asked for", kept.id);
        name(found, "movements.amount", &movement.id, &says);
    }
    if !is_known_by(movement, &query) {
        let says = format!("the movement is not known by the reference that {} asked for", kept.id);
        name(found, "movements.reference", &movement.id, &says);
    }
}

/// The rule by which the fingerprint is that of what was asked: `first`, or any other that a bank can have. A bank's
/// rule is no fact of the row, and another version may have another.
fn rule_of(kept: &Kept, query: &Query, first: Rule) -> Option<Rule> {
    let suffixes = (1..=DIGITS_MAX as u32).map(|min_digits| Rule::Suffix { min_digits });
    [first, Rule::Exact].into_iter().chain(suffixes).find(|rule| is_fingerprint(kept, query, *rule))
}

/// Tells whether the row has the fingerprint of its question by that rule. In the place of the asker, a payer's check
/// has its link, and a check that a person accepted has its movement.
fn is_fingerprint(kept: &Kept, query: &Query, rule: Rule) -> bool {
    let accepted = || kept.found.as_ref().map(|movement| movement.id.to_bytes());
    let askers = match kept.link {
        None => [Some(kept.actor.to_bytes()), None],
        Some(link) => [Some(link.to_bytes()), accepted()],
    };
    // Who asked for tomorrow was taken to mean today, and the same call is known by what it said.
    let said = query.paid_on.map(|day| Query { paid_on: Some(day.plus_days(1)), ..query.clone() });
    let is = |asker, query| Fingerprint::of(asker, kept.identity, rule, query) == kept.fingerprint;
    askers
        .into_iter()
        .flatten()
        .any(|asker| is(asker, query) || said.as_ref().is_some_and(|said| is(asker, said)))
}

/// Answers whether the row has the fingerprint of a person's acceptance of its movement, for that person or for a caller.
fn is_acceptance(kept: &Kept) -> bool {
    let Some(movement) = kept.found.as_ref().filter(|_| kept.link.is_none()) else { return false };
    let of = |acceptor| Fingerprint::of_acceptance(movement.id, acceptor) == kept.fingerprint;
    of(Some(kept.actor)) || of(None)
}

/// Tells whether a movement may be known by the reference that was asked for: that one or one of the movement's own is
/// the ending of the other. The bank may have shown the movement with more digits since. It may have shown a movement
/// with a stable id of the bank's under another reference.
fn is_known_by(movement: &FoundMovement, query: &Query) -> bool {
    let (digits, zeros) = &movement.reference;
    // What cannot be read is named by the movement's seal.
    let Ok(reference) = BankReference::from_stored(digits, *zeros) else { return true };
    let others = movement.other_references.iter().flatten();
    let others = others.filter_map(|digits| BankReference::parse(digits).ok());
    let asked = query.reference.tail();
    movement.bank_key.is_some()
        || others.chain([reference]).any(|known| {
            let known = tail(known.digits());
            known.ends_with(asked) || asked.ends_with(known)
        })
}
