//! The outbox of mail: written in the transaction of what causes a mail, and sent by whichever node has the lease.
//!
//! While a mail waits it has a row in `due`, whose lease and fence decide who sends it.

use std::fmt;

use domain::ids::{ActorId, MailId, NoticeId, OwnerId};
use domain::language::Language;
use domain::mail::{INVITATION, PAYMENT_REMINDER};
use domain::notices::Notice;
use domain::secret::PersonalText;
use domain::time::Timestamp;

use crate::due::{self, Kind, Lease};
use crate::employees::Employee;
use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};
use crate::value::Row;
use crate::{employees, notice_mails, notices, owners};

statements! {
    INSERT = Sql::new(
        "insert into mails (owner_id, id, kind, recipient, language, facts, state, attempts, created_at, \
         expires_at, ended_at, is_notice, person_id) values ($1, $2, $3, $4, $5, $6, 0, 0, $7, $8, null, $9, $10)",
    );

    FIND = Sql::new(
        "select kind, recipient, language, facts, expires_at, is_notice, person_id from mails \
         where owner_id = $1 and id = $2 and state = 0",
    );

    ATTEMPTED = Sql::new(
        "update mails set attempts = $3 where owner_id = $1 and id = $2 and state = 0",
    );

    END = Sql::new(
        "update mails set state = $3, attempts = $4, ended_at = $5, facts = null \
         where owner_id = $1 and id = $2 and state = 0",
    );

    // The count stops where nobody counts any more.
    COUNT = Sql::new(
        "select count(*) as total from (select id from mails where owner_id = $1 and created_at > $2 and kind = $4 \
         limit $3) as counted",
    );

    COUNT_TO = Sql::new(
        "select count(*) as total from (select id from mails where owner_id = $1 and created_at > $2 and kind = $4 \
         and recipient = $5 limit $3) as counted",
    );

    SEALED = Sql::new("select id, facts from mails where owner_id = $1 and state = 0");

    RESEAL = Sql::new(
        "update mails set facts = $3 where owner_id = $1 and id = $2 and facts = $4 returning id",
    );

    EXPIRED_OWNERS = Sql::across_owners(
        "select owner_id, expires_at from mails where state = 0 and expires_at <= $1 \
         order by expires_at asc limit $2",
        "the janitor looks for owners with mails that nobody sends any more",
    );

    FORGET_EXPIRED = Sql::new(
        "delete from due where owner_id = $1 and kind in ($3, $4) and subject_id in \
         (select m.id from mails m where m.owner_id = $1 and m.state = 0 and m.expires_at <= $2)",
    );

    END_EXPIRED = Sql::new(
        "update mails set state = 2, ended_at = $2, facts = null \
         where owner_id = $1 and state = 0 and expires_at <= $2",
    );

    EXPIRED_TO = Sql::new(
        "select id, kind, is_notice, person_id from mails where owner_id = $1 and state = 0 and expires_at <= $2",
    );

    // What waits for a person is little, and so is what an owner has waiting.
    DROP_WORK = Sql::new(
        "delete from due where owner_id = $1 and kind = $2 and subject_id in \
         (select m.id from mails m where m.owner_id = $1 and m.state = 0 and m.recipient = $3 and m.kind = $4)",
    );

    DROP = Sql::new(
        "update mails set state = 2, ended_at = $2, facts = null \
         where owner_id = $1 and state = 0 and recipient = $3 and kind = $4",
    );

    OLD_OWNERS = Sql::across_owners(
        "select owner_id, created_at from mails where state <> 0 and created_at <= $1 \
         order by created_at asc limit $2",
        "the janitor looks for owners whose mails are of long ago",
    );

    DELETE_OLD = Sql::new(
        "delete from mails where owner_id = $1 and id in \
         (select m.id from mails m where m.owner_id = $1 and m.created_at <= $2 and m.state <> 0 limit $3)",
    );
}

/// A mail that is about to be written.
#[derive(Clone)]
pub struct NewMail {
    /// Its id.
    pub id: MailId,
    /// The word of its kind.
    pub kind: &'static str,
    /// Whether it notifies the owner of notices.
    pub is_notice: bool,
    /// Whose affairs it is about: the owner, or an employee.
    pub person: ActorId,
    /// Whom it goes to.
    pub recipient: PersonalText,
    /// The language that it is written in.
    pub language: Language,
    /// What it says, sealed.
    pub facts: Vec<u8>,
    /// When it was caused.
    pub created_at: Timestamp,
    /// Until when it is worth sending.
    pub expires_at: Timestamp,
}

impl fmt::Debug for NewMail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NewMail").field("id", &self.id).finish_non_exhaustive()
    }
}

/// A mail that waits to be sent.
#[derive(Clone)]
pub struct Waiting {
    /// The word of its kind.
    pub kind: String,
    /// Whose affairs it is about: the owner, or an employee.
    pub person: ActorId,
    /// Whom it goes to.
    pub recipient: PersonalText,
    /// The language that it is written in.
    pub language: Language,
    /// What it says, sealed.
    pub facts: Vec<u8>,
    /// Until when it is worth sending.
    pub expires_at: Timestamp,
    /// Whether it notifies the owner of notices.
    pub is_notice: bool,
    /// The right to report the result.
    pub lease: Lease,
}

impl Waiting {
    /// How often it was tried to be sent, this time included.
    #[must_use]
    pub const fn attempts(&self) -> i64 {
        // The making of it counts as the first claim.
        self.lease.tries - 1
    }
}

impl fmt::Debug for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Waiting").field("kind", &self.kind).finish_non_exhaustive()
    }
}

/// How a mail ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The server has taken it.
    Sent,
    /// It was not sent, and is not tried any more.
    GivenUp,
}

impl End {
    const fn number(self) -> i64 {
        match self {
            Self::Sent => 1,
            Self::GivenUp => 2,
        }
    }
}

/// Puts a mail into the outbox.
///
/// # Errors
/// A fault of the store.
pub fn insert(tx: &mut Tx<'_>, owner: OwnerId, mail: &NewMail) -> Result<(), Fault> {
    let params = [
        owner.into(),
        mail.id.into(),
        mail.kind.into(),
        mail.recipient.as_str().into(),
        mail.language.as_str().into(),
        mail.facts.as_slice().into(),
        mail.created_at.into(),
        mail.expires_at.into(),
        mail.is_notice.into(),
        mail.person.into(),
    ];
    tx.defer(&INSERT, params, Expect::Rows(1))?;
    due::insert(tx, owner, work(mail.is_notice), mail.id.to_bytes(), mail.created_at)
}

/// The work that sends it.
const fn work(is_notice: bool) -> Kind {
    if is_notice { Kind::NoticeMail } else { Kind::Mail }
}

/// Takes a mail that is due at `now`, until `until`. Nothing where another node was faster.
///
/// # Errors
/// A fault of the store.
pub fn claim(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    (kind, id): (Kind, MailId),
    now: Timestamp,
    until: Timestamp,
) -> Result<Option<Waiting>, Fault> {
    let Some(lease) = due::claim(tx, owner, kind, id.to_bytes(), now, until)? else {
        return Ok(None);
    };
    let row = tx.query_opt(&FIND, &[owner.into(), id.into()])?;
    let row = row.ok_or_else(|| Fault::broken("a mail is due that does not wait"))?;
    read(&row, lease).map(Some)
}

/// Keeps that a try has failed, and waits until `then` with the next. Answers whether the lease still held.
///
/// # Errors
/// A fault of the store.
pub fn postpone(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: MailId,
    waiting: &Waiting,
    then: Timestamp,
) -> Result<bool, Fault> {
    if !due::postpone(tx, owner, work(waiting.is_notice), id.to_bytes(), waiting.lease, then)? {
        return Ok(false);
    }
    let params = [owner.into(), id.into(), waiting.attempts().into()];
    tx.defer(&ATTEMPTED, params, Expect::Rows(1))?;
    Ok(true)
}

/// Ends a mail and wipes what it said. Answers whether the lease still held.
///
/// # Errors
/// A fault of the store.
pub fn end(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: MailId,
    waiting: &Waiting,
    end: End,
    now: Timestamp,
) -> Result<bool, Fault> {
    if !due::end(tx, owner, work(waiting.is_notice), id.to_bytes(), waiting.lease)? {
        return Ok(false);
    }
    let params =
        [owner.into(), id.into(), end.number().into(), waiting.attempts().into(), now.into()];
    tx.defer(&END, params, Expect::Rows(1))?;
    if end == End::GivenUp {
        let mail = GivenUp {
            id,
            kind: &waiting.kind,
            is_notice: waiting.is_notice,
            person: waiting.person,
        };
        notify_given_up(tx, owner, &mail, now)?;
    }
    if end == End::Sent && waiting.is_notice {
        notice_mails::sent(tx, owner, id, now)?;
    }
    Ok(true)
}

/// A mail that was given up.
struct GivenUp<'a> {
    id: MailId,
    kind: &'a str,
    is_notice: bool,
    person: ActorId,
}

/// Notifies the owner that a mail was given up, unless its person is gone, or was invited by it and has come another
/// way. No mail reports what was for the owner itself: it would go where that could not be delivered. Nothing does of a
/// mail that reminded a payer, which was for no person of the owner, and whose event goes to the owner's systems.
fn notify_given_up(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    mail: &GivenUp<'_>,
    now: Timestamp,
) -> Result<(), Fault> {
    if mail.kind == PAYMENT_REMINDER {
        return Ok(());
    }
    let id = NoticeId::from_bytes(mail.id.to_bytes());
    if mail.is_notice {
        return notices::notify_without_mail(
            tx,
            owner,
            id,
            &Notice::notices_given_up(owner, now),
            now,
        );
    }
    let notice = Notice::mail_given_up(&mail.person.known_as(owner), mail.kind);
    let Some(employee) = mail.person.employee() else {
        return notices::notify_without_mail(tx, owner, id, &notice, now);
    };
    let is_awaited = |it: &Employee| {
        it.removed_at.is_none() && (mail.kind != INVITATION || it.accepted_at.is_none())
    };
    match employees::find(tx, owner, employee)?.filter(is_awaited) {
        Some(_) => notices::notify(tx, owner, id, &notice, now),
        None => Ok(()),
    }
}

/// Gives up the mails of that kind which wait for somebody: what they say is of no use any more.
///
/// # Errors
/// A fault of the store.
pub fn drop_waiting(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    (recipient, kind): (&str, &str),
    now: Timestamp,
) -> Result<(), Fault> {
    let work = [owner.into(), Kind::Mail.number().into(), recipient.into(), kind.into()];
    tx.defer(&DROP_WORK, work, Expect::Any)?;
    tx.defer(&DROP, [owner.into(), now.into(), recipient.into(), kind.into()], Expect::Any)
}

/// How many mails of that kind the owner has caused after `since`, counted up to `count_max`.
///
/// # Errors
/// A fault of the store.
pub fn count(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    kind: &str,
    since: Timestamp,
    count_max: i64,
) -> Result<i64, Fault> {
    let params = [owner.into(), since.into(), count_max.into(), kind.into()];
    tx.query_one(&COUNT, &params)?.get("total")
}

/// Counts the mails of that kind to an address that the owner has caused after `since`, up to `count_max`.
///
/// # Errors
/// A fault of the store.
pub fn count_to(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    (kind, recipient): (&str, &str),
    since: Timestamp,
    count_max: i64,
) -> Result<i64, Fault> {
    let params = [owner.into(), since.into(), count_max.into(), kind.into(), recipient.into()];
    tx.query_one(&COUNT_TO, &params)?.get("total")
}

/// Reads the contents of the owner's waiting mails, sealed.
///
/// # Errors
/// A fault of the store.
pub fn sealed(tx: &mut Tx<'_>, owner: OwnerId) -> Result<Vec<(MailId, Vec<u8>)>, Fault> {
    let rows = tx.query(&SEALED, &[owner.into()])?;
    rows.iter().map(|row| Ok((row.get("id")?, row.get("facts")?))).collect()
}

/// Puts what a mail says, sealed again, into the place of `former`, if that is still there.
///
/// # Errors
/// A fault of the store.
pub fn reseal(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: MailId,
    sealed: &[u8],
    former: &[u8],
) -> Result<bool, Fault> {
    let params = [owner.into(), id.into(), sealed.into(), former.into()];
    Ok(tx.query_opt(&RESEAL, &params)?.is_some())
}

/// Owners that have mails which were over by `until` and wait, at most `limit` mails looked at.
///
/// # Errors
/// A fault of the store.
pub fn owners_with_expired(
    tx: &mut Tx<'_>,
    until: Timestamp,
    limit: i64,
) -> Result<Vec<OwnerId>, Fault> {
    owners::each(&tx.query(&EXPIRED_OWNERS, &[until.into(), limit.into()])?)
}

/// Gives an owner's mails up that were over by `until` and wait: where no node sends mail any more, what they said is
/// wiped all the same. An owner has few.
///
/// # Errors
/// A fault of the store.
pub fn give_up_expired(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    until: Timestamp,
    _: i64,
) -> Result<u64, Fault> {
    for row in tx.query(&EXPIRED_TO, &[owner.into(), until.into()])? {
        let kind: String = row.get("kind")?;
        let mail = GivenUp {
            id: row.get("id")?,
            kind: &kind,
            is_notice: row.get("is_notice")?,
            person: row.get("person_id")?,
        };
        notify_given_up(tx, owner, &mail, until)?;
    }
    let [kind, of_notices] = [Kind::Mail, Kind::NoticeMail].map(Kind::number);
    let forgotten = [owner.into(), until.into(), kind.into(), of_notices.into()];
    tx.defer(&FORGET_EXPIRED, forgotten, Expect::Any)?;
    tx.execute(&END_EXPIRED, &[owner.into(), until.into()])
}

/// Owners that have mails from up to `until`, at most `limit` mails looked at.
///
/// # Errors
/// A fault of the store.
pub fn owners_with_old(
    tx: &mut Tx<'_>,
    until: Timestamp,
    limit: i64,
) -> Result<Vec<OwnerId>, Fault> {
    owners::each(&tx.query(&OLD_OWNERS, &[until.into(), limit.into()])?)
}

/// Deletes an owner's mails from up to `until` that have ended, at most `limit` of them.
///
/// # Errors
/// A fault of the store.
pub fn delete_old(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    until: Timestamp,
    limit: i64,
) -> Result<u64, Fault> {
    tx.execute(&DELETE_OLD, &[owner.into(), until.into(), limit.into()])
}

fn read(row: &Row, lease: Lease) -> Result<Waiting, Fault> {
    let language: String = row.get("language")?;
    Ok(Waiting {
        kind: row.get("kind")?,
        recipient: PersonalText::new(row.get("recipient")?),
        language: Language::parse(&language).unwrap_or_default(),
        facts: row.get("facts")?,
        expires_at: row.get("expires_at")?,
        is_notice: row.get("is_notice")?,
        person: row.get("person_id")?,
        lease,
    })
}
