//! The operation: `DELETE /v1/employees/{employee_id}`.

use domain::access::{Guarded, RemoveEmployee};
use domain::ids::{ClientId, EmployeeId};
use store::employees::Employee;
use store::tx::Tx;

use super::{Whose, find_to_change};
use crate::lineage::{Ending, WithIssued, end_person, release};
use crate::outcome::Outcome;
use crate::{Act, App, Error};

/// Takes an employee's access away for good: no node accepts its sessions or its invitation any more, and its e-mail
/// address is free. What lives of what it has invited and issued ends with it, or stays, as was chosen. To remove it again
/// is answered alike, since the answer to the first request may have been lost.
///
/// # Errors
/// Not found, a refusal where the caller may do less than the employee, what lives where nothing was chosen, or a failure
/// of the store.
pub async fn remove(
    app: &App,
    act: &Act<RemoveEmployee>,
    id: EmployeeId,
    with: WithIssued,
) -> Result<(), Error> {
    remove_one(app, act, None, id, with).await
}

pub(super) async fn remove_one<O: Guarded>(
    app: &App,
    act: &Act<O>,
    client: Option<ClientId>,
    id: EmployeeId,
    with: WithIssued,
) -> Result<(), Error> {
    let whose = (act.owner(), client);
    let ending = Ending::of(app, act, id.to_string(), with);
    let write = move |tx: &mut Tx<'_>| write(tx, whose, id, &ending);
    let removed = act.write(app, write).await?;
    release(app, act, &removed).await;
    Ok(())
}

/// Answers all who were removed, as they were.
fn write(tx: &mut Tx<'_>, whose: Whose, id: EmployeeId, ending: &Ending) -> Outcome<Vec<Employee>> {
    let owner = whose.0;
    let employee = find_to_change(tx, whose, &ending.caller, id)?;
    let issued = ending.chosen(tx, owner, id.into())?;
    if employee.removed_at.is_none() {
        end_person(tx, owner, &employee, &ending.entry, ending.now)?;
    }
    let mut removed = ending.end(tx, owner, issued)?;
    removed.push(employee);
    Ok(removed)
}
