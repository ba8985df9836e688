//! The operation: `GET /v1/employees`.

use domain::access::ListEmployees;
use store::employees::{self, Employee};

use crate::paging::{Page, PageNumber};
use crate::{Act, App, Error};

/// Lists the owner's employees who were not removed, the newest first.
///
/// # Errors
/// A failure of the store.
pub async fn list(
    app: &App,
    act: &Act<ListEmployees>,
    page: PageNumber,
) -> Result<Page<Employee>, Error> {
    let owner = act.owner();
    let read = app.store.read(act.meter(), move |tx| {
        let total = employees::count(tx, owner)?;
        let entries = employees::page(tx, owner, page.limit_and_offset())?;
        Ok(Page { entries, total })
    });
    Ok(read.await?)
}
