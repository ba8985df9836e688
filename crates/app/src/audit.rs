//! The operation: `GET /v1/audit`.

use domain::access::ListAudit;
use store::audit::{self, Listed};

use crate::paging::{Page, Paging};
use crate::refusals::Sources;
use crate::{Act, App, Error};

/// An entry, and from where came what it counts, if it is of refusals.
#[derive(Clone, Debug)]
pub struct AuditEntry {
    /// The entry.
    pub entry: Listed,
    /// The first places and the latest one; none of what was done.
    pub sources: Option<Sources>,
}

/// Lists who changed what and from where, the latest first.
///
/// # Errors
/// A failure of the store.
pub async fn list(
    app: &App,
    act: &Act<ListAudit>,
    paging: Paging,
) -> Result<Page<AuditEntry>, Error> {
    let owner = act.owner();
    let (bounds, span) = (paging.number.bounds(), paging.span());
    let read = app.store.read(act.meter(), move |tx| audit::page(tx, owner, &span, bounds));
    let entry_of = |entry: Listed| {
        let sources = entry.times.map(|_| Sources::read(entry.sources.as_deref()));
        AuditEntry { entry, sources }
    };
    Ok(read.await?.map(entry_of))
}
