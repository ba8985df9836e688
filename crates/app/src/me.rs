//! The operation: `GET /me`.

use domain::access::{Caller, Me};
use domain::ids::{EmployeeId, OwnerId, PlanId};
use domain::money::Credits;
use domain::rights::{Area, Rights};
use domain::secret::PersonalText;
use store::clients::{self, Client};
use store::employees::{self, Employee};
use store::fault::Fault;
use store::owners::{self, Owner};
use store::tx::Tx;

use crate::session_tokens::Person;
use crate::{Act, App, Error};

/// Person who signed in, whomever it works for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersonRecord {
    /// The id of the owner or the employee.
    pub id: String,
    /// Its name; the owner's is the merchant's.
    pub name: String,
    /// The address that it signs in with.
    pub email: PersonalText,
    /// The kind of person that it is.
    pub kind: Person,
}

impl PersonRecord {
    pub(crate) fn of_owner(id: OwnerId, owner: &Owner) -> Self {
        Self {
            id: id.to_string(),
            name: owner.name.clone(),
            email: PersonalText::new(owner.email.clone()),
            kind: Person::Owner,
        }
    }

    pub(crate) fn of_employee(employee: &Employee) -> Self {
        Self {
            id: employee.id.to_string(),
            name: employee.name.clone(),
            email: employee.email.clone(),
            kind: if employee.client.is_some() { Person::Client } else { Person::Employee },
        }
    }
}

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
    Ok(show_caller(app, act).await?.0)
}

/// Shows for whom the caller works, as [`show`] does, and the person who calls; a key is none.
///
/// # Errors
/// A failure of the store.
pub async fn show_caller(app: &App, act: &Act<Me>) -> Result<(User, Option<PersonRecord>), Error> {
    let owner = act.owner();
    let (client, employee) = (act.caller().client(), act.caller().employee());
    let is_owner = matches!(act.caller(), Caller::Owner(_));
    let find = move |tx: &mut Tx<'_>| {
        let employee = match employee {
            Some(id) => Some(employees::find(tx, owner, id)?.ok_or_else(missing)?),
            None => None,
        };
        let person = employee.as_ref().map(PersonRecord::of_employee);
        if let Some(client) = client {
            let client = clients::find(tx, owner, client)?.ok_or_else(missing)?;
            let employee = employee.map(|employee| employee.id);
            return Ok((User::of_client(owner, client, employee), person));
        }
        let found = owners::find(tx, owner)?.ok_or_else(missing)?;
        Ok(match employee {
            Some(employee) => (User::of_employee(owner, &found, &employee), person),
            None => {
                let person = is_owner.then(|| PersonRecord::of_owner(owner, &found));
                (User::of_owner(owner, found), person)
            }
        })
    };
    Ok(app.store.look_up(act.meter(), find).await?)
}

fn missing() -> Fault {
    Fault::broken("whom a caller works for is missing")
}
