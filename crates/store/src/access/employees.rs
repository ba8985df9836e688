//! Employees: people of an owner, or of a client of it, who sign in by themselves. Their sessions are in
//! [`crate::sessions`].

use std::fmt;
use std::time::Duration;

use domain::ids::{ClientId, EmployeeId, OwnerId};
use domain::invitation::InvitationHash;
use domain::rights::Rights;
use domain::secret::PersonalText;
use domain::time::Timestamp;

use crate::ended::{self, EndedThing};
use crate::fault::Fault;
use crate::issuers::Inviter;
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};
use crate::value::Row;

/// The employee `e`, as [`read`] reads it.
macro_rules! employee_columns {
    () => {
        "e.id as employee_id, e.email as employee_email, e.name as employee_name, e.permissions, \
         e.is_active as employee_is_active, e.password_hash as employee_password_hash, e.invitation_hash, \
         e.invitation_expires_at, e.accepted_at, e.removed_at, e.created_at as employee_created_at, \
         e.updated_at as employee_updated_at, e.client_id, e.invited_by, e.invited_at, \
         e.invited_session, e.invited_from"
    };
}

pub(crate) use employee_columns;

/// The employees of the owner `$1`.
macro_rules! selected {
    () => {
        concat!("select ", employee_columns!(), " from employees e where owner_id = $1 ")
    };
}

/// Margin by which an end is dated back, so that no node whose clock is behind still takes the ended thing for valid.
/// No two clocks are further apart: a node whose clock differs from the database's by two seconds is not ready.
const CLOCKS_APART: Duration = Duration::from_secs(60);

statements! {
    FIND = Sql::new(concat!(selected!(), "and id = $2"));

    FIND_BY_EMAIL = Sql::new(concat!(selected!(), "and email = $2 and removed_at is null"));

    PAGE = Sql::new(concat!(
        selected!(),
        "and client_id is null and removed_at is null order by id desc limit $2 offset $3"
    ));

    COUNT = Sql::new(
        "select count(*) as total from employees where owner_id = $1 and client_id is null and removed_at is null",
    );

    PAGE_OF_CLIENT = Sql::new(concat!(
        selected!(),
        "and client_id = $4 and removed_at is null order by id desc limit $2 offset $3"
    ));

    COUNT_OF_CLIENT = Sql::new(
        "select count(*) as total from employees where owner_id = $1 and client_id = $2 and removed_at is null",
    );

    INSERT = Sql::new(
        "insert into employees (owner_id, id, email, name, permissions, is_active, password_hash, invitation_hash, \
         invitation_expires_at, accepted_at, removed_at, created_at, updated_at, invited_at, client_id, invited_by, \
         invited_session, invited_from) \
         values ($1, $2, $3, $4, $5, true, null, $6, $7, null, null, $8, $8, $8, $9, $10, $11, $12)",
    )
    .writes_auth();

    CHANGE = Sql::new(
        "update employees set name = $3, permissions = $4, is_active = $5, updated_at = $6 \
         where owner_id = $1 and id = $2 and removed_at is null",
    )
    .writes_auth();

    END_INVITATIONS_OF = Sql::new(
        "update employees set invitation_expires_at = $3 where owner_id = $1 \
         and invited_by is not distinct from $2 and accepted_at is null and removed_at is null \
         and invitation_expires_at > $3",
    )
    .writes_auth();

    END_INVITATIONS = Sql::new(
        "update employees set invitation_expires_at = $2 where owner_id = $1 \
         and accepted_at is null and removed_at is null and invitation_expires_at > $2",
    )
    .writes_auth();

    INVITE_AGAIN = Sql::new(
        "update employees set invitation_hash = $3, invitation_expires_at = $4, updated_at = $5, invited_at = $5, \
         invited_by = $6, invited_session = $7, invited_from = $8 \
         where owner_id = $1 and id = $2 and accepted_at is null and removed_at is null",
    )
    .writes_auth();

    ACCEPT = Sql::new(
        "update employees set name = $4, password_hash = $5, accepted_at = $6, updated_at = $6, \
         invitation_hash = null, invitation_expires_at = null \
         where owner_id = $1 and id = $2 and invitation_hash = $3 and removed_at is null returning id",
    )
    .writes_auth();

    REPLACE_PASSWORD_HASH = Sql::new(
        "update employees set password_hash = $3, updated_at = $4 \
         where owner_id = $1 and id = $2 and password_hash = $5",
    )
    .writes_auth();

    SET_PASSWORD_HASH = Sql::new(
        "update employees set password_hash = $3, updated_at = $4 \
         where owner_id = $1 and id = $2 and password_hash is not null",
    )
    .writes_auth();

    SET_EMAIL = Sql::new(
        "update employees set email = $3, updated_at = $4 \
         where owner_id = $1 and id = $2 and password_hash is not null",
    )
    .writes_auth();

    REMOVE = Sql::new(
        "update employees set removed_at = $3, updated_at = $3, is_active = false, password_hash = null, \
         invitation_hash = null, invitation_expires_at = null \
         where owner_id = $1 and id = $2 and removed_at is null",
    )
    .writes_auth();

    PASSWORD_COSTS = Sql::across_owners(
        "select substr(p.password_hash, 1, length(p.password_hash) - 67) as beginning, \
         cast(count(*) as bigint) as total \
         from (select password_hash from employees where owner_id > $1 \
          and length(password_hash) > 67 order by owner_id asc limit 10000) p \
         group by substr(p.password_hash, 1, length(p.password_hash) - 67)",
        "an address that nobody has costs as much as those that somebody has, asked once at start",
    );
}

/// How many employees one owner may have.
pub const EMPLOYEES_MAX: i64 = 500;

/// How many people one client may have.
pub const CLIENT_EMPLOYEES_MAX: i64 = 100;

/// An employee of an owner or of a client.
#[derive(Clone, PartialEq, Eq)]
pub struct Employee {
    /// Its id.
    pub id: EmployeeId,
    /// The client whose person it is; nothing for the owner's own.
    pub client: Option<ClientId>,
    /// What it signs in with once it has accepted.
    pub email: PersonalText,
    /// Its name.
    pub name: String,
    /// What it may do.
    pub rights: Rights,
    /// Whether it may use the service.
    pub is_active: bool,
    /// The Argon2id hash of its password, in PHC form.
    pub password_hash: Option<String>,
    /// Its invitation, unless it was accepted: by what it is known, and until when it is good.
    pub invitation: Option<Invitation>,
    /// Who invited it last.
    pub inviter: Inviter,
    /// When that was.
    pub invited_at: Timestamp,
    /// When it accepted.
    pub accepted_at: Option<Timestamp>,
    /// When it was removed for good.
    pub removed_at: Option<Timestamp>,
    /// When it was invited first.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

/// An invitation that nobody has accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Invitation {
    /// All that is kept of its secret.
    pub hash: InvitationHash,
    /// From when on it is over.
    pub expires_at: Timestamp,
}

impl fmt::Debug for Employee {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Employee").field("id", &self.id).finish_non_exhaustive()
    }
}

impl fmt::Debug for Acceptance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Acceptance(…)")
    }
}

/// The employee of that id, one that was removed among them.
///
/// # Errors
/// A fault of the store.
pub fn find(tx: &mut Tx<'_>, owner: OwnerId, id: EmployeeId) -> Result<Option<Employee>, Fault> {
    tx.query_opt(&FIND, &[owner.into(), id.into()])?.as_ref().map(read).transpose()
}

/// The owner's employee of that address that was not removed.
///
/// # Errors
/// A fault of the store.
pub fn find_by_email(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    email: &str,
) -> Result<Option<Employee>, Fault> {
    tx.query_opt(&FIND_BY_EMAIL, &[owner.into(), email.into()])?.as_ref().map(read).transpose()
}

/// Some of the owner's own employees, or of the people of that client, the newest first.
///
/// # Errors
/// A fault of the store.
pub fn page(
    tx: &mut Tx<'_>,
    (owner, client): (OwnerId, Option<ClientId>),
    (limit, offset): (i64, i64),
) -> Result<Vec<Employee>, Fault> {
    let rows = match client {
        None => tx.query(&PAGE, &[owner.into(), limit.into(), offset.into()])?,
        Some(client) => {
            let params = [owner.into(), limit.into(), offset.into(), client.into()];
            tx.query(&PAGE_OF_CLIENT, &params)?
        }
    };
    rows.iter().map(read).collect()
}

/// How many employees of its own the owner has, or how many people that client.
///
/// # Errors
/// A fault of the store.
pub fn count(tx: &mut Tx<'_>, (owner, client): (OwnerId, Option<ClientId>)) -> Result<i64, Fault> {
    let row = match client {
        None => tx.query_one(&COUNT, &[owner.into()])?,
        Some(client) => tx.query_one(&COUNT_OF_CLIENT, &[owner.into(), client.into()])?,
    };
    row.get("total")
}

/// Writes an employee who was just invited.
///
/// # Errors
/// A fault of the store.
pub fn insert(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    new: &Employee,
    invitation: Invitation,
) -> Result<(), Fault> {
    let params = [
        owner.into(),
        new.id.into(),
        new.email.as_str().into(),
        new.name.as_str().into(),
        new.rights.bits().into(),
        (&invitation.hash.to_bytes()).into(),
        invitation.expires_at.into(),
        new.created_at.into(),
        new.client.into(),
        new.inviter.employee.into(),
        new.inviter.session.into(),
        new.inviter.address.clone().into(),
    ];
    tx.defer(&INSERT, params, Expect::Rows(1))
}

/// Writes an employee's name, what it may do and whether it may use the service.
///
/// # Errors
/// A fault of the store.
pub fn change(tx: &mut Tx<'_>, owner: OwnerId, employee: &Employee) -> Result<(), Fault> {
    let params = [
        owner.into(),
        employee.id.into(),
        employee.name.as_str().into(),
        employee.rights.bits().into(),
        employee.is_active.into(),
        employee.updated_at.into(),
    ];
    tx.defer(&CHANGE, params, Expect::Rows(1))
}

/// Puts another invitation, by that person, into the place of the former one, which was not accepted.
///
/// # Errors
/// A fault of the store.
pub fn invite_again(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: EmployeeId,
    (invitation, inviter): (Invitation, &Inviter),
    now: Timestamp,
) -> Result<(), Fault> {
    let params = [
        owner.into(),
        id.into(),
        (&invitation.hash.to_bytes()).into(),
        invitation.expires_at.into(),
        now.into(),
        inviter.employee.into(),
        inviter.session.into(),
        inviter.address.clone().into(),
    ];
    tx.defer(&INVITE_AGAIN, params, Expect::Rows(1))
}

/// Ends the invitations that are open of an employee, or of the owner: somebody who had its session may know them.
///
/// # Errors
/// A fault of the store.
pub fn end_invitations_of(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    inviter: Option<EmployeeId>,
    now: Timestamp,
) -> Result<(), Fault> {
    let ended = now.minus(CLOCKS_APART);
    tx.defer(&END_INVITATIONS_OF, [owner.into(), inviter.into(), ended.into()], Expect::Any)
}

/// Ends all invitations of the owner and its employees that are open.
///
/// # Errors
/// A fault of the store.
pub fn end_invitations(tx: &mut Tx<'_>, owner: OwnerId, now: Timestamp) -> Result<(), Fault> {
    let ended = now.minus(CLOCKS_APART);
    tx.defer(&END_INVITATIONS, [owner.into(), ended.into()], Expect::Any)
}

/// Answer of an invited person.
#[derive(Clone)]
pub struct Acceptance {
    /// By which invitation.
    pub invitation: InvitationHash,
    /// Its name.
    pub name: String,
    /// The Argon2id hash of the password that it chose.
    pub password_hash: String,
}

/// Accepts an invitation, once: answers whether it was still there.
///
/// # Errors
/// A fault of the store.
pub fn accept(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: EmployeeId,
    acceptance: &Acceptance,
    now: Timestamp,
) -> Result<bool, Fault> {
    let params = [
        owner.into(),
        id.into(),
        (&acceptance.invitation.to_bytes()).into(),
        acceptance.name.as_str().into(),
        acceptance.password_hash.as_str().into(),
        now.into(),
    ];
    Ok(!tx.query(&ACCEPT, &params)?.is_empty())
}

/// Puts another hash into the place of `former`, if that is still there.
///
/// # Errors
/// A fault of the store.
pub fn replace_password_hash(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: EmployeeId,
    (former, new): (&str, &str),
    now: Timestamp,
) -> Result<(), Fault> {
    let params = [owner.into(), id.into(), new.into(), now.into(), former.into()];
    tx.defer(&REPLACE_PASSWORD_HASH, params, Expect::Any)
}

/// Sets what an employee who has accepted signs in with.
///
/// # Errors
/// A fault of the store.
pub fn set_email(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: EmployeeId,
    email: &str,
    now: Timestamp,
) -> Result<(), Fault> {
    tx.defer(&SET_EMAIL, [owner.into(), id.into(), email.into(), now.into()], Expect::Rows(1))
}

/// Sets the password's hash of an employee who signs in.
///
/// # Errors
/// A fault of the store.
pub fn set_password_hash(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: EmployeeId,
    hash: &str,
    now: Timestamp,
) -> Result<(), Fault> {
    let params = [owner.into(), id.into(), hash.into(), now.into()];
    ended::note(tx, owner, EndedThing::Password(Some(id)), now);
    tx.defer(&SET_PASSWORD_HASH, params, Expect::Rows(1))
}

/// Takes an employee's access away for good. Its row stays.
///
/// # Errors
/// A fault of the store.
pub fn remove(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: EmployeeId,
    now: Timestamp,
) -> Result<(), Fault> {
    ended::note(tx, owner, EndedThing::Person(id), now);
    tx.defer(&REMOVE, [owner.into(), id.into(), now.into()], Expect::Any)
}

/// How many of some thousand hashes are kept at each cost, as [`crate::owners::password_costs`].
///
/// # Errors
/// A fault of the store.
pub fn password_costs(tx: &mut Tx<'_>) -> Result<Vec<(String, u64)>, Fault> {
    let rows = tx.query(&PASSWORD_COSTS, &[OwnerId::from_bytes([0; 16]).into()])?;
    let read = |row: &Row| {
        let count: i64 = row.get("total")?;
        Ok((row.get("beginning")?, u64::try_from(count).unwrap_or_default()))
    };
    rows.iter().map(read).collect()
}

/// Reads [`employee_columns`].
pub(crate) fn read(row: &Row) -> Result<Employee, Fault> {
    let rights = Rights::from_bits(row.get("permissions")?);
    let hash: Option<[u8; 32]> = row.get("invitation_hash")?;
    let expires_at: Option<Timestamp> = row.get("invitation_expires_at")?;
    Ok(Employee {
        id: row.get("employee_id")?,
        client: row.get("client_id")?,
        inviter: Inviter::read(row)?,
        invited_at: row.get("invited_at")?,
        email: PersonalText::new(row.get("employee_email")?),
        name: row.get("employee_name")?,
        rights: rights.ok_or_else(|| Fault::broken("an employee has an unknown right"))?,
        is_active: row.get("employee_is_active")?,
        password_hash: row.get("employee_password_hash")?,
        invitation: hash.zip(expires_at).map(|(hash, expires_at)| Invitation {
            hash: InvitationHash::from_bytes(hash),
            expires_at,
        }),
        accepted_at: row.get("accepted_at")?,
        removed_at: row.get("removed_at")?,
        created_at: row.get("employee_created_at")?,
        updated_at: row.get("employee_updated_at")?,
    })
}
