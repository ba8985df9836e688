//! Links that ask for exactly what came in.

use domain::ids::{BankId, OwnerId};
use domain::money::Bolivars;

use super::{Link, OWING, read};
use crate::fault::Fault;
use crate::tx::Tx;

/// How many links of an account are looked at, the newest.
const LOOKED_MAX: i64 = 1_000;

/// How many are answered, the newest.
const OWING_MAX: i64 = 25;

/// The links of the account that were not paid, did not fail and are not stopped, and that asked for this amount, in
/// bolívares or by a rate that was held. Whether one takes a payment yet is for the rules to say.
///
/// # Errors
/// A fault of the store.
pub fn owing(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    bank: BankId,
    amount: Bolivars,
) -> Result<Vec<Link>, Fault> {
    let params = [
        owner.into(),
        bank.into(),
        amount.hundredths().into(),
        LOOKED_MAX.into(),
        OWING_MAX.into(),
    ];
    tx.query(&OWING, &params)?.iter().map(read).collect()
}
