//! Links that wait to be paid in another currency.

use domain::ids::OwnerId;
use domain::links::Currency;
use domain::time::Timestamp;

use super::WAITS_IN;
use crate::fault::Fault;
use crate::tx::Tx;

/// Tells whether a link of the owner that asks for that currency can still be paid at `now`. `livemode` tells which
/// links count: those for money that exists, or those for the test bank's, or any (`None`).
///
/// # Errors
/// A fault of the store.
pub fn waits_in(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    currency: Currency,
    livemode: Option<bool>,
    now: Timestamp,
) -> Result<bool, Fault> {
    let livemode = livemode.map_or(-1, i64::from);
    let params = [owner.into(), currency.as_str().into(), now.into(), livemode.into()];
    Ok(!tx.query(&WAITS_IN, &params)?.is_empty())
}
