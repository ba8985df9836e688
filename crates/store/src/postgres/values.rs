//! The five kinds of value on the wire: no boxing, no conversion, and a mismatch is an error.

use std::error::Error;
use std::fmt;

use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

use crate::value::{Row, Value};

/// The types of parameters and columns; the schema has no other.
const TYPES: [Type; 4] = [Type::BOOL, Type::INT8, Type::TEXT, Type::BYTEA];

type Mismatch = Box<dyn Error + Sync + Send>;

/// A parameter. It shows nothing of its value, since the driver logs parameters.
pub(super) struct Param<'v>(pub(super) &'v Value);

impl fmt::Debug for Param<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(kind(self.0))
    }
}

impl ToSql for Param<'_> {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, Mismatch> {
        match (self.0, ty) {
            (Value::Null, _) => Ok(IsNull::Yes),
            (Value::Bool(truth), &Type::BOOL) => truth.to_sql(ty, out),
            (Value::Int(number), &Type::INT8) => number.to_sql(ty, out),
            (Value::Text(text), &Type::TEXT) => text.as_str().to_sql(ty, out),
            (Value::Bytes(bytes), &Type::BYTEA) => bytes.as_slice().to_sql(ty, out),
            (Value::Id(bytes), &Type::BYTEA) => bytes.as_slice().to_sql(ty, out),
            (value, ty) => Err(format!("{} where the statement takes {ty}", kind(value)).into()),
        }
    }

    fn accepts(ty: &Type) -> bool {
        TYPES.contains(ty)
    }

    to_sql_checked!();
}

/// A column of an answer.
struct Cell(Value);

impl FromSql<'_> for Cell {
    fn from_sql(ty: &Type, raw: &[u8]) -> Result<Self, Mismatch> {
        Ok(Self(match *ty {
            Type::BOOL => Value::Bool(bool::from_sql(ty, raw)?),
            Type::INT8 => Value::Int(i64::from_sql(ty, raw)?),
            Type::TEXT => Value::Text(String::from_sql(ty, raw)?),
            _ => Value::Bytes(raw.to_vec()),
        }))
    }

    fn from_sql_null(_: &Type) -> Result<Self, Mismatch> {
        Ok(Self(Value::Null))
    }

    fn accepts(ty: &Type) -> bool {
        TYPES.contains(ty)
    }
}

/// The row as jobs read it.
pub(super) fn read(row: &tokio_postgres::Row) -> Result<Row, tokio_postgres::Error> {
    let cells = (0..row.len()).map(|index| row.try_get::<_, Cell>(index).map(|cell| cell.0));
    Ok(Row::new(cells.collect::<Result<_, _>>()?))
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Int(_) => "a number",
        Value::Text(_) => "text",
        Value::Bytes(_) | Value::Id(_) => "bytes",
    }
}
