//! The notices to owners of what went wrong in their affairs: written in the transaction that makes
//! it true, and counted where it happens again.

use std::ops::Range;

use domain::ids::{LinkId, MovementId, NoticeId, OwnerId, PaymentId};
use domain::money::Bolivars;
use domain::notices::{Kind, Notice};
use domain::time::Timestamp;
use domain::webhooks::Trouble;

use crate::fault::Fault;
use crate::list::{List, Page, PageBounds, counted};
use crate::owners;
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};
use crate::value::{Row, Value};

/// The notices of the owner `$1` between two instants; of money that exists alone, or of the test bank's, where `$4` is
/// not -1.
macro_rules! rows {
    () => {
        "from notices where owner_id = $1 and updated_at >= $2 and updated_at < $3 \
         and (cast($4 as bigint) = -1 or livemode = (cast($4 as bigint) = 1)) "
    };
}

/// The place behind all notices of the owner `$1`. Two that are raised at once by two nodes may have the same one.
macro_rules! next_place {
    () => {
        "coalesce((select max(n.place) from notices n where n.owner_id = $1), 0) + 1"
    };
}

statements! {
    // What was about real money once stays so, and shows no link of the test bank.
    NOTIFY = Sql::new(concat!(
        "insert into notices (owner_id, id, kind, slot, subject, link_id, trouble, times, \
         created_at, updated_at, mail_due_at, mailed_times, livemode, place) values ($1, $2, $3, $4, $5, $6, $7, 1, $8, $8, $9, 0, \
         coalesce((select l.livemode from payment_links l where l.owner_id = $1 and l.id = $6), $10), ",
        next_place!(),
        ") on conflict (owner_id, kind, slot) do update set times = notices.times + 1, \
         mail_due_at = coalesce(notices.mail_due_at, excluded.mail_due_at), \
         link_id = case when notices.livemode and not excluded.livemode then notices.link_id \
         else coalesce(excluded.link_id, notices.link_id) end, \
         livemode = notices.livemode or excluded.livemode, trouble = excluded.trouble, dismissed_at = null, updated_at = excluded.updated_at, place = excluded.place returning times"
    ));

    // What was counted before is no news.
    NOTIFY_COUNT = Sql::new(concat!(
        "insert into notices (owner_id, id, kind, slot, subject, link_id, trouble, times, \
         created_at, updated_at, mail_due_at, mailed_times, livemode, place) \
         values ($1, $2, $3, $4, $5, $6, $7, $11, $8, $8, $9, 0, $10, ",
        next_place!(),
        ") on conflict (owner_id, kind, slot) do update set times = excluded.times, \
         mail_due_at = coalesce(notices.mail_due_at, excluded.mail_due_at), \
         dismissed_at = null, updated_at = excluded.updated_at, place = excluded.place \
         where notices.times < excluded.times"
    ));

    IS_NOTIFIED = Sql::new("select id from notices where owner_id = $1 and kind = $2 and slot = $3");

    PAGE = Sql::new(concat!(
        "select id, kind, subject, link_id, trouble, times, created_at, updated_at, mailed_at, dismissed_at, \
         livemode ",
        rows!(),
        "order by place desc, id desc limit $5 offset $6"
    ));

    COUNT = counted!(rows!(), "$5");

    DISMISS = Sql::new(
        "update notices set dismissed_at = $2, mail_due_at = null \
         where owner_id = $1 and id = $3",
    );

    STANDING = Sql::new(
        "select times, dismissed_at from notices where owner_id = $1 and id = $2 for update",
    );

    MOVEMENT = Sql::new(
        "select m.amount, m.payer_document, m.payer_phone, p.id as payment_id from movements m \
         left join payments p on p.owner_id = $1 and p.movement_id = m.id \
         where m.owner_id = $1 and m.id = $2",
    );

    // The oldest are enough: where one of so many is left, the contest is open.
    CONTESTED = Sql::new(
        "select p.id as payment_id from movements m \
         left join payments p on p.owner_id = $1 and p.movement_id = m.id \
         where m.owner_id = $1 and m.contested_with = $2 order by m.id asc limit $3",
    );

    OLD_OWNERS = Sql::across_owners(
        "select owner_id, updated_at from notices where updated_at <= $1 \
         order by updated_at asc limit $2",
        "the janitor looks for owners whose notices are of long ago",
    );

    DELETE_OLD = Sql::new(
        "delete from notices where owner_id = $1 and id in \
         (select n.id from notices n where n.owner_id = $1 and n.updated_at <= $2 limit $3)",
    );
}

const NOTICES: List = List { page: &PAGE, count: &COUNT };

/// A notice as it is listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedNotice {
    /// Its id.
    pub id: NoticeId,
    /// What it is about.
    pub kind: Kind,
    /// What it is about in particular: as [`Notice::subject`].
    pub subject: String,
    /// The link that it is about, if it is about one.
    pub link: Option<LinkId>,
    /// Why a webhook was not delivered, the latest time.
    pub trouble: Option<Trouble>,
    /// How often it has happened.
    pub times: i64,
    /// When it happened first.
    pub created_at: Timestamp,
    /// When it happened last.
    pub updated_at: Timestamp,
    /// When a mail that reports it was sent last.
    pub mailed_at: Option<Timestamp>,
    /// When the owner said that it is settled.
    pub dismissed_at: Option<Timestamp>,
    /// Whether it is of money that exists.
    pub livemode: bool,
}

/// A movement that a notice is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoticedMovement {
    /// The amount that the bank credited.
    pub amount: Bolivars,
    /// The payer's document, or else the phone, where the bank says one.
    pub payer: Option<String>,
    /// The payment that claims it, if one does.
    pub payment: Option<PaymentId>,
}

/// Notifies the owner, or counts up the notice that it has. This is the last that a transaction writes,
/// since others may wait for the row.
///
/// # Errors
/// A fault of the store.
pub fn notify(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: NoticeId,
    notice: &Notice,
    now: Timestamp,
) -> Result<(), Fault> {
    tx.defer(&NOTIFY, params(owner, id, notice, now), Expect::Rows(1))
}

/// Notifies the owner of something that is there so many times: the notice that it has says as many from then on, unless
/// it says as many or more already. This is the last that a transaction writes, since others may wait for the row.
///
/// # Errors
/// A fault of the store.
pub fn notify_count(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: NoticeId,
    (notice, count): (&Notice, i64),
    now: Timestamp,
) -> Result<(), Fault> {
    let mut params = params(owner, id, notice, now).to_vec();
    params.push(count.into());
    tx.defer(&NOTIFY_COUNT, params, Expect::Any)
}

/// Notifies the owner by the list alone, of what could not reach it by mail.
///
/// # Errors
/// A fault of the store.
pub fn notify_without_mail(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: NoticeId,
    notice: &Notice,
    now: Timestamp,
) -> Result<(), Fault> {
    let mut params = params(owner, id, notice, now);
    params[MAIL_DUE_AT] = Value::Null;
    tx.defer(&NOTIFY, params, Expect::Rows(1))
}

/// Notifies the owner, and answers whether it is the first time.
///
/// # Errors
/// A fault of the store.
pub fn notify_first(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: NoticeId,
    notice: &Notice,
    now: Timestamp,
) -> Result<bool, Fault> {
    Ok(tx.query_one(&NOTIFY, &params(owner, id, notice, now))?.get::<i64>("times")? == 1)
}

/// Tells whether the owner was notified of the same before.
///
/// # Errors
/// A fault of the store.
pub fn is_notified(tx: &mut Tx<'_>, owner: OwnerId, notice: &Notice) -> Result<bool, Fault> {
    let same = [owner.into(), notice.kind.as_str().into(), notice.slot.as_str().into()];
    Ok(tx.query_opt(&IS_NOTIFIED, &same)?.is_some())
}

/// Which of a notice's parameters is when a mail that reports it is due.
const MAIL_DUE_AT: usize = 8;

fn params(owner: OwnerId, id: NoticeId, notice: &Notice, now: Timestamp) -> [Value; 10] {
    [
        owner.into(),
        id.into(),
        notice.kind.as_str().into(),
        notice.slot.as_str().into(),
        notice.subject.as_str().into(),
        notice.link.into(),
        notice.trouble.map(Trouble::as_str).into(),
        now.into(),
        now.into(),
        notice.livemode.into(),
    ]
}

/// A page of an owner's notices of what last happened within `span`, the latest first, and how many
/// there are, counted up to `count_max`: all, or those alone of money that exists or does not.
///
/// # Errors
/// A fault of the store.
pub fn page(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    span: &Range<Timestamp>,
    livemode: Option<bool>,
    bounds: PageBounds,
) -> Result<Page<ListedNotice>, Fault> {
    let livemode = livemode.map_or(-1, i64::from);
    let span = [owner.into(), span.start.into(), span.end.into(), livemode.into()];
    // A kind that this program does not know is of a newer one, which has notified its owner too.
    NOTICES.read(tx, &span, bounds)?.known(read)
}

/// How a notice stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// How often it has happened.
    pub times: i64,
    /// Says whether the owner has said that it is settled.
    pub is_dismissed: bool,
}

/// How a notice stands, held until the transaction ends; `None` where there is no such notice.
///
/// # Errors
/// A fault of the store.
pub fn standing_held(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: NoticeId,
) -> Result<Option<Standing>, Fault> {
    let row = tx.query_opt(&STANDING, &[owner.into(), id.into()])?;
    let read = |row: Row| {
        let is_dismissed = row.get::<Option<Timestamp>>("dismissed_at")?.is_some();
        Ok(Standing { times: row.get("times")?, is_dismissed })
    };
    row.map(read).transpose()
}

/// Says that a notice is settled.
///
/// # Errors
/// A fault of the store; that there is no such notice is one.
pub fn dismiss(tx: &mut Tx<'_>, owner: OwnerId, id: NoticeId, now: Timestamp) -> Result<(), Fault> {
    tx.defer(&DISMISS, [owner.into(), now.into(), id.into()], Expect::Rows(1))
}

/// The movement that a notice is about, as it is now.
///
/// # Errors
/// A fault of the store.
pub fn movement(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: MovementId,
) -> Result<Option<NoticedMovement>, Fault> {
    let Some(row) = tx.query_opt(&MOVEMENT, &[owner.into(), id.into()])? else { return Ok(None) };
    let document: Option<String> = row.get("payer_document")?;
    Ok(Some(NoticedMovement {
        amount: Bolivars::from_hundredths(row.get("amount")?),
        payer: document.or(row.get("payer_phone")?),
        payment: row.get("payment_id")?,
    }))
}

/// How many rows that may be one movement are looked at.
const CONTESTED_MAX: i64 = 100;

/// Payments of the rows that may be the same money as the movement: nothing for one that nobody has accepted.
///
/// # Errors
/// A fault of the store.
pub fn contested_with(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: MovementId,
) -> Result<Vec<Option<PaymentId>>, Fault> {
    let rows = tx.query(&CONTESTED, &[owner.into(), id.into(), CONTESTED_MAX.into()])?;
    rows.iter().map(|row| row.get("payment_id")).collect()
}

/// Owners that have notices of what last happened up to `until`, at most `limit` notices looked at.
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

/// Deletes an owner's notices of what last happened up to `until`, at most `limit` of them.
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

fn read(row: &Row) -> Result<Option<ListedNotice>, Fault> {
    let (kind, trouble): (String, Option<String>) = (row.get("kind")?, row.get("trouble")?);
    let Some(kind) = Kind::parse(&kind) else { return Ok(None) };
    Ok(Some(ListedNotice {
        id: row.get("id")?,
        kind,
        subject: row.get("subject")?,
        link: row.get("link_id")?,
        trouble: trouble.and_then(|code| Trouble::parse(&code)),
        times: row.get("times")?,
        created_at: row.get("created_at")?,
        updated_at: row.get("updated_at")?,
        mailed_at: row.get("mailed_at")?,
        dismissed_at: row.get("dismissed_at")?,
        livemode: row.get("livemode")?,
    }))
}
