//! The checks of a link that began before: by them another may begin or not, and a link fails that was tried too often.

use std::time::Duration;

use domain::ids::{BankId, LinkId, OwnerId};
use domain::links::Attempt;
use domain::secret::PersonalText;
use domain::time::Timestamp;
use domain::verification;

use super::{LASTING_ANSWERS, LATEST_ATTEMPTS, NTH_LATEST_FAILED_CHECK};
use crate::fault::Fault;
use crate::list::first_id;
use crate::tx::Tx;
use crate::value::{Row, Value};

/// Reads the questions, as JSON, of those among a link's latest `among` checks that were answered what time cannot
/// change; and the code of each answer.
///
/// # Errors
/// A fault of the store.
pub fn lasting_answers(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: LinkId,
    among: usize,
) -> Result<Vec<(PersonalText, String)>, Fault> {
    let [one, two, three] = verification::LASTING.map(|code| Value::from(code.as_str()));
    let among = i64::try_from(among).unwrap_or(i64::MAX);
    let params = [owner.into(), id.into(), one, two, three, among.into()];
    let rows = tx.query(&LASTING_ANSWERS, &params)?;
    let answer = |row: &Row| Ok((PersonalText::new(row.get("query")?), row.get("error_code")?));
    rows.iter().map(answer).collect()
}

/// The latest checks of a link up to `now`, newest first, at most `limit`.
///
/// # Errors
/// A fault of the store.
pub fn latest_attempts(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: LinkId,
    limit: usize,
    now: Timestamp,
) -> Result<Vec<Attempt>, Fault> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let params = [owner.into(), id.into(), limit.into(), first_id_ahead(now).into()];
    let rows = tx.query(&LATEST_ATTEMPTS, &params)?;
    let open = verification::State::Asking.number();
    let attempt = |row: &Row| {
        Ok(Attempt { asked_at: row.get("asked_at")?, is_open: row.get::<i64>("state")? == open })
    };
    rows.iter().map(attempt).collect()
}

/// When the check of an account's links began that is the `place`-th latest up to `now`, counted from one, of
/// those that are open or answered something other than a payment; none where there are not so many.
///
/// # Errors
/// A fault of the store.
pub fn nth_latest_failed_check(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    bank: BankId,
    place: usize,
    now: Timestamp,
) -> Result<Option<Timestamp>, Fault> {
    let before = i64::try_from(place.saturating_sub(1)).unwrap_or(i64::MAX);
    let params = [owner.into(), bank.into(), before.into(), first_id_ahead(now).into()];
    let row = tx.query_opt(&NTH_LATEST_FAILED_CHECK, &params)?;
    row.map(|row| row.get("asked_at")).transpose()
}

/// The first id of an instant that only a clock that was ahead can have written.
fn first_id_ahead(now: Timestamp) -> [u8; 16] {
    first_id(now.latest_believed(Duration::ZERO).plus(Duration::from_millis(1)))
}
