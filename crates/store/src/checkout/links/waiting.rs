//! Links that wait to be paid in another currency.

use domain::ids::OwnerId;
use domain::links::Currency;
use domain::time::Timestamp;

use super::WAITS_IN;
use crate::fault::Fault;
use crate::tx::Tx;

/// Whether a link of the owner that asks for that currency can still be paid at `now`.
///
/// # Errors
/// A fault of the store.
pub fn waits_in(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    currency: Currency,
    now: Timestamp,
) -> Result<bool, Fault> {
    let params = [owner.into(), currency.as_str().into(), now.into()];
    Ok(!tx.query(&WAITS_IN, &params)?.is_empty())
}
