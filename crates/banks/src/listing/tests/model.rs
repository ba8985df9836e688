//! What a listing shows, said again as one sentence over all that a bank has shown.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::double::{INTERVAL, Row, ask, credit, day, query, set_up};
use super::*;

/// Payments with short references, so that they often end alike, and what stands between them.
fn rows() -> impl Strategy<Value = Vec<(u8, Row)>> {
    let reference = proptest::string::string_regex("[12]{0,2}(91234[5-7])").unwrap();
    let row = (reference, 0..3_i64, 0..4_u8).prop_map(|(text, amount, kind)| {
        match (kind, credit(&text)) {
            (0, _) => Row::Debit,
            (_, Row::Credit(sighting)) => Row::Credit(Sighting {
                amount: Bolivars::from_hundredths(100 + amount),
                ..sighting
            }),
            (_, other) => other,
        }
    });
    // How often the bank shows it.
    proptest::collection::vec((1..3_u8, row), 0..16)
}

proptest! {
    /// However a day is cut into pages and scans, whatever is repeated and whatever stands between:
    /// what is shown is each payment once, exactly those whose reference fits.
    #[test]
    fn what_is_shown_is_what_a_simple_model_shows(
        rows in rows(),
        cuts in proptest::collection::vec(0..40_usize, 0..4),
        is_latest_first: bool,
        typed in proptest::string::string_regex("[12]{0,3}91234[5-7]|1?234[5-7]").unwrap(),
    ) {
        let (time, listing, bank) = set_up([]);
        bank.state.lock().unwrap().is_latest_first = is_latest_first;
        let query = query(&typed);
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
            let Some(Answer::Shown { sightings: seen, .. }) = answer else { panic!("{answer:?}") };
            let seen: Vec<_> =
                seen.iter().map(|one| (one.reference.digits().to_owned(), one.amount)).collect();
            let model: BTreeSet<_> = repeated[..end].iter().filter_map(|row| match row {
                Row::Credit(one) if query.reference.matches(&one.reference) => {
                    Some((one.reference.digits().to_owned(), one.amount))
                }
                _ => None,
            }).collect();
            prop_assert_eq!(seen.len(), model.len(), "something is shown twice");
            prop_assert_eq!(seen.into_iter().collect::<BTreeSet<_>>(), model);
        }
    }
}
