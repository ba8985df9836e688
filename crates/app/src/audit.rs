//! The operation: `GET /v1/audit`.

use domain::access::ListAudit;
use store::audit::{self, Listed};

use crate::paging::{Page, Paging, TOTAL_MAX};
use crate::{Act, App, Error};

/// Lists who changed what and from where, the latest first.
///
/// # Errors
/// A failure of the store.
pub async fn list(app: &App, act: &Act<ListAudit>, paging: Paging) -> Result<Page<Listed>, Error> {
    let owner = act.owner();
    let (place, span) = (paging.number.limit_and_offset(), paging.span());
    let read = app.store.read(act.meter(), move |tx| {
        let (entries, total) = audit::page(tx, owner, &span, place, TOTAL_MAX)?;
        Ok(Page { entries, total })
    });
    Ok(read.await?)
}
