//! The store's values as PostgreSQL's.

use pg::{Error, Param};

use super::multi_row_insert::Statement;
use crate::sql::Sql;
use crate::value::{Row, Value};

/// A value as a parameter.
pub(super) fn param(value: &Value) -> Param<'_> {
    match value {
        Value::Null => Param::Null,
        Value::Bool(truth) => Param::Bool(*truth),
        Value::Int(number) => Param::Int(*number),
        Value::Text(text) => Param::Text(text),
        Value::Bytes(bytes) => Param::Bytes(bytes),
        Value::Id(bytes) => Param::Bytes(bytes),
    }
}

/// The parameters of many rows, as an array for each of so many columns.
pub(super) fn arrays<'p>(rows: &[Statement<'p>], columns: usize) -> Result<Vec<Param<'p>>, Error> {
    if let Some((_, other)) = rows.iter().find(|(_, params)| params.len() != columns) {
        return Err(Error::Mismatch(format!("{} parameters, not {columns}", other.len())));
    }
    let column = |at: usize| rows.iter().map(|(_, params)| param(&params[at])).collect();
    Ok((0..columns).map(|at| Param::Array(column(at))).collect())
}

/// A row as jobs read it.
pub(super) fn row(sql: &'static Sql, row: pg::Row) -> Row {
    Row::new(sql, row.into_values().into_iter().map(value).collect())
}

fn value(value: pg::Value) -> Value {
    match value {
        pg::Value::Null => Value::Null,
        pg::Value::Bool(truth) => Value::Bool(truth),
        pg::Value::Int(number) => Value::Int(number),
        pg::Value::Text(text) => Value::Text(text),
        pg::Value::Bytes(bytes) => Value::Bytes(bytes),
    }
}
