//! Whoever signs in, read at once: the owner, or an employee of it with its client. Whether there is one or none, and
//! whoever it is, it takes the same statements, so that neither their number nor their time tells.

use std::fmt;

use domain::ids::{ActorId, OwnerId};
use domain::sign_in::{Failures, Origin};

use crate::clients::{self, Client};
use crate::employees::{self, Employee};
use crate::fault::Fault;
use crate::locators::{self, Kind, Located};
use crate::owners::{self, Owner};
use crate::sign_in_failures::{self, Subject};
use crate::sql::Sql;
use crate::statements;
use crate::tx::Tx;
use crate::value::Row;

/// At which columns of [`FIND`] an employee, a client and a network begin.
const EMPLOYEE: usize = owners::COLUMNS;
const CLIENT: usize = EMPLOYEE + employees::COLUMNS;
const NETWORK: usize = CLIENT + clients::COLUMNS;

statements! {
    FIND = Sql::new(concat!(
        "select p.email, p.name, p.password_hash, p.is_active, o.balance, o.reserved, \
         a.plan_id, coalesce(a.is_active, true), ",
        "e.id, e.email, e.name, e.permissions, e.is_active, e.password_hash, e.invitation_hash, \
         e.invitation_expires_at, e.accepted_at, e.removed_at, e.created_at, e.updated_at, e.client_id, \
         e.invited_by, ",
        "c.id, c.name, c.email, c.document, c.is_active, c.payments_enabled, c.monthly_credit_limit, \
         c.created_at, c.updated_at, n.seen_at \
         from owners o join owner_profiles p on p.owner_id = $1 \
         left join owner_plans a on a.owner_id = $1 \
         left join employees e on e.owner_id = $1 and e.id = $2 \
         left join clients c on c.owner_id = $1 and c.id = e.client_id \
         left join sign_in_networks n on n.owner_id = $1 and n.person_id = $2 and n.network = $3 \
         where o.owner_id = $1",
    ));
}

/// Somebody of an owner's, or the owner.
#[derive(Clone)]
pub struct Person {
    /// The owner.
    pub owner: Owner,
    /// The employee, one that was removed among them; nobody where it is the owner, or where there is none of that id.
    pub employee: Option<Employee>,
    /// The client whose person the employee is.
    pub client: Option<Client>,
    /// Whether it has signed in from where it was asked for.
    pub origin: Origin,
}

impl Person {
    /// What it signs in with.
    #[must_use]
    pub fn email(&self) -> &str {
        self.employee.as_ref().map_or(&self.owner.email, |employee| employee.email.as_str())
    }
}

impl fmt::Debug for Person {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Person").field("employee", &self.employee).finish_non_exhaustive()
    }
}

/// What there is about a sign-in before its password is looked at.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Whom the address leads to, if to anybody.
    pub found: Option<(Located, Person)>,
    /// The wrong passwords of each subject.
    pub failures: [Option<Failures>; 2],
}

/// The person of that id, which is the owner's own or an employee's, and whether it knows that network.
///
/// # Errors
/// A fault of the store.
pub fn find(
    tx: &mut Tx<'_>,
    (owner, person): (OwnerId, ActorId),
    network: Option<&str>,
) -> Result<Option<Person>, Fault> {
    let row = tx.query_opt(&FIND, &[owner.into(), person.into(), network.into()])?;
    row.as_ref().map(read).transpose()
}

/// Whom an address leads to, and what was wrong before: the same statements whoever it is, and where it is nobody.
///
/// # Errors
/// A fault of the store.
pub fn ask(
    tx: &mut Tx<'_>,
    email: &[u8; 32],
    network: Option<&str>,
    subjects: &[Subject; 2],
) -> Result<Asked, Fault> {
    let (locator, by_email) = locators::finding(Kind::Email, email);
    let (failures, by_subject) = sign_in_failures::find(subjects);
    let mut answers = tx.query_all(&[(locator, &by_email), (failures, &by_subject)])?.into_iter();
    let located = answers.next().unwrap_or_default();
    let located = located.first().map(locators::located).transpose()?;
    let failures = sign_in_failures::read(&answers.next().unwrap_or_default(), subjects)?;
    // Nobody has these ids.
    let (owner, subject) =
        located.map_or(([0; 16], [0; 16]), |it| (it.owner.to_bytes(), it.subject));
    let params = [owner.into(), subject.into(), network.into()];
    let person = tx.query_opt(&FIND, &params)?.as_ref().map(read).transpose()?;
    Ok(Asked { found: located.zip(person), failures })
}

fn read(row: &Row) -> Result<Person, Fault> {
    let has = |column: usize| Ok::<_, Fault>(row.get::<Option<[u8; 16]>>(column)?.is_some());
    let seen_at: Option<domain::time::Timestamp> = row.get(NETWORK)?;
    Ok(Person {
        owner: owners::read(row)?,
        employee: if has(EMPLOYEE)? { Some(employees::read_from(row, EMPLOYEE)?) } else { None },
        client: if has(CLIENT)? { Some(clients::read_from(row, CLIENT)?) } else { None },
        origin: if seen_at.is_some() { Origin::Known } else { Origin::Stranger },
    })
}
