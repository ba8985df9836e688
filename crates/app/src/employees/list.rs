//! The operation: `GET /v1/employees`.

use domain::access::{Guarded, ListEmployees};
use domain::ids::{ClientId, EmployeeId};
use domain::refusal::Refusal;
use store::clients;
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
    list_all(app, act, None, page).await
}

/// The owner's employee of that id, also one who was removed; nothing where it is a client's.
///
/// # Errors
/// A failure of the store.
pub async fn find(
    app: &App,
    act: &Act<ListEmployees>,
    id: EmployeeId,
) -> Result<Option<Employee>, Error> {
    let owner = act.owner();
    let found = app.store.look_up(act.meter(), move |tx| employees::find(tx, owner, id)).await?;
    Ok(found.filter(|employee| employee.client.is_none()))
}

pub(super) async fn list_all<O: Guarded>(
    app: &App,
    act: &Act<O>,
    client: Option<ClientId>,
    page: PageNumber,
) -> Result<Page<Employee>, Error> {
    let (owner, whose) = (act.owner(), (act.owner(), client));
    let read = app.store.read(act.meter(), move |tx| {
        if let Some(client) = client
            && clients::find(tx, owner, client)?.is_none()
        {
            return Ok(None);
        }
        let total = employees::count(tx, whose)?;
        let entries = employees::page(tx, whose, page.limit_and_offset())?;
        Ok(Some(Page { entries, total }))
    });
    Ok(read.await?.ok_or(Refusal::NotFound("client"))?)
}
