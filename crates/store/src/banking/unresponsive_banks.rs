//! Accounts whose bank does not answer, by how their latest verifications ended.

use domain::ids::{BankId, OwnerId, VerificationId};
use domain::time::Timestamp;

use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::Tx;

statements! {
    UNANSWERED = Sql::new(
        "select ended_at from verifications where owner_id = $1 and bank_id = $2 \
         and state in (4, 5) and id > $3 order by id desc limit $4",
    );

    // From the newest on: an account whose bank answers has one among the first. How many are looked at is bounded, so that
    // an account whose answer lies further back counts as unanswered.
    HAS_ANSWERED = Sql::new(
        "select v.id from (select id, bank_id, state, ended_at, is_answered from verifications \
         where owner_id = $1 and id > $2 order by id desc limit $5) as v \
         where v.bank_id = $3 and v.state in (1, 2) and v.is_answered = true and v.ended_at > $4 limit 1",
    );

    ANSWERED = Sql::new(
        "select v.id from (select id, bank_id, state, ended_at, is_answered from verifications \
         where owner_id = $1 and id > $2 order by id desc limit $5) as v \
         where v.bank_id = $3 and v.state in (1, 2, 3) and v.is_answered = true and v.ended_at >= $4 limit 1",
    );
}

/// Among how many of the latest verifications an answer is looked for.
const LOOKED_MAX: i64 = 20_000;

/// How many ends without an answer are counted.
const COUNTED_MAX: i64 = 100;

/// That a bank does not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unresponsive {
    /// When the latest question ended without an answer.
    pub last: Timestamp,
    /// How many did since what was looked at begins, up to a hundred.
    pub times: usize,
}

/// Answers whether the bank has answered a verification of the account since then: it said that a payment is there or is not. What
/// a person accepted, and what was confirmed without it, are no answers of the bank.
///
/// # Errors
/// A fault of the store.
pub fn has_answered(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    bank: BankId,
    (behind, since): (VerificationId, Timestamp),
) -> Result<bool, Fault> {
    let params = [owner.into(), behind.into(), bank.into(), since.into(), LOOKED_MAX.into()];
    Ok(tx.query_opt(&HAS_ANSWERED, &params)?.is_some())
}

/// Reports the account's bank as unresponsive, if the latest ended verification of the account behind that id was
/// without an answer.
///
/// # Errors
/// A fault of the store.
pub fn of_account(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    bank: BankId,
    behind: VerificationId,
) -> Result<Option<Unresponsive>, Fault> {
    let params = [owner.into(), bank.into(), behind.into(), COUNTED_MAX.into()];
    let mut ends: Vec<Timestamp> = Vec::new();
    for row in tx.query(&UNANSWERED, &params)?.iter() {
        ends.push(row.get("ended_at")?);
    }
    let Some(last) = ends.iter().max().copied() else { return Ok(None) };
    let params = [owner.into(), behind.into(), bank.into(), last.into(), LOOKED_MAX.into()];
    let has_answered = tx.query_opt(&ANSWERED, &params)?.is_some();
    Ok((!has_answered).then_some(Unresponsive { last, times: ends.len() }))
}
