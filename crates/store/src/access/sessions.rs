//! Sessions: each request of a session checks its row, so that an end takes effect at once.

use domain::ids::{ClientId, EmployeeId, OwnerId, SessionId};
use domain::rights::Rights;
use domain::second_factor::Proof;
use domain::session::Session;
use domain::session_cookie::CookieHash;
use domain::time::Timestamp;

use crate::fault::Fault;
use crate::list::{List, Page, PageBounds, counted};
use crate::owners;
use crate::point_query::{PointQuery, at_most_one};
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};
use crate::value::{Row, Value};

/// What decides about a call of the session `s`, of the owner's profile `p`, of the employee `e`, of its client `c` and
/// of the second factor `f`: what [`standing`] reads.
macro_rules! session_columns {
    () => {
        "s.created_at, s.turn, s.turned_at, s.expires_at, s.ended_at, p.is_active as owner_is_active, \
         s.employee_id, e.is_active as employee_is_active, e.permissions, c.id as client, \
         c.is_active as client_is_active, c.payments_enabled, s.proved_at, f.confirmed_at, s.cookie_hash"
    };
}

pub(crate) use session_columns;

statements! {
    FIND = Sql::new(concat!(
        "select ",
        session_columns!(),
        " from sessions s join owner_profiles p on p.owner_id = $1 \
         left join employees e on e.owner_id = $1 and e.id = s.employee_id \
         left join clients c on c.owner_id = $1 and c.id = e.client_id \
         left join second_factors f on f.owner_id = $1 and f.person_id = coalesce(s.employee_id, $1) \
         where s.owner_id = $1 and s.id = $2",
    ))
    .reads_auth();

    LOCK = Sql::new(
        "select created_at, turn, turned_at, expires_at, ended_at, employee_id from sessions \
         where owner_id = $1 and id = $2 for update",
    );

    INSERT = Sql::new(
        "insert into sessions (owner_id, id, created_at, turn, turned_at, expires_at, address, employee_id, proved_at) \
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
    )
    .writes_auth();

    SET_COOKIE = Sql::new("update sessions set cookie_hash = $3 where owner_id = $1 and id = $2").writes_auth();

    PROVE = Sql::new("update sessions set proved_at = $3 where owner_id = $1 and id = $2 and ended_at is null")
        .writes_auth();

    TURN = Sql::new(
        "update sessions set turn = $2, turned_at = $3, expires_at = $4 \
         where owner_id = $1 and id = $5 and ended_at is null",
    )
    .writes_auth();

    END = Sql::new(
        "update sessions set ended_at = $2, expires_at = $2 \
         where owner_id = $1 and id = $3 and ended_at is null",
    )
    .writes_auth();

    END_ALL = Sql::new(
        "update sessions set ended_at = $2, expires_at = $2 where owner_id = $1 and ended_at is null",
    )
    .writes_auth();

    WITH_OPEN = Sql::across_owners(
        "select o.owner_id from owners o where o.owner_id > $1 and \
         (exists (select s.id from sessions s where s.owner_id = o.owner_id and s.ended_at is null) \
         or exists (select c.person_id from email_changes c where c.owner_id = o.owner_id) \
         or exists (select e.id from employees e where e.owner_id = o.owner_id \
         and e.accepted_at is null and e.removed_at is null and e.invitation_expires_at > $3)) \
         order by o.owner_id asc limit $2",
        "the operator ends every session, owner by owner",
    );

    END_SOME = Sql::new(
        "update sessions set ended_at = $2, expires_at = $2 where owner_id = $1 and id in \
         (select s.id from sessions s where s.owner_id = $1 and s.ended_at is null limit $3)",
    )
    .writes_auth();

    END_OF_EMPLOYEE = Sql::new(
        "update sessions set ended_at = $2, expires_at = $2 \
         where owner_id = $1 and employee_id = $3 and ended_at is null",
    )
    .writes_auth();

    END_OF_CLIENT = Sql::new(
        "update sessions set ended_at = $2, expires_at = $2 \
         where owner_id = $1 and ended_at is null and employee_id in \
         (select e.id from employees e where e.owner_id = $1 and e.client_id = $3 and e.removed_at is null)",
    )
    .writes_auth();

    END_OWN = Sql::new(
        "update sessions set ended_at = $2, expires_at = $2 \
         where owner_id = $1 and employee_id is null and ended_at is null",
    )
    .writes_auth();

    END_OTHERS = Sql::new(
        "update sessions set ended_at = $2, expires_at = $2 \
         where owner_id = $1 and employee_id is null and id <> $3 and ended_at is null",
    )
    .writes_auth();

    END_OTHERS_OF_EMPLOYEE = Sql::new(
        "update sessions set ended_at = $2, expires_at = $2 \
         where owner_id = $1 and employee_id = $4 and id <> $3 and ended_at is null",
    )
    .writes_auth();

    // The sessions that are over are deleted after a month, so that there are never many to walk through.
    PAGE = Sql::new(
        "select created_at, turn, turned_at, expires_at, ended_at, employee_id, id, address, browser, platform \
         from sessions where owner_id = $1 and ended_at is null and expires_at > $2 \
         order by id desc limit $3 offset $4",
    );

    COUNT = counted!(
        "from sessions where owner_id = $1 and ended_at is null and expires_at > $2", "$3"
    );

    PAGE_OF_EMPLOYEE = Sql::new(
        "select created_at, turn, turned_at, expires_at, ended_at, employee_id, id, address, browser, platform \
         from sessions where owner_id = $1 and employee_id = $3 and ended_at is null and expires_at > $2 \
         order by id desc limit $4 offset $5",
    );

    COUNT_OF_EMPLOYEE = counted!(
        "from sessions where owner_id = $1 and employee_id = $3 and ended_at is null \
         and expires_at > $2", "$4"
    );

    OVER_OWNERS = Sql::across_owners(
        "select owner_id, expires_at from sessions where expires_at <= $1 \
         order by expires_at asc limit $2",
        "the janitor looks for owners whose sessions were over long ago",
    );

    DELETE_OVER = Sql::new(
        "delete from sessions where owner_id = $1 and id in \
         (select s.id from sessions s where s.owner_id = $1 and s.expires_at <= $2 limit $3)",
    )
    .writes_auth();
}

const OPEN: List = List { page: &PAGE, count: &COUNT };

const OPEN_OF_EMPLOYEE: List = List { page: &PAGE_OF_EMPLOYEE, count: &COUNT_OF_EMPLOYEE };

/// Facts that decide about a session's call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The session.
    pub session: Session,
    /// Whether its owner may use the service.
    pub owner_is_active: bool,
    /// The employee whose session it is; nobody where it is the owner's own.
    pub employee: Option<EmployeeStanding>,
    /// The latest proof that its person is there.
    pub proof: Proof,
    /// The hash of the cookie that authenticates its requests, where a browser signed in.
    pub cookie: Option<CookieHash>,
}

/// Facts that decide about an employee's call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EmployeeStanding {
    /// The employee.
    pub id: EmployeeId,
    /// Whether it may use the service.
    pub is_active: bool,
    /// What it may do, where it is an employee of the owner.
    pub rights: Rights,
    /// The client whose person it is; nothing for the owner's own.
    pub client: Option<ClientStanding>,
}

/// Facts that decide about a call of a client's person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientStanding {
    /// The client.
    pub id: ClientId,
    /// Whether it may use the service.
    pub is_active: bool,
    /// Whether it may verify payments and make links.
    pub payments_enabled: bool,
}

/// Builds the query for the facts that decide about a call of the session of that id.
#[must_use]
pub fn find(owner: OwnerId, id: SessionId) -> PointQuery<Option<Standing>> {
    PointQuery::new(&FIND, [owner.into(), id.into()], |rows| {
        at_most_one(rows)?.map(standing).transpose()
    })
}

/// The session of that id, its row locked, and the employee whose it is.
///
/// # Errors
/// A fault of the store.
pub fn lock(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: SessionId,
) -> Result<Option<(Session, Option<EmployeeId>)>, Fault> {
    let row = tx.query_opt(&LOCK, &[owner.into(), id.into()])?;
    row.map(|row| Ok((read(&row)?, row.get("employee_id")?))).transpose()
}

/// Opens a session for who signed in at that address: an employee, or the owner. It has a proof where a code was shown.
///
/// # Errors
/// A fault of the store.
pub fn insert(
    tx: &mut Tx<'_>,
    (owner, employee): (OwnerId, Option<EmployeeId>),
    id: SessionId,
    (session, is_proved): (&Session, bool),
    address: Option<&str>,
) -> Result<(), Fault> {
    let params = [
        owner.into(),
        id.into(),
        session.created_at.into(),
        session.turn.into(),
        session.turned_at.into(),
        session.expires_at.into(),
        address.into(),
        employee.into(),
        is_proved.then_some(session.created_at).into(),
    ];
    tx.defer(&INSERT, params, Expect::Rows(1))
}

/// Sets the cookie that authenticates a session that was just opened.
///
/// # Errors
/// A fault of the store.
pub fn set_cookie(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: SessionId,
    cookie: CookieHash,
) -> Result<(), Fault> {
    tx.defer(&SET_COOKIE, [owner.into(), id.into(), (&cookie.to_bytes()).into()], Expect::Rows(1))
}

/// Notes that a session has shown a code, or the password of a person without a second factor.
///
/// # Errors
/// A fault of the store.
pub fn prove(tx: &mut Tx<'_>, owner: OwnerId, id: SessionId, now: Timestamp) -> Result<(), Fault> {
    tx.defer(&PROVE, [owner.into(), id.into(), now.into()], Expect::Any)
}

/// Begins the session's next turn. Its row is locked.
///
/// # Errors
/// A fault of the store.
pub fn turn(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: SessionId,
    session: &Session,
) -> Result<(), Fault> {
    let params = [
        owner.into(),
        session.turn.into(),
        session.turned_at.into(),
        session.expires_at.into(),
        id.into(),
    ];
    tx.defer(&TURN, params, Expect::Rows(1))
}

/// Ends a session that nobody has ended yet.
///
/// # Errors
/// A fault of the store.
pub fn end(tx: &mut Tx<'_>, owner: OwnerId, id: SessionId, now: Timestamp) -> Result<(), Fault> {
    tx.defer(&END, [owner.into(), now.into(), id.into()], Expect::Any)
}

/// Ends all sessions of the owner that nobody has ended yet.
///
/// # Errors
/// A fault of the store.
pub fn end_all(tx: &mut Tx<'_>, owner: OwnerId, now: Timestamp) -> Result<(), Fault> {
    tx.defer(&END_ALL, [owner.into(), now.into()], Expect::Any)
}

/// Owners after that one who have sessions that nobody has ended, people who want another address, or invitations
/// that are open at `now`, in the order of their ids, at most `limit`.
///
/// # Errors
/// A fault of the store.
pub fn owners_with_open(
    tx: &mut Tx<'_>,
    (after, limit): (OwnerId, i64),
    now: Timestamp,
) -> Result<Vec<OwnerId>, Fault> {
    owners::each(&tx.query(&WITH_OPEN, &[after.into(), limit.into(), now.into()])?)
}

/// Ends at most `limit` sessions of the owner and its people that nobody has ended yet, and answers how many.
///
/// # Errors
/// A fault of the store.
pub fn end_some(tx: &mut Tx<'_>, owner: OwnerId, now: Timestamp, limit: i64) -> Result<u64, Fault> {
    tx.execute(&END_SOME, &[owner.into(), now.into(), limit.into()])
}

/// Ends all sessions of an employee that nobody has ended yet.
///
/// # Errors
/// A fault of the store.
pub fn end_of_employee(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    employee: EmployeeId,
    now: Timestamp,
) -> Result<(), Fault> {
    tx.defer(&END_OF_EMPLOYEE, [owner.into(), now.into(), employee.into()], Expect::Any)
}

/// Ends all sessions of a client's people that nobody has ended yet.
///
/// # Errors
/// A fault of the store.
pub fn end_of_client(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    client: ClientId,
    now: Timestamp,
) -> Result<(), Fault> {
    tx.defer(&END_OF_CLIENT, [owner.into(), now.into(), client.into()], Expect::Any)
}

/// Ends all sessions of a person: of an employee, or the owner's own.
///
/// # Errors
/// A fault of the store.
pub fn end_of_person(
    tx: &mut Tx<'_>,
    (owner, employee): (OwnerId, Option<EmployeeId>),
    now: Timestamp,
) -> Result<(), Fault> {
    match employee {
        Some(employee) => end_of_employee(tx, owner, employee, now),
        None => tx.defer(&END_OWN, [owner.into(), now.into()], Expect::Any),
    }
}

/// Ends all sessions of a person but that one: of an employee, or the owner's own.
///
/// # Errors
/// A fault of the store.
pub fn end_others(
    tx: &mut Tx<'_>,
    (owner, employee): (OwnerId, Option<EmployeeId>),
    kept: SessionId,
    now: Timestamp,
) -> Result<(), Fault> {
    match employee {
        Some(employee) => {
            let params = [owner.into(), now.into(), kept.into(), employee.into()];
            tx.defer(&END_OTHERS_OF_EMPLOYEE, params, Expect::Any)
        }
        None => tx.defer(&END_OTHERS, [owner.into(), now.into(), kept.into()], Expect::Any),
    }
}

/// A session as it is listed.
#[derive(Clone, Debug)]
pub struct Listed {
    /// Its id.
    pub id: SessionId,
    /// The session.
    pub session: Session,
    /// The employee whose it is.
    pub employee: Option<EmployeeId>,
    /// The address that signed in.
    pub address: Option<String>,
    /// The browser that it said.
    pub browser: Option<String>,
    /// The system that it said.
    pub system: Option<String>,
}

/// A page of the sessions that are open, the newest first, and how many there are, up to a limit: those of an
/// employee, or of the owner and all its people.
///
/// # Errors
/// A fault of the store.
pub fn page_open(
    tx: &mut Tx<'_>,
    (owner, employee): (OwnerId, Option<EmployeeId>),
    now: Timestamp,
    bounds: PageBounds,
) -> Result<Page<Listed>, Fault> {
    let mut whose: Vec<Value> = vec![owner.into(), now.into()];
    whose.extend(employee.map(Value::from));
    let list = if employee.is_some() { &OPEN_OF_EMPLOYEE } else { &OPEN };
    list.read(tx, &whose, bounds)?.rows(|row| {
        let (employee, id, address) =
            (row.get("employee_id")?, row.get("id")?, row.get("address")?);
        let (browser, system) = (row.get("browser")?, row.get("platform")?);
        Ok(Listed { session: read(row)?, employee, id, address, browser, system })
    })
}

/// Owners that have sessions which were over by that instant, at most `limit` sessions looked at.
///
/// # Errors
/// A fault of the store.
pub fn owners_with_over(
    tx: &mut Tx<'_>,
    over_by: Timestamp,
    limit: i64,
) -> Result<Vec<OwnerId>, Fault> {
    owners::each(&tx.query(&OVER_OWNERS, &[over_by.into(), limit.into()])?)
}

/// Deletes an owner's sessions that were over by that instant, at most `limit` of them.
///
/// # Errors
/// A fault of the store.
pub fn delete_over(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    over_by: Timestamp,
    limit: i64,
) -> Result<u64, Fault> {
    tx.execute(&DELETE_OVER, &[owner.into(), over_by.into(), limit.into()])
}

/// Reads [`session_columns`].
pub(crate) fn standing(row: &Row) -> Result<Standing, Fault> {
    let employee: Option<EmployeeId> = row.get("employee_id")?;
    let client: Option<ClientId> = row.get("client")?;
    let client = client.map(|id| {
        let (is_active, payments_enabled) =
            (row.get("client_is_active")?, row.get("payments_enabled")?);
        Ok::<_, Fault>(ClientStanding { id, is_active, payments_enabled })
    });
    let client = client.transpose()?;
    let employee = employee.map(|id| {
        let rights = Rights::from_bits(row.get("permissions")?);
        let rights = rights.ok_or_else(|| Fault::broken("an employee has an unknown right"))?;
        let is_active = row.get("employee_is_active")?;
        Ok::<_, Fault>(EmployeeStanding { id, is_active, rights, client })
    });
    let (proved_at, confirmed_at): (Option<Timestamp>, Option<Timestamp>) =
        (row.get("proved_at")?, row.get("confirmed_at")?);
    let cookie = row.get::<Option<[u8; 32]>>("cookie_hash")?.map(CookieHash::from_bytes);
    let session = read(row)?;
    let proof = match (confirmed_at, proved_at) {
        (Some(_), None) => Proof::Missing,
        (Some(_), Some(at)) => Proof::Given(at),
        (None, _) if cookie.is_none() => Proof::NotAsked,
        // The sign-in took the password, too.
        (None, at) => Proof::Password(at.unwrap_or(session.created_at)),
    };
    Ok(Standing {
        session,
        owner_is_active: row.get("owner_is_active")?,
        employee: employee.transpose()?,
        proof,
        cookie,
    })
}

fn read(row: &Row) -> Result<Session, Fault> {
    Ok(Session {
        created_at: row.get("created_at")?,
        turn: row.get("turn")?,
        turned_at: row.get("turned_at")?,
        expires_at: row.get("expires_at")?,
        ended_at: row.get("ended_at")?,
    })
}

#[cfg(test)]
mod tests;
