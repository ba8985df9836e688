//! Brings the schema up to date: one node at a time, and all steps or none.

use domain::time::Timestamp;
use pg::Error;

use super::connection::{Link, Wire};
use super::failure::Failure;
use super::multi_row_insert::ROWS_MAX;
use super::values::row;
use crate::migrate::{Applied, Dialect, MigrateError, plan, steps, table};
use crate::opening::OpenError;
use crate::schema::Schema;
use crate::sql::Sql;
use crate::value::{Row, Value};

/// Nodes that start together queue up here; the number is any that nobody else uses. The session's
/// own limits are meant for requests, and a step may take long.
const BEGIN: &str = "begin; \
     set local lock_timeout = '60s'; \
     set local statement_timeout = 0; \
     select pg_advisory_xact_lock(7166753312150945)";

static APPLIED: Sql =
    Sql::shared("select version, name, checksum, compatible_from from migrations");

static KEEP: Sql = Sql::shared(
    "insert into migrations (version, name, checksum, compatible_from, applied_at) \
     values ($1, $2, $3, $4, $5)",
);

/// Applies the migrations that the database lacks. After an error, closing the connection undoes
/// what was begun.
pub(super) fn run(link: &mut Link, schema: &Schema, now: Timestamp) -> Result<(), OpenError> {
    let mut wire = reach(link)?;
    command(&mut wire, BEGIN)?;
    command(&mut wire, &table(Dialect::Postgres))?;
    let rows = statement(&mut wire, &APPLIED, &[])?;
    let applied = rows.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    for step in plan(&steps(Dialect::Postgres, schema.migrations)?, &applied)? {
        // A new database is made in a moment.
        if !applied.is_empty() {
            tracing::info!(version = step.version, name = step.name, "migrating the database");
        }
        command(&mut wire, &step.text)?;
        let row = [
            Value::Int(step.version),
            Value::from(step.name),
            Value::from(&step.checksum),
            Value::Int(step.compatible_from),
            Value::from(now),
        ];
        statement(&mut wire, &KEEP, &row)?;
    }
    command(&mut wire, "commit")?;
    // A statement that the schema does not know is found now, not at a request.
    wire.prepare_each(schema.each_statement().map(|sql| (sql, 1)))
        .map_err(|error| failed(&error))?;
    let many = schema.each_statement().filter(|sql| sql.is_multi_row_insert());
    wire.prepare_each(many.map(|sql| (sql, ROWS_MAX))).map_err(|error| failed(&error))?;
    Ok(())
}

/// Checks that another connection has a session of its own, beside one that has prepared all statements: a pooler that
/// gives out sessions by the transaction gives it the same one, in which their names are taken.
pub(super) fn prove_session(another: &mut Link, schema: &Schema) -> Result<(), OpenError> {
    let first = schema.each_statement().take(1).map(|sql| (sql, 1));
    reach(another)?.prepare_each(first).map_err(|error| failed(&error))
}

/// Returns the open connection, or connects.
fn reach(link: &mut Link) -> Result<Wire<'_>, OpenError> {
    link.wire().map_err(|failure| match failure.may_pass() {
        true => OpenError::Unreachable(failure.fault()),
        false => OpenError::Database(failure.fault()),
    })
}

/// Checks that the schema is the one of this program, without changing anything.
pub(super) fn check(link: &mut Link, schema: &Schema) -> Result<(), OpenError> {
    let mut wire = reach(link)?;
    let rows = statement(&mut wire, &APPLIED, &[])?;
    let applied = rows.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    if plan(&steps(Dialect::Postgres, schema.migrations)?, &applied)?.is_empty() {
        Ok(())
    } else {
        Err(MigrateError::Outdated.into())
    }
}

fn read(row: &Row) -> Result<Applied, crate::fault::Fault> {
    Ok(Applied {
        version: row.get("version")?,
        name: row.get("name")?,
        checksum: row.get("checksum")?,
        compatible_from: row.get("compatible_from")?,
    })
}

fn command(wire: &mut Wire<'_>, text: &str) -> Result<(), OpenError> {
    wire.command(text).map_err(|error| failed(&error))
}

fn statement(
    wire: &mut Wire<'_>,
    sql: &'static Sql,
    params: &[Value],
) -> Result<Vec<Row>, OpenError> {
    let answers = wire.run(&[(sql, params)]).map_err(|stopped| failed(&stopped.error))?;
    let rows = answers.into_iter().flat_map(|answer| answer.rows);
    Ok(rows.map(|values| row(sql, values)).collect())
}

fn failed(error: &Error) -> OpenError {
    Failure::of(error).fault().into()
}
