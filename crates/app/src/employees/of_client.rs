//! The operations on a client's people, below `/v1/clients/{client_id}`. They are invited, changed and removed as the
//! owner's own employees are, and have no permissions of their own: they may do what their client may.

use domain::access::{
    ChangeClientEmployee, InviteClientEmployee, ListClientEmployees, RemoveClientEmployee,
    RenewClientInvitation,
};
use domain::ids::{ClientId, EmployeeId};
use domain::rights::Rights;
use domain::text::EmailAddress;
use store::employees;
use store::idempotency::Slot;

use super::{Employee, EmployeeChange, EmployeeName, EmployeeRequest, Invitee};
use crate::lineage::WithIssued;
use crate::paging::{Page, PageNumber};
use crate::{Act, App, Error};

/// Invites a person of a client, as [`super::invite`] does.
///
/// # Errors
/// Not found, a client that is not active, another refusal, or a failure of the store.
pub async fn invite(
    app: &App,
    act: &Act<InviteClientEmployee>,
    client: ClientId,
    (email, name): (EmailAddress, EmployeeName),
    slot: Option<Slot>,
) -> Result<Invitee, Error> {
    let request = EmployeeRequest { email, name, rights: Rights::NONE };
    super::invite::invite_one(app, act, Some(client), request, slot).await
}

/// Gives a client's person who has not accepted another invitation, as [`super::renew`] does.
///
/// # Errors
/// Not found, a refusal, or a failure of the store.
pub async fn renew(
    app: &App,
    act: &Act<RenewClientInvitation>,
    (client, id): (ClientId, EmployeeId),
    slot: Option<Slot>,
) -> Result<Invitee, Error> {
    super::renew::renew_one(app, act, Some(client), id, slot).await
}

/// Lists the people of a client who were not removed, the newest first.
///
/// # Errors
/// Not found, or a failure of the store.
pub async fn list(
    app: &App,
    act: &Act<ListClientEmployees>,
    client: ClientId,
    page: PageNumber,
) -> Result<Page<Employee>, Error> {
    super::list::list_all(app, act, Some(client), page).await
}

/// Changes the name of a client's person, and whether it may use the service, as [`super::change()`] does.
///
/// # Errors
/// Not found, or a failure of the store.
pub async fn change(
    app: &App,
    act: &Act<ChangeClientEmployee>,
    (client, id): (ClientId, EmployeeId),
    (name, is_active): (Option<EmployeeName>, Option<bool>),
) -> Result<Employee, Error> {
    let change = EmployeeChange { name, rights: None, is_active };
    super::change::change_one(app, act, Some(client), id, change).await
}

/// The client's person of that id, also one who was removed; nothing where it is no person of that client.
///
/// # Errors
/// A failure of the store.
pub async fn find(
    app: &App,
    act: &Act<ListClientEmployees>,
    (client, id): (ClientId, EmployeeId),
) -> Result<Option<Employee>, Error> {
    let owner = act.owner();
    let found = app.store.look_up(act.meter(), move |tx| employees::find(tx, owner, id)).await?;
    Ok(found.filter(|employee| employee.client == Some(client)))
}

/// Takes the access of a client's person away for good, as [`super::remove()`] does.
///
/// # Errors
/// Not found, what lives where nothing was chosen, or a failure of the store.
pub async fn remove(
    app: &App,
    act: &Act<RemoveClientEmployee>,
    (client, id): (ClientId, EmployeeId),
    with: WithIssued,
) -> Result<(), Error> {
    super::remove::remove_one(app, act, Some(client), id, with).await
}
