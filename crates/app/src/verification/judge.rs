//! What the movements say to a question: by its reference, or where that finds nothing, by who paid.

use std::borrow::Cow;

use domain::ids::MovementId;
use domain::matching::{
    Movement, PayerFacts, Query, Rule, Verdict, claimed_twin, find, knows_payer,
    named_with_other_payer,
};
use domain::notices::Notice;
use domain::verification::Answer;
use store::fault::Fault;
use store::notices;
use store::tx::Tx;
use store::verifications::Verification;

use super::same_bank;
use super::settlement::{Judged, Seen, SettleInput, window};

/// Judges the question by the movements: by its reference or, where that says nothing, by its payer.
pub(super) fn judge(
    tx: &mut Tx<'_>,
    work: &SettleInput,
    row: &Verification,
    seen: &Seen,
) -> Result<Judged, Fault> {
    let verdict = judge_by_reference(tx, work, row, seen)?;
    match (verdict, &work.answer) {
        (Verdict::NotFound, Answer::Shown { .. }) => judge_by_payer(tx, work, row, seen),
        // The payer may still say which is meant. A link's page has one text for all short ones.
        (Verdict::TooShort, Answer::Shown { .. }) => {
            let judged = judge_by_payer(tx, work, row, seen)?;
            let is_left = judged.verdict == Verdict::NotFound && row.link.is_none();
            Ok(if is_left { verdict.into() } else { judged })
        }
        (Verdict::OtherAmount { .. }, _) => {
            Ok(Judged::from(verdict).waiting(paid_at_another_time(work, row, seen)))
        }
        _ => Ok(verdict.into()),
    }
}

/// The movement that is meant by its payer, unless it may be the money of a movement that was claimed.
fn judge_by_payer(
    tx: &mut Tx<'_>,
    work: &SettleInput,
    row: &Verification,
    seen: &Seen,
) -> Result<Judged, Fault> {
    let judged = same_bank::judge_by_payer(tx, work, row, seen)?;
    Ok(match unless_claimed_as_another(work, judged.verdict, &seen.known) {
        contested @ Verdict::Contested { .. } => contested.into(),
        _ => judged,
    })
}

/// Judges the question by its reference alone. Nothing is claimed that may be a movement which was claimed before,
/// though it names another payer.
fn judge_by_reference(
    tx: &mut Tx<'_>,
    work: &SettleInput,
    row: &Verification,
    seen: &Seen,
) -> Result<Verdict, Fault> {
    let (SettleInput { rule, .. }, Seen { known, .. }) = (work, seen);
    let (query, window) = (&as_compared(work, row), window(work, row));
    // Anybody can open a link's page: who paid is asked there, and a person who does not know
    // it has not paid. Callers of the API answer for the people they let ask.
    let may_be_shown = |payer: &PayerFacts| row.link.is_none() || knows_payer(query, payer);
    let theirs: Vec<_> =
        known.iter().filter(|movement| may_be_shown(&movement.payer)).cloned().collect();
    let verdict = find(query, *rule, &theirs, &window);
    let digits = digits_of(query);
    match verdict {
        Verdict::One(_) => Ok(unless_claimed_as_another(work, verdict, known)),
        // A notice of it may have been contested, of which only the owner's notice is kept. To payers
        // both are answered alike.
        Verdict::NotFound if row.link.is_none() => {
            for with in named_with_other_payer(query, *rule, known) {
                let notice = Notice::payment_contested(with, None);
                if notices::is_notified(tx, work.owner, &notice)? {
                    return Ok(Verdict::Contested { with, digits });
                }
            }
            Ok(verdict)
        }
        _ => Ok(verdict),
    }
}

/// The same, unless the one movement that is meant may be the money of a movement that was claimed.
fn unless_claimed_as_another(work: &SettleInput, verdict: Verdict, known: &[Movement]) -> Verdict {
    let Verdict::One(id) = verdict else { return verdict };
    let unclaimed = known.iter().find(|one| one.id == id && one.claimed.is_none());
    let twin = unclaimed.and_then(|movement| claimed_twin(work.rule, movement, known));
    let digits = digits_of(&work.query);
    twin.map_or(verdict, |twin| Verdict::Contested { with: twin.id, digits })
}

fn digits_of(query: &Query) -> u32 {
    u32::try_from(query.reference.count()).unwrap_or(u32::MAX)
}

/// The question as it is compared. Anybody can open a link's page, so that zeros do there for no digit that is asked for.
fn as_compared<'a>(work: &'a SettleInput, row: &Verification) -> Cow<'a, Query> {
    if row.link.is_none() || work.rule == Rule::Exact {
        return Cow::Borrowed(&work.query);
    }
    let reference = work.query.reference.with_digits_of_a_payer();
    Cow::Owned(Query { reference, ..work.query.clone() })
}

/// The unclaimed movement that a payer's check means but for its time: its amount was not owed then.
fn paid_at_another_time(work: &SettleInput, row: &Verification, seen: &Seen) -> Option<MovementId> {
    let query = Query { paid_within: None, ..work.query.clone() };
    (row.link.is_some() && query != work.query).then_some(())?;
    let is_theirs = |one: &&Movement| one.claimed.is_none() && knows_payer(&query, &one.payer);
    let theirs: Vec<_> = seen.known.iter().filter(is_theirs).cloned().collect();
    match find(&query, work.rule, &theirs, &window(work, row)) {
        Verdict::One(id) => Some(id),
        _ => None,
    }
}
