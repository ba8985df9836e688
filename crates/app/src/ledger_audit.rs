//! The audit of the whole installation: owner by owner, each in a snapshot of its own, so that it
//! can run beside a server that works and never holds one view of the database for long.

use domain::ids::OwnerId;
use domain::time::Timestamp;
use store::ledger_check::{self, Findings};
use store::{Meter, Store, owners};

use crate::error::Error;

/// How many owners are listed at once.
const PAGE: i64 = 500;

/// Audits every owner, hands over what was found about each, and answers how many there are.
///
/// # Errors
/// A fault of the store; nothing is known then of the owners not yet handed over.
pub async fn audit(
    store: &Store,
    now: Timestamp,
    mut each: impl FnMut(OwnerId, Findings),
) -> Result<u64, Error> {
    let meter = Meter::default();
    let mut after = OwnerId::from_bytes([0; 16]);
    let mut audited = 0;
    loop {
        let page = store.look_up(&meter, move |tx| owners::page(tx, after, PAGE)).await?;
        let Some(last) = page.last() else { return Ok(audited) };
        after = *last;
        for owner in page {
            let check = move |tx: &mut store::tx::Tx<'_>| ledger_check::check(tx, owner, now);
            each(owner, store.read(&meter, check).await?);
            audited += 1;
        }
    }
}
