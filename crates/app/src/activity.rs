//! The operation: `GET /v1/api-keys/{api_key_id}/activity`.
//!
//! Both lists are numbered densely within a key's month, by counters in the row that every charge
//! locks anyway: a page is a range of numbers, and the total is the counter. A charge is an entry of
//! both, by its line; it stands among the attempts under another number, which is looked for where it must lie.

use std::cmp::Reverse;

use domain::access::ShowActivity;
use domain::ids::KeyId;
use domain::refusal::Refusal;
use domain::time::CaracasMonth;
use domain::verification::State;
use store::credits::{KeyMonth, Ordinals};
use store::{activity, credits, keys, ledger};

use crate::verification::request_type;
use crate::{Act, App, Error};

/// How many records a page of either list has: as many as there are lines between two of a key's that are found at
/// once, as `store::ledger` says.
pub const PAGE: i64 = 25;

/// A page of what a key was charged and did in a month, newest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Activity {
    /// Lines of the ledger.
    pub credits: Vec<ledger::Entry>,
    /// Attempts at a bank.
    pub requests: Vec<activity::Entry>,
    /// Credits spent in the whole month.
    pub credit_total: i64,
    /// Attempts of the whole month.
    pub request_total: i64,
}

/// Shows a page, counted from 1, of the current month where none is named.
///
/// # Errors
/// Not found, or a failure of the store.
pub async fn show(
    app: &App,
    act: &Act<ShowActivity>,
    key: KeyId,
    month: Option<CaracasMonth>,
    page: u32,
) -> Result<Activity, Error> {
    let owner = act.owner();
    let month = month.unwrap_or_else(|| CaracasMonth::of(act.now));
    let shown = app
        .store
        .read(act.meter(), move |tx| {
            if keys::find(tx, owner, key)?.is_none() {
                return Ok(None);
            }
            let counters = credits::key_month(tx, owner, key, month)?;
            let lines = ordinals(counters.credit_lines, page);
            let lines = ledger::entries(tx, owner, key, month, lines)?;
            let numbers = ordinals(counters.requests, page);
            let mut requests = activity::entries(tx, owner, key, month, numbers)?;
            let from = lines_from(numbers.up_to, &counters);
            let charged = activity::charged(tx, owner, key, month, numbers, from)?;
            requests.extend(charged.into_iter().map(|(number, charged)| (number, entry(charged))));
            requests.sort_unstable_by_key(|(number, _)| Reverse(*number));
            Ok(Some(Activity {
                credits: lines,
                requests: requests.into_iter().map(|(_, entry)| entry).collect(),
                credit_total: counters.posted,
                request_total: counters.requests,
            }))
        })
        .await?;
    Ok(shown.ok_or(Refusal::NotFound("api_key"))?)
}

/// The numbers on a page, newest first, of a list that has `total`.
fn ordinals(total: i64, page: u32) -> Ordinals {
    let skipped = PAGE * (i64::from(page) - 1);
    let up_to = (total - skipped).max(0);
    Ordinals { above: (up_to - PAGE).max(0), up_to }
}

/// Below what number no line of this attempt or a later one lies: each attempt that was not charged has its number
/// to itself, and moves the lines of what follows by one at most.
fn lines_from(attempt: i64, counters: &KeyMonth) -> i64 {
    (attempt - (counters.requests - counters.credit_lines).max(0)).max(0)
}

/// A charged attempt as any other is shown.
fn entry(charged: activity::Charged) -> activity::Entry {
    activity::Entry {
        created_at: charged.created_at,
        request_type: request_type(charged.link).to_owned(),
        provider: charged.provider,
        bank: charged.bank,
        status: State::Confirmed.as_str().to_owned(),
        error_code: None,
        latency_us: charged.latency_us,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_cover_every_number_once_from_the_newest() {
        for total in 0..130 {
            let mut next = total;
            for page in 1..=7 {
                let Ordinals { above, up_to } = ordinals(total, page);
                assert_eq!(up_to, next);
                assert!(above <= up_to && up_to - above <= PAGE);
                next = above;
            }
            assert_eq!(next, 0);
        }
    }

    #[test]
    fn no_line_of_an_attempt_or_a_later_one_lies_below_where_lines_are_looked_for() {
        // Every way in which eight attempts can be charged or not.
        for charges in 0..1_u32 << 8 {
            let is_charged = |request: &i64| charges >> (request - 1) & 1 == 1;
            let charged: Vec<i64> = (1..=8).filter(is_charged).collect();
            let credit_lines = i64::try_from(charged.len()).unwrap();
            let counters = KeyMonth { requests: 8, credit_lines, ..KeyMonth::default() };
            for (ordinal, request) in (1..).zip(charged) {
                for attempt in 0..=request {
                    let from = lines_from(attempt, &counters);
                    assert!(from <= ordinal, "{charges:b}: {request} from {attempt}");
                }
            }
        }
        // Where all were charged, no line is looked at that is not wanted.
        let counters = KeyMonth { requests: 8, credit_lines: 8, ..KeyMonth::default() };
        assert!((0..=8).all(|attempt| lines_from(attempt, &counters) == attempt));
    }

    #[test]
    fn a_page_far_beyond_the_last_is_empty() {
        let none = Ordinals { above: 0, up_to: 0 };
        assert_eq!(ordinals(i64::from(u32::MAX), u32::MAX), none);
    }
}
