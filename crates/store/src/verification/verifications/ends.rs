//! Facts that a row keeps of an end without a payment.

use domain::matching::SameBank;
use domain::money::Bolivars;
use domain::review::ReviewWindow;
use domain::time::Timestamp;
use domain::verification::EndFacts;

use crate::fault::Fault;
use crate::value::{Row, Value};

/// Returns what is kept, in the order of the columns: the other amount, the digits, the payment from the same bank, and
/// both ends of the window.
pub(super) fn write(facts: &EndFacts) -> [Value; 5] {
    [
        facts.bank_amount.map(Bolivars::hundredths).into(),
        facts.digits_needed.map(i64::from).into(),
        facts.same_bank.map(SameBank::number).into(),
        facts.review.map(|window| window.since).into(),
        facts.review.map(|window| window.until).into(),
    ]
}

pub(super) fn read(row: &Row) -> Result<EndFacts, Fault> {
    let digits: Option<i64> = row.get("digits_needed")?;
    let since: Option<Timestamp> = row.get("review_since")?;
    let until: Option<Timestamp> = row.get("review_until")?;
    let review = since.zip(until).map(|(since, until)| ReviewWindow { since, until });
    Ok(EndFacts {
        bank_amount: row.get::<Option<i64>>("bank_amount")?.map(Bolivars::from_hundredths),
        digits_needed: digits.and_then(|digits| u32::try_from(digits).ok()),
        same_bank: row.get::<Option<i64>>("same_bank")?.and_then(SameBank::from_number),
        review,
    })
}
