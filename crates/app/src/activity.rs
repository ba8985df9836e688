//! The operations `GET /v1/api-keys/{api_key_id}/activity`, `GET /v1/employees/{employee_id}/activity` and
//! `GET /me/activity`: what a key did, what an employee did, and what sessions of the owner did.
//!
//! Both lists are numbered densely within a key's month, by counters in the row that every charge
//! locks anyway: a page is a range of numbers, and the total is the counter.

use domain::access::{ShowActivity, ShowEmployeeActivity, ShowMyActivity};
use domain::ids::{ActorId, EmployeeId, KeyId, OwnerId};
use domain::refusal::Refusal;
use domain::time::CaracasMonth;
pub use store::activity::Entry as Attempt;
use store::fault::Fault;
use store::ledger::Ordinals;
pub use store::ledger::{Charged, Entry as CreditLine};
use store::tx::Tx;
use store::{activity, credits, employees, keys, ledger};

use crate::{Act, App, Error};

/// How many records a page of either list has.
pub const PAGE: i64 = 25;

/// A page of what a key, an employee or the owner's sessions were charged and did in a month, newest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Activity {
    /// Lines of the ledger.
    pub credits: Vec<ledger::Entry>,
    /// Attempts at a bank.
    pub requests: Vec<activity::Entry>,
    /// How many lines of the ledger the whole month has.
    pub credit_lines: i64,
    /// Credits spent in the whole month.
    pub credit_total: i64,
    /// Attempts of the whole month.
    pub request_total: i64,
}

/// Shows a page, counted from 1, of the current month where none is named. What a revoked key did stays to be seen.
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
            if !keys::exists(tx, owner, key)? {
                return Ok(None);
            }
            page_of(tx, owner, key.into(), month, page).map(Some)
        })
        .await?;
    Ok(shown.ok_or(Refusal::NotFound("api_key"))?)
}

/// Shows a page of what an employee did, as [`show`] does of a key: also of one who was removed.
///
/// # Errors
/// Not found, or a failure of the store.
pub async fn show_of_employee(
    app: &App,
    act: &Act<ShowEmployeeActivity>,
    employee: EmployeeId,
    month: Option<CaracasMonth>,
    page: u32,
) -> Result<Activity, Error> {
    let owner = act.owner();
    let month = month.unwrap_or_else(|| CaracasMonth::of(act.now));
    let read = app.store.read(act.meter(), move |tx| {
        if employees::find(tx, owner, employee)?.is_none() {
            return Ok(None);
        }
        page_of(tx, owner, employee.into(), month, page).map(Some)
    });
    Ok(read.await?.ok_or(Refusal::NotFound("employee"))?)
}

/// Shows a page of what the caller's own sessions did, as [`show`] does of a key.
///
/// # Errors
/// A failure of the store.
pub async fn show_own(
    app: &App,
    act: &Act<ShowMyActivity>,
    month: Option<CaracasMonth>,
    page: u32,
) -> Result<Activity, Error> {
    let (owner, actor) = (act.owner(), act.actor());
    let month = month.unwrap_or_else(|| CaracasMonth::of(act.now));
    let read = app.store.read(act.meter(), move |tx| page_of(tx, owner, actor, month, page));
    Ok(read.await?)
}

fn page_of(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    actor: ActorId,
    month: CaracasMonth,
    page: u32,
) -> Result<Activity, Fault> {
    let counters = credits::actor_month(tx, owner, actor, month)?;
    let lines = ordinals(counters.credit_lines, page);
    let requests = ordinals(counters.requests, page);
    Ok(Activity {
        credits: ledger::entries(tx, owner, actor, month, lines)?,
        requests: activity::entries(tx, owner, actor, month, requests)?,
        credit_lines: counters.credit_lines,
        credit_total: counters.posted,
        request_total: counters.requests,
    })
}

/// The numbers on a page, newest first, of a list that has `total`.
fn ordinals(total: i64, page: u32) -> Ordinals {
    let skipped = PAGE * (i64::from(page) - 1);
    let up_to = (total - skipped).max(0);
    Ordinals { above: (up_to - PAGE).max(0), up_to }
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
    fn a_page_far_beyond_the_last_is_empty() {
        let none = Ordinals { above: 0, up_to: 0 };
        assert_eq!(ordinals(i64::from(u32::MAX), u32::MAX), none);
    }
}
