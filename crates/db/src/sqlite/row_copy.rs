//! Whole tables out of a file, and into a new one.

use std::path::Path;

use domain::time::Timestamp;
use rusqlite::types::{self, ValueRef};
use rusqlite::{Connection, Row, params_from_iter};

use super::checkpoint::checkpoint;
use super::connection::fault;
use super::setup;
use crate::fault::{Fault, FaultKind};
use crate::row_copy::{CopyError, RowSink, RowSource, check_known, quoted};
use crate::schema::Schema;
use crate::value::Value;

/// Reads the tables from one snapshot. A process that works on the file is not waited for and does not wait: its log
/// alone grows until this ends.
pub(crate) fn copy_out(
    path: &Path,
    schema: &Schema,
    tables: &[&str],
    sink: &mut dyn RowSink,
) -> Result<(), CopyError> {
    let connection = setup::auditor(path, schema)?;
    let reading = |error| fault("a copy", error);
    // Rolled back when the connection is closed.
    connection.execute_batch("begin").map_err(reading)?;
    for table in tables {
        let columns = columns(&connection, table)?;
        sink.begin(table, &columns)?;
        let text = format!("select {} from \"{table}\"", quoted(&columns));
        let mut statement = connection.prepare(&text).map_err(reading)?;
        let mut rows = statement.query([]).map_err(reading)?;
        while let Some(row) = rows.next().map_err(reading)? {
            sink.row(&read(row, columns.len())?)?;
        }
    }
    Ok(())
}

/// Makes the database, and writes the rows in one transaction: all of them or none.
pub(crate) fn copy_in(
    path: &Path,
    schema: &Schema,
    now: Timestamp,
    tables: &[&str],
    source: &mut dyn RowSource,
) -> Result<(), CopyError> {
    let connection = setup::writer(path, schema, now)?;
    let writing = |error| fault("a copy", error);
    // What refers to what is looked at as a whole, before the commit.
    connection.pragma_update(None, "foreign_keys", false).map_err(writing)?;
    connection.execute_batch("begin immediate").map_err(writing)?;
    for table in tables {
        let text = format!("select exists (select 1 from \"{table}\")");
        let has_rows: bool = connection.query_row(&text, [], |row| row.get(0)).map_err(writing)?;
        if has_rows {
            return Err(CopyError::NotEmpty((*table).to_owned()));
        }
    }
    while let Some((table, columns)) = source.next_table()? {
        let known = self::columns(&connection, &table)?;
        check_known(tables, (table.as_str(), columns.as_slice()), &known)?;
        let places: Vec<_> = (1..=columns.len()).map(|at| format!("?{at}")).collect();
        let (columns, places) = (quoted(&columns), places.join(", "));
        let text = format!("insert into \"{table}\" ({columns}) values ({places})");
        let mut statement = connection.prepare(&text).map_err(writing)?;
        while let Some(row) = source.next_row()? {
            statement.execute(params_from_iter(row.into_iter().map(owned))).map_err(writing)?;
        }
    }
    if let Some(table) = setup::first_orphaned(&connection).map_err(writing)? {
        let text = format!("rows of {table} refer to rows that the copy lacks");
        return Err(Fault::broken(text).into());
    }
    connection.execute_batch("commit").map_err(writing)?;
    // The log has all of it, and would never be shorter again.
    checkpoint(&connection, "truncate")
        .map_err(|error| Fault::new(FaultKind::Unavailable, error.to_string()))?;
    Ok(())
}

/// The columns of a table; none where there is no such table.
fn columns(connection: &Connection, table: &str) -> Result<Vec<String>, Fault> {
    let failed = |error| fault("the columns of a table", error);
    let text = "select name from pragma_table_info(?1) order by cid asc";
    let mut statement = connection.prepare(text).map_err(failed)?;
    let names = statement.query_map([table], |row| row.get(0)).map_err(failed)?;
    names.collect::<Result<_, _>>().map_err(failed)
}

fn read(row: &Row<'_>, width: usize) -> Result<Vec<Value>, Fault> {
    let mut values = Vec::with_capacity(width);
    for at in 0..width {
        let value = row.get_ref(at).map_err(|error| fault("a column", error))?;
        values.push(match value {
            ValueRef::Null => Value::Null,
            ValueRef::Integer(number) => Value::Int(number),
            ValueRef::Text(text) => match std::str::from_utf8(text) {
                Ok(text) => Value::Text(text.to_owned()),
                Err(_) => return Err(Fault::broken("a text that is not UTF-8")),
            },
            ValueRef::Blob(bytes) => Value::Bytes(bytes.to_owned()),
            ValueRef::Real(_) => return Err(Fault::broken("a number with a fraction")),
        });
    }
    Ok(values)
}

fn owned(value: Value) -> types::Value {
    match value {
        Value::Null => types::Value::Null,
        Value::Bool(truth) => types::Value::Integer(i64::from(truth)),
        Value::Int(number) => types::Value::Integer(number),
        Value::Text(text) => types::Value::Text(text),
        Value::Bytes(bytes) => types::Value::Blob(bytes),
        Value::Id(bytes) => types::Value::Blob(bytes.to_vec()),
    }
}
