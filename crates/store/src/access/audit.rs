//! The audit trail: who changed what, written with the change; and who was refused, counted.

use std::ops::Range;
use std::time::Duration;

use domain::ids::{AuditId, EmployeeId, OwnerId};
use domain::time::Timestamp;

use crate::fault::Fault;
use crate::list::{List, Page, PageBounds, counted, first_id};
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};
use crate::value::Row;

statements! {
    INSERT = Sql::new(
        "insert into audit (owner_id, id, actor, action, subject, address, created_at, employee_id, before_change, \
         after_change) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
    );

    INSERT_REFUSAL = Sql::new(
        "insert into audit (owner_id, id, actor, action, subject, address, created_at, employee_id, times, sources) \
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
    );

    REFUSED_LATELY = Sql::new(
        "select id, times, sources from audit where owner_id = $1 and action = $2 and subject = $3 and id >= $4 \
         and times is not null and coalesce(employee_id, $1) = $5 order by id desc limit 1",
    );

    REFUSED_AGAIN = Sql::new(
        "update audit set times = times + $3, sources = $4 where owner_id = $1 and id = $2 and times is not null",
    );

    FEW_REFUSALS = Sql::new(
        "select cast(coalesce(sum(times), 0) as bigint) as total from audit \
         where owner_id = $1 and action = $2 and subject = $3 and id >= $4 and times is not null and times < $5",
    );

    PAGE = Sql::new(
        "select a.id, a.actor, a.action, a.subject, a.address, a.created_at, a.employee_id, e.name, \
         a.before_change, a.after_change, a.times, a.sources from audit a \
         left join employees e on e.owner_id = $1 and e.id = a.employee_id \
         where a.owner_id = $1 and a.id >= $2 and a.id < $3 order by a.id desc limit $4 offset $5",
    );

    COUNT = counted!("from audit where owner_id = $1 and id >= $2 and id < $3", "$4");

    COUNT_DONE =
        counted!("from audit where owner_id = $1 and id >= $2 and action = $3 and subject = $4", "$5");

    EXISTS = Sql::new("select id from audit where owner_id = $1 and id = $2");
}

const CHANGES: List = List { page: &PAGE, count: &COUNT };

/// How long refusals of one kind are counted in one entry.
const REFUSALS_WINDOW: Duration = Duration::from_secs(60 * 60);

/// One change, who made it, and from where.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its id.
    pub id: AuditId,
    /// A session's or a key's id, or `command line`, or `payer's page`.
    pub actor: String,
    /// The employee whose session it is.
    pub employee: Option<EmployeeId>,
    /// What was done, by the operation's name.
    pub action: &'static str,
    /// The id of what it was done to.
    pub subject: String,
    /// The address that it came from.
    pub address: Option<String>,
}

/// Before and after of a change: JSON objects of the same names, without a secret. `before` is `None` for what was
/// made, and `after` for what is gone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// As it was.
    pub before: Option<String>,
    /// As it is.
    pub after: Option<String>,
}

/// Writes an entry about a change that has no facts to record.
///
/// # Errors
/// A fault of the store.
pub fn insert(tx: &mut Tx<'_>, owner: OwnerId, entry: &Entry, now: Timestamp) -> Result<(), Fault> {
    insert_change(tx, owner, entry, &Change::default(), now)
}

/// Writes an entry with what was changed.
///
/// # Errors
/// A fault of the store.
pub fn insert_change(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    entry: &Entry,
    change: &Change,
    now: Timestamp,
) -> Result<(), Fault> {
    let params = [
        owner.into(),
        entry.id.into(),
        entry.actor.as_str().into(),
        entry.action.into(),
        entry.subject.as_str().into(),
        entry.address.clone().into(),
        now.into(),
        entry.employee.into(),
        change.before.clone().into(),
        change.after.clone().into(),
    ];
    tx.defer(&INSERT, params, Expect::Any)
}

/// An entry that counts refusals.
#[derive(Clone, Debug)]
pub struct Refused {
    /// Its id.
    pub id: AuditId,
    /// How many it counts.
    pub times: i64,
    /// From where they came, as it was written.
    pub sources: Option<String>,
}

/// The entry that counts what is refused as `entry` is, if one began within the hour before: a flood of refusals of one
/// kind is one entry an hour.
///
/// # Errors
/// A fault of the store.
pub fn refused_lately(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    entry: &Entry,
    now: Timestamp,
) -> Result<Option<Refused>, Fault> {
    let who = entry.employee.map_or_else(|| owner.to_bytes(), EmployeeId::to_bytes);
    let params = [
        owner.into(),
        entry.action.into(),
        entry.subject.as_str().into(),
        first_id(now.minus(REFUSALS_WINDOW)).into(),
        who.into(),
    ];
    let read = |row: Row| {
        Ok(Refused { id: row.get("id")?, times: row.get("times")?, sources: row.get("sources")? })
    };
    tx.query_opt(&REFUSED_LATELY, &params)?.map(read).transpose()
}

/// Writes that something was refused so many times, and from where.
///
/// # Errors
/// A fault of the store.
pub fn insert_refusal(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    entry: &Entry,
    (times, sources): (i64, &str),
    now: Timestamp,
) -> Result<(), Fault> {
    let params = [
        owner.into(),
        entry.id.into(),
        entry.actor.as_str().into(),
        entry.action.into(),
        entry.subject.as_str().into(),
        entry.address.clone().into(),
        now.into(),
        entry.employee.into(),
        times.into(),
        sources.into(),
    ];
    tx.defer(&INSERT_REFUSAL, params, Expect::Any)
}

/// Counts so many more in that entry, which says from where all came.
///
/// # Errors
/// A fault of the store.
pub fn refused_again(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: AuditId,
    (times, sources): (i64, &str),
) -> Result<(), Fault> {
    let params = [owner.into(), id.into(), times.into(), sources.into()];
    tx.defer(&REFUSED_AGAIN, params, Expect::Rows(1))
}

/// How many refusals of that action and subject there were since then, of those entries that count fewer than `below`.
///
/// # Errors
/// A fault of the store.
pub fn few_refusals(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    (action, subject): (&str, &str),
    since: Timestamp,
    below: i64,
) -> Result<i64, Fault> {
    let params =
        [owner.into(), action.into(), subject.into(), first_id(since).into(), below.into()];
    tx.query_one(&FEW_REFUSALS, &params)?.get("total")
}

/// How often that was done to that subject since then, counted up to `max`.
///
/// # Errors
/// A fault of the store.
pub fn count_done(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    (action, subject): (&str, &str),
    since: Timestamp,
    max: i64,
) -> Result<i64, Fault> {
    let params = [owner.into(), first_id(since).into(), action.into(), subject.into(), max.into()];
    tx.query_one(&COUNT_DONE, &params)?.get("total")
}

/// A change or a refusal as it is listed.
#[derive(Clone, Debug)]
pub struct Listed {
    /// Its id.
    pub id: AuditId,
    /// Who made it.
    pub actor: String,
    /// The employee whose session that is, and its name.
    pub employee: Option<(EmployeeId, String)>,
    /// What was done, by the operation's name.
    pub action: String,
    /// The id of what it was done to.
    pub subject: String,
    /// What was changed.
    pub change: Change,
    /// The address that it came from.
    pub address: Option<String>,
    /// When.
    pub created_at: Timestamp,
    /// How often it was refused within the hour from then on; nothing where it was done.
    pub times: Option<i64>,
    /// From where the refusals came, as it was written with them.
    pub sources: Option<String>,
}

/// A page of the changes within `span`, the latest first, and how many there are, up to a limit.
///
/// # Errors
/// A fault of the store.
pub fn page(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    span: &Range<Timestamp>,
    bounds: PageBounds,
) -> Result<Page<Listed>, Fault> {
    let span = [owner.into(), first_id(span.start).into(), first_id(span.end).into()];
    CHANGES.read(tx, &span, bounds)?.rows(|row| {
        let (employee, name): (Option<EmployeeId>, Option<String>) =
            (row.get("employee_id")?, row.get("name")?);
        Ok(Listed {
            employee: employee.map(|id| (id, name.unwrap_or_default())),
            id: row.get("id")?,
            actor: row.get("actor")?,
            action: row.get("action")?,
            subject: row.get("subject")?,
            change: Change { before: row.get("before_change")?, after: row.get("after_change")? },
            address: row.get("address")?,
            created_at: row.get("created_at")?,
            times: row.get("times")?,
            sources: row.get("sources")?,
        })
    })
}

/// Tells whether that change has been made. A job whose commit was lost asks so.
///
/// # Errors
/// A fault of the store.
pub fn exists(tx: &mut Tx<'_>, owner: OwnerId, id: AuditId) -> Result<bool, Fault> {
    Ok(tx.query_opt(&EXISTS, &[owner.into(), id.into()])?.is_some())
}
