//! What a listing shows, said again as one sentence over all that a bank has shown.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::double::{INTERVAL, Row, ask, credit, day, query, reference, set_up};
use super::*;

/// Payments with short references, so that they often end alike, and what stands between them.
fn rows() -> impl Strategy<Value = Vec<(u8, Row)>> {
    let text = proptest::string::string_regex("[12]{0,2}(91234[5-7])").unwrap();
    let row =
        (text, 0..3_i64, 0..24_u8).prop_map(|(text, amount, kind)| match (kind, credit(&text)) {
            (0..=4, _) => Row::Debit,
            (5, _) => Row::Nameless,
            (6..=7, _) => Row::Unreadable(reference(&text)),
            (_, Row::Credit(sighting)) => Row::Credit(Sighting {
                amount: Bolivars::from_hundredths(100 + amount),
                ..sighting
            }),
            (_, other) => other,
        });
    // How often the bank shows it.
    proptest::collection::vec((1..3_u8, row), 0..16)
}

/// A question, of which one in two says what was paid.
#[derive(Clone, Debug)]
struct Asked {
    typed: String,
    amount: Option<i64>,
}

prop_compose! {
    fn asked()(
        typed in proptest::string::string_regex("0?([12]{0,3}91234[5-7]|1?234[5-7])").unwrap(),
        amount in proptest::option::of(100..103_i64),
    ) -> Asked {
        Asked { typed, amount }
    }
}

impl Asked {
    fn query(&self) -> Query {
        Query { amount: self.amount.map(Bolivars::from_hundredths), ..query(&self.typed) }
    }

    /// One is the ending of the other, as it was typed or without the zero in front.
    fn may_mean(&self, reference: &BankReference) -> bool {
        let bare = self.typed.trim_start_matches('0');
        end_alike(&self.typed, reference.digits()) || end_alike(bare, reference.digits())
    }

    /// It is what is meant in every respect, as it was typed.
    fn is_hit(&self, row: &Sighting) -> bool {
        let is_paid = self.amount.is_none_or(|amount| amount == row.amount.hundredths());
        is_paid && end_alike(&self.typed, row.reference.digits())
    }

    /// The answer once these rows are booked: the payments that may be meant, and whether nothing else can be;
    /// nothing where a row that could not be read may be the one.
    fn answer(&self, booked: &[Row]) -> Option<(BTreeSet<(String, Bolivars)>, bool)> {
        let mut payments = BTreeSet::new();
        let (mut is_hit, mut has_nameless, mut is_readable) = (false, false, true);
        for row in booked {
            match row {
                Row::Credit(one) if self.may_mean(&one.reference) => {
                    payments.insert((one.reference.digits().to_owned(), one.amount));
                    is_hit |= self.is_hit(one);
                }
                Row::Unreadable(reference) if self.may_mean(reference) => return None,
                Row::Unreadable(_) => is_readable = false,
                Row::Nameless => has_nameless = true,
                Row::Credit(_) | Row::Debit => {}
            }
        }
        let is_complete = !is_hit && is_readable && !has_nameless;
        (is_hit || !has_nameless).then_some((payments, is_complete))
    }
}

fn end_alike(one: &str, other: &str) -> bool {
    one.ends_with(other) || other.ends_with(one)
}

proptest! {
    /// However a day is cut into pages and scans, whatever is repeated and whatever stands between: what is shown is
    /// each payment once, exactly those whose reference fits. A row that cannot be read is in the way of its own
    /// reference, and one without a reference of whatever finds nothing.
    #[test]
    fn what_is_shown_is_what_a_simple_model_shows(
        rows in rows(),
        cuts in proptest::collection::vec(0..40_usize, 0..4),
        is_latest_first: bool,
        asked in asked(),
    ) {
        let (time, listing, bank) = set_up([]);
        bank.state.lock().unwrap().is_latest_first = is_latest_first;
        let query = asked.query();
        let repeated = rows.iter().flat_map(|(times, row)| vec![row.clone(); usize::from(*times)]);
        let repeated: Vec<Row> = repeated.collect();
        let mut booked = 0;
        let mut ends: Vec<usize> = cuts.iter().map(|cut| (*cut).min(repeated.len())).collect();
        ends.sort_unstable();
        ends.push(repeated.len());
        for end in ends {
            repeated[booked..end].iter().for_each(|row| bank.books(row.clone()));
            booked = end;
            time.pass(INTERVAL);
            let ask = ask(&bank, &query);
            let mut question = Box::pin(listing.ask(&ask, std::iter::once(day())));
            // A miss waits for a scan of the whole day.
            let early = question.as_mut().now_or_never();
            time.pass(INTERVAL);
            let answer = early.or_else(|| question.now_or_never());
            let Some((model, is_model_complete)) = asked.answer(&repeated[..end]) else {
                prop_assert_eq!(answer, Some(Answer::Failed(Failure::BadResponse)));
                continue;
            };
            let Some(Answer::Shown { sightings: seen, is_complete }) = answer else {
                return Err(TestCaseError::fail(format!("{answer:?}")));
            };
            let seen: Vec<_> =
                seen.iter().map(|one| (one.reference.digits().to_owned(), one.amount)).collect();
            prop_assert_eq!(seen.len(), model.len(), "something is shown twice");
            prop_assert_eq!(seen.into_iter().collect::<BTreeSet<_>>(), model);
            prop_assert_eq!(is_complete, is_model_complete);
        }
    }
}
