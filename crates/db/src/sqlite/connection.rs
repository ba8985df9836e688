//! A SQLite connection as a transaction sees it, and SQLite's errors in the store's words.

use std::borrow::Cow;
use std::time::Duration;

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{ErrorCode, ToSql};

use crate::fault::{Fault, FaultKind};
use crate::sql::Sql;
use crate::tx::{Connection, Expect, StatementResult};
use crate::value::{Row, Value};

/// How PostgreSQL locks the rows that a `select` finds. SQLite has one writer, so there is nothing to lock.
const LOCKS: [&str; 4] =
    [" for update skip locked", " for update", " for no key update", " for key share"];

/// How long a connection waits for another process, such as one that looks at the file by hand.
pub(crate) const BUSY_LIMIT: Duration = Duration::from_secs(5);

/// A connection in the hands of one job.
pub(crate) struct Session<'c> {
    connection: &'c rusqlite::Connection,
    /// A statement failed: as on PostgreSQL, nothing can follow it and nothing may be committed.
    is_lost: bool,
}

impl<'c> Session<'c> {
    pub(crate) fn new(connection: &'c rusqlite::Connection) -> Self {
        Self { connection, is_lost: false }
    }

    /// Returns the fault of a job that wants to commit although one of its statements failed.
    pub(crate) fn into_fault(self) -> Option<Fault> {
        self.is_lost.then(|| Fault::broken("a job went on after a statement had failed"))
    }

    /// Runs a statement up to the end, handing every row to `each`; answers how many rows it read or wrote.
    fn step(
        &mut self,
        sql: &'static Sql,
        params: &[Value],
        each: impl FnMut(&rusqlite::Row<'_>, usize) -> Result<(), Fault>,
    ) -> Result<u64, Fault> {
        if self.is_lost {
            return Err(Fault::broken("a statement after one that had failed"));
        }
        let outcome = run(self.connection, sql, params, each);
        self.is_lost = outcome.is_err();
        outcome
    }
}

impl Connection for Session<'_> {
    fn run(
        &mut self,
        statements: &[(&'static Sql, &[Value])],
    ) -> Result<Vec<StatementResult>, Fault> {
        let mut results = Vec::with_capacity(statements.len());
        for (sql, params) in statements {
            let mut rows = Vec::new();
            let rows_affected = self.step(sql, params, |row, width| {
                rows.push(read(sql, row, width)?);
                Ok(())
            })?;
            results.push(StatementResult { rows, rows_affected });
        }
        Ok(results)
    }

    fn defer(
        &mut self,
        sql: &'static Sql,
        params: Vec<Value>,
        expect: Expect,
    ) -> Result<(), Fault> {
        // A read whose rows nobody looks at is there for its locks.
        let is_lock = sql.text().starts_with("select ") && text(sql) != sql.text();
        if expect == Expect::Any && is_lock {
            return Ok(());
        }
        let written = self.step(sql, &params, |_, _| Ok(()))?;
        match expect {
            Expect::Rows(rows) if rows != written => {
                self.is_lost = true;
                let text = sql.text();
                Err(Fault::broken(format!("{written} rows written instead of {rows}: {text}")))
            }
            Expect::Rows(_) | Expect::Any => Ok(()),
        }
    }
}

/// The text of a statement as SQLite takes it: without the lock at its end, or at the end of a subselect that ends it.
pub fn text(sql: &Sql) -> Cow<'static, str> {
    let text = sql.text();
    let unlocked = |text: &'static str| LOCKS.iter().find_map(|lock| text.strip_suffix(lock));
    match (unlocked(text), text.strip_suffix(')').and_then(unlocked)) {
        (Some(whole), _) => Cow::Borrowed(whole),
        (None, Some(opened)) => Cow::Owned(format!("{opened})")),
        (None, None) => Cow::Borrowed(text),
    }
}

fn run(
    connection: &rusqlite::Connection,
    sql: &'static Sql,
    params: &[Value],
    mut each: impl FnMut(&rusqlite::Row<'_>, usize) -> Result<(), Fault>,
) -> Result<u64, Fault> {
    let failed = |error| fault(sql.text(), error);
    let mut statement = connection.prepare_cached(&text(sql)).map_err(failed)?;
    let numbers = sql.params();
    if numbers.len() != params.len() {
        return Err(Fault::broken(format!("{} values for: {}", params.len(), sql.text())));
    }
    for (at, &number) in numbers.iter().enumerate() {
        let param = &params[usize::from(number) - 1];
        // PostgreSQL cannot keep such text, so it must not come to rest here either.
        if let Value::Text(text) = param
            && text.contains('\0')
        {
            return Err(Fault::broken(format!("text with a NUL for: {}", sql.text())));
        }
        statement.raw_bind_parameter(at + 1, Bound(param)).map_err(failed)?;
    }
    let width = statement.column_count();
    let only_reads = statement.readonly();
    let mut seen = 0;
    let mut rows = statement.raw_query();
    while let Some(row) = rows.next().map_err(failed)? {
        seen += 1;
        each(row, width)?;
    }
    Ok(if only_reads { seen } else { connection.changes() })
}

/// A value on its way into a statement, borrowed.
struct Bound<'v>(&'v Value);

impl ToSql for Bound<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self.0 {
            Value::Null => ValueRef::Null,
            Value::Bool(truth) => ValueRef::Integer(i64::from(*truth)),
            Value::Int(number) => ValueRef::Integer(*number),
            Value::Text(text) => ValueRef::Text(text.as_bytes()),
            Value::Bytes(bytes) => ValueRef::Blob(bytes),
            Value::Id(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

fn read(sql: &'static Sql, row: &rusqlite::Row<'_>, width: usize) -> Result<Row, Fault> {
    let mut values = Vec::with_capacity(width);
    for at in 0..width {
        let value = row.get_ref(at).map_err(|error| fault("a column", error))?;
        values.push(match value {
            ValueRef::Null => Value::Null,
            ValueRef::Integer(number) => Value::Int(number),
            ValueRef::Text(text) => match std::str::from_utf8(text) {
                Ok(text) => Value::Text(text.to_owned()),
                Err(_) => return Err(unreadable(sql, "text that is not UTF-8")),
            },
            // Most blobs are ids, which fit into the value itself.
            ValueRef::Blob(bytes) => match bytes.try_into() {
                Ok(id) => Value::Id(id),
                Err(_) => Value::Bytes(bytes.to_owned()),
            },
            ValueRef::Real(_) => return Err(unreadable(sql, "a number with a fraction")),
        });
    }
    Ok(Row::new(sql, values))
}

fn unreadable(sql: &Sql, what: &str) -> Fault {
    Fault::broken(format!("{what} was read by: {}", sql.text()))
}

/// An error of SQLite as a fault; `what` was being done.
pub(crate) fn fault(what: &str, error: rusqlite::Error) -> Fault {
    Fault::with_source(kind(&error), format!("SQLite failed at: {what}"), error)
}

fn kind(error: &rusqlite::Error) -> FaultKind {
    match error.sqlite_error_code() {
        Some(ErrorCode::ConstraintViolation) => FaultKind::Constraint,
        Some(ErrorCode::DiskFull) => FaultKind::Full,
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => FaultKind::Conflict,
        Some(
            ErrorCode::OperationInterrupted
            | ErrorCode::SystemIoFailure
            | ErrorCode::CannotOpen
            | ErrorCode::OutOfMemory,
        ) => FaultKind::Unavailable,
        _ => FaultKind::Broken,
    }
}
