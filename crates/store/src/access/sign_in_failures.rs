//! Wrong passwords that were sent for one account, from anywhere. They are counted by a keyed hash of what was typed,
//! whether there is such an account or not, so that neither answers nor statements differ.

use domain::sign_in::Failures;
use domain::time::Timestamp;

use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};
use crate::value::Row;

statements! {
    FIND = Sql::shared(
        "select subject, failures, failed_at from sign_in_failures where subject in ($1, $2)",
    );

    // Those of before `$4` count no more. Those of a clock that was ahead do, and lie ahead no longer.
    COUNT = Sql::shared(
        "insert into sign_in_failures (subject, failures, failed_at) values ($1, $2, $3) \
         on conflict (subject) do update set failed_at = excluded.failed_at, failures = excluded.failures + \
         case when sign_in_failures.failed_at <= $4 then 0 else sign_in_failures.failures end",
    );

    FORGIVE = Sql::shared("delete from sign_in_failures where subject = $1");

    ANY_OLD = Sql::shared("select subject from sign_in_failures where failed_at <= $1 limit 1");

    DELETE_OLD = Sql::shared(
        "delete from sign_in_failures where subject in (select f.subject from sign_in_failures f \
         where f.failed_at <= $1 order by f.failed_at asc limit $2)",
    );
}

/// Keyed hash under which failures are counted: of an account as it was typed, or of that and a network.
pub type Subject = [u8; 32];

/// The wrong passwords of each of two subjects, where there are any: the statement, for a caller that runs it with
/// others.
pub(crate) fn find(subjects: &[Subject; 2]) -> (&'static Sql, [crate::value::Value; 2]) {
    (&FIND, [(&subjects[0]).into(), (&subjects[1]).into()])
}

/// Reads what [`find`] answers.
pub(crate) fn read(rows: &[Row], subjects: &[Subject; 2]) -> Result<[Option<Failures>; 2], Fault> {
    let mut found = [None, None];
    for row in rows {
        let subject: Subject = row.get("subject")?;
        let failures = Failures { count: row.get("failures")?, last_at: row.get("failed_at")? };
        for (place, wanted) in found.iter_mut().zip(subjects) {
            if subject == *wanted {
                *place = Some(failures);
            }
        }
    }
    Ok(found)
}

/// Adds wrong passwords to those that the subject had after `from`.
///
/// # Errors
/// A fault of the store.
pub fn count(
    tx: &mut Tx<'_>,
    subject: &Subject,
    new: Failures,
    from: Timestamp,
) -> Result<(), Fault> {
    let params = [subject.into(), new.count.into(), new.last_at.into(), from.into()];
    tx.defer(&COUNT, params, Expect::Rows(1))
}

/// Forgets the wrong passwords of a subject.
///
/// # Errors
/// A fault of the store.
pub fn forgive(tx: &mut Tx<'_>, subject: &Subject) -> Result<(), Fault> {
    tx.defer(&FORGIVE, [subject.into()], Expect::Any)
}

/// Tells whether there is a count that last grew at `until` or before.
///
/// # Errors
/// A fault of the store.
pub fn has_old(tx: &mut Tx<'_>, until: Timestamp) -> Result<bool, Fault> {
    Ok(tx.query_opt(&ANY_OLD, &[until.into()])?.is_some())
}

/// Deletes what was counted last by `until`, at most `limit` rows.
///
/// # Errors
/// A fault of the store.
pub fn delete_old(tx: &mut Tx<'_>, until: Timestamp, limit: i64) -> Result<(), Fault> {
    tx.defer(&DELETE_OLD, [until.into(), limit.into()], Expect::Any)
}
