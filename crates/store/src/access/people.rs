//! The person who signs in, read at once: the owner, or an employee of it with its client. The statements are the
//! same for every person, and where there is none, so that neither their number nor their time shows who it is.

use std::fmt;

use domain::ids::{ActorId, OwnerId};
use domain::sign_in::{Failures, Origin};

use crate::clients::{self, Client, client_columns};
use crate::employees::{self, Employee, employee_columns};
use crate::fault::Fault;
use crate::locators::{self, Kind, Located};
use crate::owners::{self, Owner};
use crate::sign_in_failures::{self, Subject};
use crate::sql::Sql;
use crate::statements;
use crate::tx::Tx;
use crate::value::Row;

statements! {
    FIND = Sql::new(concat!(
        "select p.email, p.name, p.password_hash, p.is_active, o.balance, o.reserved, \
         a.plan_id, coalesce(a.is_active, true) as plan_is_active, ",
        employee_columns!(),
        ", ",
        client_columns!(),
        ", n.seen_at from owners o join owner_profiles p on p.owner_id = $1 \
         left join owner_plans a on a.owner_id = $1 \
         left join employees e on e.owner_id = $1 and e.id = $2 \
         left join clients c on c.owner_id = $1 and c.id = e.client_id \
         left join sign_in_networks n on n.owner_id = $1 and n.person_id = $2 and n.network = $3 \
         where o.owner_id = $1",
    ));
}

/// A network that nobody signs in from, where it is not known: `$3` stands in the condition of an outer join.
const NOWHERE: &str = "";

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
    /// Returns the address that the person signs in with.
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

/// Facts of a sign-in before its password is looked at.
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
    let params = [owner.into(), person.into(), network.unwrap_or(NOWHERE).into()];
    let row = tx.query_opt(&FIND, &params)?;
    row.as_ref().map(read).transpose()
}

/// Whom an address leads to, and what was wrong before: the same statements for every person, and where it is nobody.
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
    let params = [owner.into(), subject.into(), network.unwrap_or(NOWHERE).into()];
    let person = tx.query_opt(&FIND, &params)?.as_ref().map(read).transpose()?;
    Ok(Asked { found: located.zip(person), failures })
}

fn read(row: &Row) -> Result<Person, Fault> {
    let has = |column: &str| Ok::<_, Fault>(row.get::<Option<[u8; 16]>>(column)?.is_some());
    let seen_at: Option<domain::time::Timestamp> = row.get("seen_at")?;
    Ok(Person {
        owner: owners::read(row)?,
        employee: if has("employee_id")? { Some(employees::read(row)?) } else { None },
        client: if has("client")? { Some(clients::read(row)?) } else { None },
        origin: if seen_at.is_some() { Origin::Known } else { Origin::Stranger },
    })
}
