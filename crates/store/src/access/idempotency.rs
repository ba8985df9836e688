//! Answers kept for an `Idempotency-Key`, written in the transaction of their effect.

use domain::ids::{FirstReportId, OwnerId};
use domain::time::Timestamp;

use crate::fault::Fault;
use crate::owners;
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};
use crate::value::Value;

statements! {
    FIND = Sql::new(
        "select body_hash, subject_id, answer, first_report_id from idempotent_answers \
         where owner_id = $1 and caller_id = $2 and operation = $3 and key_hash = $4 \
         and created_at > $5",
    );

    // A former use gives way where it is too old to count, or is the one that the caller has found
    // to have come to nothing.
    BEGIN = Sql::new(
        "insert into idempotent_answers (owner_id, caller_id, operation, key_hash, body_hash, \
         subject_id, created_at) values ($1, $2, $3, $4, $5, $6, $7) \
         on conflict (owner_id, caller_id, operation, key_hash) do update \
         set body_hash = excluded.body_hash, subject_id = excluded.subject_id, answer = null, \
         first_report_id = null, created_at = excluded.created_at \
         where idempotent_answers.created_at <= $8 \
         or (idempotent_answers.answer is null and idempotent_answers.subject_id = $9) \
         returning subject_id",
    );

    KEEP = Sql::new(
        "update idempotent_answers set answer = $2, subject_id = $3, first_report_id = $4 \
         where owner_id = $1 and caller_id = $5 and operation = $6 and key_hash = $7 \
         and body_hash = $8 and answer is null",
    );

    FORGET = Sql::new(
        "delete from idempotent_answers \
         where owner_id = $1 and caller_id = $2 and operation = $3 and key_hash = $4",
    );

    FORGET_FIRST_REPORT = Sql::new(
        "delete from idempotent_answers \
         where owner_id = $1 and caller_id = $2 and operation = $3 and key_hash = $4 \
         and first_report_id = $5",
    );

    SETTLE_FIRST_REPORT = Sql::new(
        "update idempotent_answers set first_report_id = null \
         where owner_id = $1 and caller_id = $2 and operation = $3 and key_hash = $4",
    );

    EXPIRED_OWNERS = Sql::across_owners(
        "select owner_id, created_at from idempotent_answers where created_at <= $1 \
         order by created_at asc limit $2",
        "the janitor looks for owners whose kept answers have had their day",
    );

    DELETE_EXPIRED = Sql::new(
        "delete from idempotent_answers where owner_id = $1 \
         and (caller_id, operation, key_hash) in \
         (select a.caller_id, a.operation, a.key_hash from idempotent_answers a \
         where a.owner_id = $1 and a.created_at <= $2 limit $3)",
    );
}

/// Which use of an `Idempotency-Key` is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The id of the key or session that calls.
    pub caller: [u8; 16],
    /// The operation's name.
    pub operation: &'static str,
    /// SHA-256 of the `Idempotency-Key`.
    pub key_hash: [u8; 32],
    /// SHA-256 of what was sent with it.
    pub body_hash: [u8; 32],
}

/// Record that an earlier use of an idempotency key left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// SHA-256 of what was sent then.
    pub body_hash: [u8; 32],
    /// The id of what it made.
    pub subject: [u8; 16],
    /// The answer, encrypted; `None` where there is none, or it holds a secret.
    pub answer: Option<Vec<u8>>,
    /// The first report in the answer, until it is replayed.
    pub first_report: Option<FirstReportId>,
}

/// Finds the record that an earlier use after `since` left.
///
/// # Errors
/// A fault of the store.
pub fn find(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    slot: &Slot,
    since: Timestamp,
) -> Result<Option<Kept>, Fault> {
    let params = [
        owner.into(),
        slot.caller.as_slice().into(),
        slot.operation.into(),
        (&slot.key_hash).into(),
        since.into(),
    ];
    let row = tx.query_opt(&FIND, &params)?;
    row.map(|row| {
        Ok(Kept {
            body_hash: row.get("body_hash")?,
            subject: row.get("subject_id")?,
            answer: row.get("answer")?,
            first_report: row.get("first_report_id")?,
        })
    })
    .transpose()
}

/// Marks the slot as used for `subject`; answers whether it was free. Uses up to `expired` do not
/// count, nor does one without an answer that made `replaces`.
///
/// # Errors
/// A fault of the store.
pub fn begin(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    slot: &Slot,
    subject: [u8; 16],
    now: Timestamp,
    expired: Timestamp,
    replaces: Option<[u8; 16]>,
) -> Result<bool, Fault> {
    let [owner, caller, operation, key_hash] = slot.place(owner);
    let params = [
        owner,
        caller,
        operation,
        key_hash,
        (&slot.body_hash).into(),
        subject.into(),
        now.into(),
        expired.into(),
        replaces.into(),
    ];
    Ok(!tx.query(&BEGIN, &params)?.is_empty())
}

/// Keeps the encrypted answer of a use: it is about `subject`, and `first_report` is in it.
///
/// # Errors
/// A fault of the store.
pub fn keep(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    slot: &Slot,
    answer: &[u8],
    subject: [u8; 16],
    first_report: Option<FirstReportId>,
) -> Result<(), Fault> {
    let [owner, caller, operation, key_hash] = slot.place(owner);
    let params = [
        owner,
        answer.into(),
        subject.into(),
        first_report.into(),
        caller,
        operation,
        key_hash,
        (&slot.body_hash).into(),
    ];
    tx.defer(&KEEP, params, Expect::Any)
}

/// Forgets a use that came to nothing.
///
/// # Errors
/// A fault of the store.
pub fn forget(tx: &mut Tx<'_>, owner: OwnerId, slot: &Slot) -> Result<(), Fault> {
    tx.defer(&FORGET, slot.place(owner), Expect::Any)
}

/// Forgets a use whose answer reached nobody, if `first_report` is still in it.
///
/// # Errors
/// A fault of the store.
pub fn forget_first_report(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    slot: &Slot,
    first_report: FirstReportId,
) -> Result<(), Fault> {
    let [owner, caller, operation, key_hash] = slot.place(owner);
    tx.defer(
        &FORGET_FIRST_REPORT,
        [owner, caller, operation, key_hash, first_report.into()],
        Expect::Any,
    )
}

/// Notes that the first report in an answer is out.
///
/// # Errors
/// A fault of the store.
pub fn settle_first_report(tx: &mut Tx<'_>, owner: OwnerId, slot: &Slot) -> Result<(), Fault> {
    tx.defer(&SETTLE_FIRST_REPORT, slot.place(owner), Expect::Any)
}

impl Slot {
    /// The columns that distinguish it from all others.
    fn place(&self, owner: OwnerId) -> [Value; 4] {
        [owner.into(), self.caller.into(), self.operation.into(), (&self.key_hash).into()]
    }
}

/// Owners that have answers from up to `expired`, at most `limit` answers looked at.
///
/// # Errors
/// A fault of the store.
pub fn owners_with_expired(
    tx: &mut Tx<'_>,
    expired: Timestamp,
    limit: i64,
) -> Result<Vec<OwnerId>, Fault> {
    owners::each(&tx.query(&EXPIRED_OWNERS, &[expired.into(), limit.into()])?)
}

/// Deletes an owner's answers from up to `expired`, at most `limit` of them.
///
/// # Errors
/// A fault of the store.
pub fn delete_expired(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    expired: Timestamp,
    limit: i64,
) -> Result<u64, Fault> {
    tx.execute(&DELETE_EXPIRED, &[owner.into(), expired.into(), limit.into()])
}
