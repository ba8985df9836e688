//! Which notices no mail has reported, and what is done about them. All of it is written under the lock of the
//! owner's row, so that of several nodes that look at once one writes the mail.
//!
//! Notices are written without that lock, too: a row that a transaction holds just now is left for the next time.
//! However many there are of a kind, they take the same few statements.

use domain::ids::{MailId, OwnerId};
use domain::notices::{Item, Kind};
use domain::time::Timestamp;
use domain::webhooks::Trouble;

use crate::fault::Fault;
use crate::owners;
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};
use crate::value::{Row, Value};

statements! {
    DUE_OWNERS = Sql::across_owners(
        "select owner_id, mail_due_at from notices where mail_due_at <= $1 \
         order by mail_due_at asc, owner_id asc limit $2",
        "nodes look for owners with notices that no mail has told of",
    );

    DUE_KINDS = Sql::new(
        "select kind, count(*) as total from notices where owner_id = $1 and mail_due_at <= $2 \
         group by kind order by kind asc",
    );

    LATEST = Sql::new(
        "select kind, max(created_at) as latest_at from mails where owner_id = $1 and created_at > $2 \
         and created_at <= $3 and is_notice group by kind",
    );

    PUT_OFF = Sql::new(
        "update notices set mail_due_at = $4 where owner_id = $1 and id in (select n.id from notices n \
         where n.owner_id = $1 and n.mail_due_at <= $2 and n.kind = $3 order by n.id asc for update skip locked)",
    );

    SILENCE = Sql::new(
        "update notices set mail_due_at = null, mailed_times = times where owner_id = $1 and id in \
         (select n.id from notices n where n.owner_id = $1 and n.mail_due_at <= $2 and n.kind = $3 \
         and n.updated_at <= $4 order by n.id asc for update skip locked)",
    );

    MARK = Sql::new(
        "update notices set mail_due_at = null, mail_id = $4 where owner_id = $1 and id in \
         (select n.id from notices n where n.owner_id = $1 and n.mail_due_at <= $2 and n.kind = $3 \
         order by n.id asc for update skip locked)",
    );

    MARKED = Sql::new(
        "select cast(coalesce(sum(times - mailed_times), 0) as bigint) as new_times, \
         min(case when mailed_times = 0 then created_at else updated_at end) as since, \
         count(distinct subject) as subjects from notices where owner_id = $1 and mail_id = $2",
    );

    // Where a thing had several troubles, none is named.
    MARKED_LATEST = Sql::new(
        "select subject, cast(sum(times - mailed_times) as bigint) as new_times, \
         case when min(trouble) = max(trouble) then max(trouble) end as only_trouble, \
         max(case when livemode then 1 else 0 end) = 1 as livemode, max(updated_at) as latest from notices \
         where owner_id = $1 and mail_id = $2 group by subject order by latest desc, subject asc limit $3",
    );

    SETTLE = Sql::new("update notices set mailed_times = times where owner_id = $1 and mail_id = $2");

    SENT = Sql::new(
        "update notices set mailed_at = $3, mail_id = null where owner_id = $1 and id in (select n.id from notices n \
         where n.owner_id = $1 and n.mail_id = $2 order by n.id asc for update)",
    );
}

/// The notices of one kind of an owner of which a mail may be due by an instant.
#[derive(Clone, Copy, Debug)]
pub struct DueKind<'a> {
    /// The owner.
    pub owner: OwnerId,
    /// The kind, as it is kept: a newer program may know more of them.
    pub kind: &'a str,
    /// The instant.
    pub by: Timestamp,
}

impl DueKind<'_> {
    fn params<const N: usize>(self, more: [Value; N]) -> Vec<Value> {
        let mut params = vec![self.owner.into(), self.by.into(), self.kind.into()];
        params.extend(more);
        params
    }
}

/// Summary, for a mail, of the notices that were marked for it.
#[derive(Clone, Debug)]
pub struct Marked {
    /// How often it happened since a mail reported it.
    pub times: i64,
    /// When it happened first since then, as far as is known.
    pub since: Timestamp,
    /// How many things it was about.
    pub subjects: i64,
    /// The latest of them.
    pub latest: Vec<Item>,
}

/// Owners that have notices of which a mail may be due, at most `limit` notices looked at.
///
/// # Errors
/// A fault of the store.
pub fn owners_due(tx: &mut Tx<'_>, now: Timestamp, limit: i64) -> Result<Vec<OwnerId>, Fault> {
    owners::each(&tx.query(&DUE_OWNERS, &[now.into(), limit.into()])?)
}

/// The kinds of the owner's notices of which a mail may be due, and how many there are of each.
///
/// # Errors
/// A fault of the store.
pub fn due_kinds(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    now: Timestamp,
) -> Result<Vec<(String, i64)>, Fault> {
    let rows = tx.query(&DUE_KINDS, &[owner.into(), now.into()])?;
    rows.iter().map(|row| Ok((row.get("kind")?, row.get("total")?))).collect()
}

/// When a mail about each kind was written last, of those after `since` and up to `until`.
///
/// # Errors
/// A fault of the store.
pub fn latest(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    since: Timestamp,
    until: Timestamp,
) -> Result<Vec<(Kind, Timestamp)>, Fault> {
    let rows = tx.query(&LATEST, &[owner.into(), since.into(), until.into()])?;
    let mut latest = Vec::new();
    for row in &rows {
        let kind: String = row.get("kind")?;
        if let Some(kind) = Kind::parse(&kind) {
            latest.push((kind, row.get("latest_at")?));
        }
    }
    Ok(latest)
}

/// Puts off the due notices of a kind: they are looked at again at `then`.
///
/// # Errors
/// A fault of the store.
pub fn put_off(tx: &mut Tx<'_>, due: DueKind<'_>, then: Timestamp) -> Result<(), Fault> {
    tx.execute(&PUT_OFF, &due.params([then.into()])).map(drop)
}

/// Keeps that no mail is to report those of them that happened last by `until`.
///
/// # Errors
/// A fault of the store.
pub fn silence(tx: &mut Tx<'_>, due: DueKind<'_>, until: Timestamp) -> Result<(), Fault> {
    tx.execute(&SILENCE, &due.params([until.into()])).map(drop)
}

/// Marks the due notices of a kind for the mail that reports them, and answers what it is to say. `None` where other
/// transactions hold all of them just now.
///
/// # Errors
/// A fault of the store.
pub fn mark(
    tx: &mut Tx<'_>,
    due: DueKind<'_>,
    mail: MailId,
    latest_max: i64,
) -> Result<Option<Marked>, Fault> {
    if tx.execute(&MARK, &due.params([mail.into()]))? == 0 {
        return Ok(None);
    }
    let (all, latest) =
        ([due.owner.into(), mail.into()], [due.owner.into(), mail.into(), latest_max.into()]);
    let mut answers = tx.query_all(&[(&MARKED, &all), (&MARKED_LATEST, &latest)])?.into_iter();
    let sums = answers.next().and_then(|mut rows| rows.pop());
    let sums = sums.ok_or_else(|| Fault::broken("the count returned no row"))?;
    let latest = answers.next().unwrap_or_default();
    tx.defer(&SETTLE, [due.owner.into(), mail.into()], Expect::Any)?;
    Ok(Some(Marked {
        times: sums.get("new_times")?,
        since: sums.get("since")?,
        subjects: sums.get("subjects")?,
        latest: latest.iter().map(item).collect::<Result<_, _>>()?,
    }))
}

fn item(row: &Row) -> Result<Item, Fault> {
    let trouble: Option<String> = row.get("only_trouble")?;
    let trouble = trouble.and_then(|code| Trouble::parse(&code));
    Ok(Item {
        subject: row.get("subject")?,
        times: row.get("new_times")?,
        trouble,
        livemode: row.get("livemode")?,
    })
}

/// Keeps that the mail which reports them was sent.
///
/// # Errors
/// A fault of the store.
pub(crate) fn sent(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    mail: MailId,
    now: Timestamp,
) -> Result<(), Fault> {
    tx.defer(&SENT, [owner.into(), mail.into(), now.into()], Expect::Any)
}
