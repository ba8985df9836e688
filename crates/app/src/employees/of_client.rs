//! The operations on a client's people, below `/v1/clients/{client_id}`. They are invited, changed and removed as the
//! owner's own employees are, and have no permissions of their own: they may do what their client may.

use domain::access::{
    Caller, ChangeClientEmployee, InviteClientEmployee, ListClientEmployees, RemoveClientEmployee,
    RenewClientInvitation,
};
use domain::ids::{ClientId, EmployeeId};
use domain::refusal::Refusal;
use domain::rights::{Area, Right, Rights};
use domain::text::EmailAddress;
use store::idempotency::Slot;

use super::{Employee, EmployeeChange, EmployeeName, EmployeeRequest, Invitee};
use crate::paging::{Page, PageNumber};
use crate::{Act, App, Error};

/// What an employee has to hold who invites a person of a client, as that person may do as much with what is the client's.
const INVITERS: [Right; 5] = [
    Area::Clients.write(),
    Area::Payments.write(),
    Area::PaymentLinks.write(),
    Area::BankAccounts.write(),
    Area::Integrations.write(),
];

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
    check_rank(act.caller())?;
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
    check_rank(act.caller())?;
    super::renew::renew_one(app, act, Some(client), id, slot).await
}

/// Whether the caller may do itself what a client's person may.
fn check_rank(caller: &Caller) -> Result<(), Refusal> {
    if caller.outranks(INVITERS.into_iter().collect()) { Ok(()) } else { Err(Refusal::Outranked) }
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

/// Takes the access of a client's person away for good, as [`super::remove()`] does.
///
/// # Errors
/// Not found, or a failure of the store.
pub async fn remove(
    app: &App,
    act: &Act<RemoveClientEmployee>,
    (client, id): (ClientId, EmployeeId),
) -> Result<(), Error> {
    super::remove::remove_one(app, act, Some(client), id).await
}
