//! The operation: `GET /me`.

use domain::access::Me;
use domain::ids::{EmployeeId, OwnerId, PlanId};
use domain::money::Credits;
use domain::rights::{Area, Rights};
use store::clients::{self, Client};
use store::employees::{self, Employee};
use store::fault::Fault;
use store::owners::{self, Owner};
use store::tx::Tx;

use crate::{Act, App, Error};

/// Party shown to a caller as the one it works for: the owner; the client, to a client's callers; the employee itself,
/// to an employee of the owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    /// The owner's id, for every caller of the owner's.
    pub id: OwnerId,
    /// The owner's e-mail address, or the client's, which may have none.
    pub email: Option<String>,
    /// The merchant's name, the client's, or the employee's own.
    pub name: String,
    /// The merchant's name, or the client's.
    pub company: String,
    /// The employee who calls, of the owner or of a client, and what it may do as an employee of the owner.
    pub employee: Option<(EmployeeId, Rights)>,
    /// The balance; shown to callers who may see it.
    pub credits: Option<Credits>,
    /// The owner's plan, and whether it is active; shown to those to whom the balance is.
    pub plan: (Option<PlanId>, bool),
}

impl User {
    pub(crate) fn of_client(owner: OwnerId, client: Client, employee: Option<EmployeeId>) -> Self {
        let email = client.email.map(|email| email.as_str().to_owned());
        let (name, company) = (client.name.clone(), client.name);
        let employee = employee.map(|employee| (employee, Rights::NONE));
        Self { id: owner, email, name, company, employee, credits: None, plan: (None, true) }
    }

    pub(crate) fn of_owner(id: OwnerId, owner: Owner) -> Self {
        let credits = Some(Credits::new(owner.balance));
        let plan = (owner.plan, owner.plan_is_active);
        let (name, company) = (owner.name.clone(), owner.name);
        Self { id, email: Some(owner.email), name, company, employee: None, credits, plan }
    }

    pub(crate) fn of_employee(id: OwnerId, owner: &Owner, employee: &Employee) -> Self {
        let knows_credits = employee.rights.contains(Area::Billing.read());
        Self {
            id,
            email: Some(employee.email.as_str().to_owned()),
            name: employee.name.clone(),
            company: owner.shown_name().unwrap_or_default().to_owned(),
            employee: Some((employee.id, employee.rights)),
            credits: knows_credits.then(|| Credits::new(owner.balance)),
            plan: (owner.plan, owner.plan_is_active),
        }
    }
}

/// Shows for whom the caller works. A client's callers are shown their client, and of the owner nothing but its
/// id; employees themselves.
///
/// # Errors
/// A failure of the store.
pub async fn show(app: &App, act: &Act<Me>) -> Result<User, Error> {
    let owner = act.owner();
    let (client, employee) = (act.caller().client(), act.caller().employee());
    let find = move |tx: &mut Tx<'_>| {
        if let Some(client) = client {
            let client = clients::find(tx, owner, client)?;
            return Ok(client.map(|client| User::of_client(owner, client, employee)));
        }
        let Some(found) = owners::find(tx, owner)? else { return Ok(None) };
        let Some(employee) = employee else { return Ok(Some(User::of_owner(owner, found))) };
        let employee = employees::find(tx, owner, employee)?;
        Ok(employee.map(|employee| User::of_employee(owner, &found, &employee)))
    };
    let found = app.store.look_up(act.meter(), find).await?;
    Ok(found.ok_or_else(|| Fault::broken("whom a caller works for is missing"))?)
}
