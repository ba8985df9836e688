//! The audit of the whole installation: owner by owner, each in a snapshot of its own, so that it
//! can run beside a server that works and never holds one view of the database for long. Pages of rows are read
//! one after another, so that no owner is in memory as a whole.
//!
//! `store` compares what stands in two rows. What only this crate can read is compared here: what was asked
//! (`asked`), what was reported of links (`sent_events`), and by which hashes rows are found (`located`).

mod asked;
mod located;
mod sent_events;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use domain::ids::OwnerId;
use domain::time::Timestamp;
use store::difference::Difference;
use store::ledger_audit::{self, Findings};
use store::tx::Tx;
use store::{Meter, Store, owners, tenant_audit};

use crate::error::Error;

/// How many owners are listed at once.
const PAGE: i64 = 500;

/// How far an audit has come, for a caller who shows it meanwhile.
#[derive(Debug, Default)]
pub struct Progress {
    owners: AtomicU64,
    of: AtomicU64,
    verifications: AtomicU64,
}

impl Progress {
    /// How many owners are done, of how many; and how many verifications were read.
    #[must_use]
    pub fn now(&self) -> (u64, u64, u64) {
        let read = |figure: &AtomicU64| figure.load(Ordering::Relaxed);
        (read(&self.owners), read(&self.of), read(&self.verifications))
    }
}

/// Audits every owner, hands over what was found about each, and answers how many there are. At the end it hands over
/// what belongs to owners that are not there.
///
/// # Errors
/// A fault of the store; nothing is known then of the owners not yet handed over.
pub async fn audit(
    store: &Store,
    now: Timestamp,
    progress: &Arc<Progress>,
    mut each: impl FnMut(OwnerId, Findings),
) -> Result<u64, Error> {
    let meter = Meter::default();
    let count = store.read(&meter, owners::count).await?;
    progress.of.store(count, Ordering::Relaxed);
    let mut after = OwnerId::from_bytes([0; 16]);
    let mut audited = 0;
    loop {
        let page = store.look_up(&meter, move |tx| owners::page(tx, after, PAGE)).await?;
        let Some(last) = page.last() else { break };
        after = *last;
        for owner in page {
            let progress_inside = Arc::clone(progress);
            let check = move |tx: &mut Tx<'_>| check(tx, owner, now, &progress_inside);
            each(owner, store.read(&meter, check).await?);
            audited += 1;
            progress.owners.store(audited, Ordering::Relaxed);
        }
    }
    for (owner, difference) in store.read(&meter, tenant_audit::check).await? {
        each(owner, Findings { differences: vec![difference], overdue: Vec::new() });
    }
    Ok(audited)
}

/// Audits one owner.
///
/// # Errors
/// A fault of the store.
pub(crate) fn check(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    now: Timestamp,
    progress: &Progress,
) -> Result<Findings, store::fault::Fault> {
    let mut findings = ledger_audit::check(tx, owner, now)?;
    asked::check(tx, owner, progress, &mut findings.differences)?;
    sent_events::check(tx, owner, &mut findings.differences)?;
    located::check(tx, owner, &mut findings.differences)?;
    Ok(findings)
}

/// Names a column of a row that is not as it must be.
fn name(found: &mut Vec<Difference>, column: &str, row: &impl std::fmt::Display, says: &str) {
    found.push(Difference { what: format!("{column} of {row}: {says}"), figures: None });
}
