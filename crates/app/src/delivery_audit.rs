//! The audit of all deliveries: owner by owner, page by page, each in a snapshot of its own, so that
//! it can run beside a server that works and never holds one view of the database for long.

use domain::ids::OwnerId;
use domain::webhooks::evidence::Tree;
use store::delivery_audit::{self, Findings, check_day, passed_over};
use store::sealed_days::{self, SealedDay};
use store::tx::Tx;
use store::{Meter, Store, owners};

use crate::delivery_days::grow;
use crate::error::Error;

/// How many owners are listed at once.
const OWNERS: i64 = 500;

/// How many sealed days are read at once.
const DAYS: i64 = 100;

/// Audits every owner's deliveries and sealed days, hands over piece by piece what was found, and
/// answers how many owners there are.
///
/// # Errors
/// A fault of the store; nothing is known then of what was not yet handed over.
pub async fn audit(store: &Store, mut each: impl FnMut(OwnerId, Findings)) -> Result<u64, Error> {
    let meter = Meter::default();
    let mut after = OwnerId::from_bytes([0; 16]);
    let mut audited = 0;
    loop {
        let page = store.look_up(&meter, move |tx| owners::page(tx, after, OWNERS)).await?;
        let Some(last) = page.last() else { return Ok(audited) };
        after = *last;
        for owner in page {
            deliveries(store, &meter, owner, &mut each).await?;
            days(store, &meter, owner, &mut each).await?;
            audited += 1;
        }
    }
}

async fn deliveries(
    store: &Store,
    meter: &Meter,
    owner: OwnerId,
    each: &mut impl FnMut(OwnerId, Findings),
) -> Result<(), Error> {
    let mut first = None;
    loop {
        let check = move |tx: &mut Tx<'_>| delivery_audit::check_page(tx, owner, first);
        let (found, next) = store.read(meter, check).await?;
        each(owner, found);
        if next.is_none() {
            return Ok(());
        }
        first = next;
    }
}

async fn days(
    store: &Store,
    meter: &Meter,
    owner: OwnerId,
    each: &mut impl FnMut(OwnerId, Findings),
) -> Result<(), Error> {
    let mut before: Option<SealedDay> = None;
    loop {
        let after = before.map(|sealed| sealed.day);
        let read = move |tx: &mut Tx<'_>| sealed_days::page(tx, owner, after, DAYS);
        let page = store.read(meter, read).await?;
        if page.is_empty() {
            return Ok(());
        }
        for sealed in page {
            let mut at = before.map(|sealed| sealed.day);
            loop {
                let next = move |tx: &mut Tx<'_>| sealed_days::next(tx, owner, at);
                at = store.look_up(meter, next).await?;
                match at {
                    Some(day) if day < sealed.day => each(owner, passed_over(day)),
                    _ => break,
                }
            }
            let tree = grow(store, meter, owner, sealed.day, Tree::default(), None).await?;
            each(owner, check_day(owner, sealed, before.map(|sealed| sealed.digest), tree));
            before = Some(sealed);
        }
    }
}
