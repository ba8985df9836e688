//! The store's values as PostgreSQL's.

use pg::Param;

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
