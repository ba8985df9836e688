//! The operation: `DELETE /v1/employees/{employee_id}`.

use domain::access::{Caller, Guarded, RemoveEmployee};
use domain::ids::{ClientId, EmployeeId};
use domain::text::EmailAddress;
use domain::time::Timestamp;
use store::employees::{self, Employee};
use store::tx::Tx;
use store::{
    audit, email_changes, mails, password_resets, second_factors, sessions, sign_in_networks,
};

use super::{Whose, find_to_change};
use crate::audit_entry::audited;
use crate::changes::gone;
use crate::locator::Locator;
use crate::outcome::Outcome;
use crate::{Act, App, Error, emails};

/// Takes an employee's access away for good: no node accepts its sessions or its invitation any more, and its e-mail
/// address is free. To remove it again is answered alike, since the answer to the first request may have been lost.
///
/// # Errors
/// Not found, a refusal where the caller may do less than the employee, or a failure of the store.
pub async fn remove(app: &App, act: &Act<RemoveEmployee>, id: EmployeeId) -> Result<(), Error> {
    remove_one(app, act, None, id).await
}

pub(super) async fn remove_one<O: Guarded>(
    app: &App,
    act: &Act<O>,
    client: Option<ClientId>,
    id: EmployeeId,
) -> Result<(), Error> {
    let (whose, caller, now) = ((act.owner(), client), act.caller().clone(), act.now);
    let entry = audited(app, act, id.to_string());
    let write = move |tx: &mut Tx<'_>| write(tx, whose, (&caller, &entry), id, now);
    let removed = act.write(app, write).await?;
    if let Some(invitation) = removed.invitation {
        Locator::of_invitation(invitation.hash).remove(&app.store, act.meter()).await;
    }
    if removed.accepted_at.is_some() {
        let emails: Vec<_> = EmailAddress::parse(removed.email.as_str()).into_iter().collect();
        emails::settle(&app.store, act.meter(), (whose.0, id.into()), &emails).await;
    }
    Ok(())
}

/// Answers the employee as it was.
fn write(
    tx: &mut Tx<'_>,
    whose: Whose,
    (caller, entry): (&Caller, &audit::Entry),
    id: EmployeeId,
    now: Timestamp,
) -> Outcome<Employee> {
    let owner = whose.0;
    let employee = find_to_change(tx, whose, caller, id)?;
    if employee.removed_at.is_none() {
        employees::remove(tx, owner, id, now)?;
        sessions::end_of_employee(tx, owner, id, now)?;
        second_factors::delete(tx, (owner, id.into()))?;
        password_resets::remove(tx, (owner, id.into()))?;
        for kind in ["invitation", "password_reset"] {
            mails::drop_waiting(tx, owner, (employee.email.as_str(), kind), now)?;
        }
        if let Some(wanted) = email_changes::wanted(tx, (owner, id.into()))? {
            mails::drop_waiting(tx, owner, (wanted.as_str(), "email_change"), now)?;
            email_changes::remove(tx, (owner, id.into()))?;
        }
        sign_in_networks::forget(tx, (owner, id.into()))?;
        audit::insert_change(tx, owner, entry, &gone(&employee), now)?;
    }
    Ok(employee)
}
