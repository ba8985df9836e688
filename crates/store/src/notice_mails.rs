//! Which notices no mail has told of, and what becomes of them. All of it is written under the lock of the owner's row, so
//! that of several nodes that look at once one writes the mail.
//!
//! Notices are told without that lock, too: a row that somebody has just now is left for the next time.

use domain::ids::{MailId, NoticeId, OwnerId};
use domain::notices::Kind;
use domain::time::Timestamp;
use domain::webhooks::Trouble;

use crate::fault::Fault;
use crate::owners;
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};
use crate::value::Row;

statements! {
    DUE_OWNERS = Sql::across_owners(
        "select owner_id, mail_due_at from notices where mail_due_at <= $1 \
         order by mail_due_at asc, owner_id asc limit $2",
        "nodes look for owners with notices that no mail has told of",
    );

    TAKE = Sql::new(
        "select id, kind, subject, trouble, times - mailed_times, \
         case when mailed_times = 0 then created_at else updated_at end, updated_at from notices \
         where owner_id = $1 and mail_due_at <= $2 order by mail_due_at asc limit $3 \
         for update skip locked",
    );

    LATEST = Sql::new(
        "select kind, max(created_at) from mails where owner_id = $1 and created_at > $2 \
         and created_at <= $3 and is_notice group by kind",
    );

    PUT_OFF = Sql::new("update notices set mail_due_at = $3 where owner_id = $1 and id = $2");

    SETTLE = Sql::new(
        "update notices set mail_due_at = null, mailed_times = times, mail_id = coalesce($3, mail_id) \
         where owner_id = $1 and id = $2",
    );

    OF_MAIL = Sql::new(
        "select id from notices where owner_id = $1 and mail_id = $2 order by id asc for update",
    );

    SENT = Sql::new(
        "update notices set mailed_at = $3, mail_id = null where owner_id = $1 and id = $2",
    );
}

/// A notice that no mail has told of yet.
#[derive(Clone, Debug)]
pub struct Untold {
    /// Its id.
    pub id: NoticeId,
    /// What it is about; nothing where only a newer program knows.
    pub kind: Option<Kind>,
    /// What it is about in particular.
    pub subject: String,
    /// Why a webhook was not delivered.
    pub trouble: Option<Trouble>,
    /// How often it has happened since a mail told of it.
    pub times: i64,
    /// When it happened first since then, as far as is known.
    pub since: Timestamp,
    /// When it happened last.
    pub updated_at: Timestamp,
}

/// Owners that have notices of which a mail may be due, at most `limit` notices looked at.
///
/// # Errors
/// A fault of the store.
pub fn owners_due(tx: &mut Tx<'_>, now: Timestamp, limit: i64) -> Result<Vec<OwnerId>, Fault> {
    owners::each(&tx.query(&DUE_OWNERS, &[now.into(), limit.into()])?)
}

/// The owner's notices of which a mail may be due, at most `limit`, held until the transaction ends.
///
/// # Errors
/// A fault of the store.
pub fn take(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    now: Timestamp,
    limit: i64,
) -> Result<Vec<Untold>, Fault> {
    let rows = tx.query(&TAKE, &[owner.into(), now.into(), limit.into()])?;
    rows.iter().map(read).collect()
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
        let kind: String = row.get(0)?;
        if let Some(kind) = Kind::parse(&kind) {
            latest.push((kind, row.get(1)?));
        }
    }
    Ok(latest)
}

/// Has a notice that was taken looked at again at `then`.
///
/// # Errors
/// A fault of the store.
pub fn put_off(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: NoticeId,
    then: Timestamp,
) -> Result<(), Fault> {
    tx.defer(&PUT_OFF, [owner.into(), id.into(), then.into()], Expect::Rows(1))
}

/// Keeps that the mail tells of a notice that was taken, or that none is to.
///
/// # Errors
/// A fault of the store.
pub fn settle(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: NoticeId,
    mail: Option<MailId>,
) -> Result<(), Fault> {
    tx.defer(&SETTLE, [owner.into(), id.into(), mail.into()], Expect::Rows(1))
}

/// Keeps that the mail which tells of them was sent.
///
/// # Errors
/// A fault of the store.
pub(crate) fn sent(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    mail: MailId,
    now: Timestamp,
) -> Result<(), Fault> {
    for row in tx.query(&OF_MAIL, &[owner.into(), mail.into()])? {
        let id: NoticeId = row.get(0)?;
        tx.defer(&SENT, [owner.into(), id.into(), now.into()], Expect::Rows(1))?;
    }
    Ok(())
}

fn read(row: &Row) -> Result<Untold, Fault> {
    let (kind, trouble): (String, Option<String>) = (row.get(1)?, row.get(3)?);
    Ok(Untold {
        id: row.get(0)?,
        kind: Kind::parse(&kind),
        subject: row.get(2)?,
        trouble: trouble.and_then(|code| Trouble::parse(&code)),
        times: row.get(4)?,
        since: row.get(5)?,
        updated_at: row.get(6)?,
    })
}
