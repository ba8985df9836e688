//! The operation: `PATCH /v1/employees/{employee_id}`.

use domain::access::{Caller, ChangeEmployee, Guarded};
use domain::ids::{ClientId, EmployeeId};
use domain::refusal::Refusal;
use domain::rights::Rights;
use domain::time::Timestamp;
use store::employees::{self, Employee};
use store::tx::Tx;
use store::{audit, email_changes, password_resets, sessions};

use super::{EmployeeName, NOT_FOUND, Whose, find_to_change};
use crate::audit_entry::audited;
use crate::changes::changed;
use crate::outcome::Outcome;
use crate::{Act, App, Error};

/// Change of an employee. Fields that it does not name stay.
#[derive(Clone, Debug, Default)]
pub struct EmployeeChange {
    /// Its name.
    pub name: Option<EmployeeName>,
    /// What it may do.
    pub rights: Option<Rights>,
    /// Whether it may use the service.
    pub is_active: Option<bool>,
}

/// Changes an employee. Once this has been answered, every node decides by what the employee may do now. The sessions
/// of one that is switched off are over: who is switched on again, which the owner alone does, signs in again. What changes
/// nothing leaves no line in the audit trail either.
///
/// # Errors
/// Not found, a refusal where the caller may do less than the employee or than it gives, or a failure of the store.
pub async fn change(
    app: &App,
    act: &Act<ChangeEmployee>,
    id: EmployeeId,
    change: EmployeeChange,
) -> Result<Employee, Error> {
    change_one(app, act, None, id, change).await
}

pub(super) async fn change_one<O: Guarded>(
    app: &App,
    act: &Act<O>,
    client: Option<ClientId>,
    id: EmployeeId,
    change: EmployeeChange,
) -> Result<Employee, Error> {
    let (whose, caller, now) = ((act.owner(), client), act.caller().clone(), act.now);
    if !change.rights.is_none_or(|rights| caller.outranks(rights)) {
        return Err(Refusal::Outranked.into());
    }
    let entry = audited(app, act, id.to_string());
    let write = move |tx: &mut Tx<'_>| write(tx, whose, (&caller, &entry), id, &change, now);
    act.write(app, write).await
}

fn write(
    tx: &mut Tx<'_>,
    whose: Whose,
    (caller, entry): (&Caller, &audit::Entry),
    id: EmployeeId,
    change: &EmployeeChange,
    now: Timestamp,
) -> Outcome<Employee> {
    let owner = whose.0;
    let before = find_to_change(tx, whose, caller, id)?;
    if before.removed_at.is_some() {
        return Err(NOT_FOUND.into());
    }
    let mut after = before.clone();
    if let Some(name) = &change.name {
        name.as_str().clone_into(&mut after.name);
    }
    after.rights = change.rights.unwrap_or(after.rights);
    after.is_active = change.is_active.unwrap_or(after.is_active);
    if after.is_active && !before.is_active && !caller.may_let_in() {
        return Err(Refusal::OwnerSessionRequired.into());
    }
    if after != before {
        after.updated_at = now;
        employees::change(tx, owner, &after)?;
        // An invitation does not come back when its inviter does.
        if !after.is_active || !before.rights.is_subset_of(after.rights) {
            employees::end_invitations_of(tx, owner, Some(id), now)?;
        }
        if !after.is_active {
            sessions::end_of_employee(tx, owner, id, now)?;
            password_resets::remove(tx, (owner, id.into()))?;
            email_changes::remove(tx, (owner, id.into()))?;
        }
        audit::insert_change(tx, owner, entry, &changed(&before, &after), now)?;
    }
    Ok(after)
}
