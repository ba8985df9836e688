//! The operation: `GET /v1/api-keys/{api_key_id}/activity`.
//!
//! Both lists are numbered densely within a key's month, by counters in the row that every charge
//! locks anyway: a page is a range of numbers and costs the same at any depth, and the total is the
//! counter.

use domain::access::ShowActivity;
use domain::ids::KeyId;
use domain::refusal::Refusal;
use domain::time::CaracasMonth;
use store::{activity, credits, keys, ledger};

use crate::{Act, App, Error};

/// How many records a page of either list has.
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
            let (from, to) = ordinals(counters.credit_lines, page);
            let lines = ledger::entries(tx, owner, key, month, from, to)?;
            let (from, to) = ordinals(counters.requests, page);
            let requests = activity::entries(tx, owner, key, month, from, to)?;
            Ok(Some(Activity {
                credits: lines,
                requests,
                credit_total: counters.posted,
                request_total: counters.requests,
            }))
        })
        .await?;
    Ok(shown.ok_or(Refusal::NotFound("api_key"))?)
}

/// The numbers on a page, newest first, of a list that has `total`: those above the first answer
/// and up to the second.
fn ordinals(total: i64, page: u32) -> (i64, i64) {
    let skipped = PAGE * (i64::from(page) - 1);
    let to = (total - skipped).max(0);
    ((to - PAGE).max(0), to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_cover_every_number_once_from_the_newest() {
        for total in 0..130 {
            let mut next = total;
            for page in 1..=7 {
                let (from, to) = ordinals(total, page);
                assert_eq!(to, next);
                assert!(from <= to && to - from <= PAGE);
                next = from;
            }
            assert_eq!(next, 0);
        }
    }

    #[test]
    fn a_page_far_beyond_the_last_is_empty() {
        let (from, to) = ordinals(i64::from(u32::MAX), u32::MAX);
        assert_eq!((from, to), (0, 0));
    }
}
