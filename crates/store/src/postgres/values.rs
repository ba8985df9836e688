//! Values on the wire, of the schema's four types: no conversion, and a mismatch is an error.

use std::io;

use bytes::{BufMut, BytesMut};
use postgres_protocol::IsNull;

use super::exchange::Trouble;
use super::frames::{take, take_i32, take_u16};
use crate::value::{Row, Value};

/// A type of the schema, which has no other than these four.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Bool,
    Int,
    Text,
    Bytes,
}

impl Kind {
    /// The kind of the server's type with this number. Those of the server's own types are the same
    /// everywhere.
    ///
    /// # Errors
    /// A type that no statement takes or answers.
    pub(super) fn of(number: i32) -> Result<Self, Trouble> {
        match number {
            16 => Ok(Self::Bool),
            17 => Ok(Self::Bytes),
            20 => Ok(Self::Int),
            25 => Ok(Self::Text),
            other => Err(Trouble::Mismatch(format!("a statement with the type {other}"))),
        }
    }
}

/// Writes a parameter, if it is of the kind that the statement takes. An error tells nothing of the
/// value.
pub(super) fn write(value: &Value, kind: Kind, out: &mut BytesMut) -> Result<IsNull, Mismatch> {
    match (value, kind) {
        (Value::Null, _) => return Ok(IsNull::Yes),
        (Value::Bool(truth), Kind::Bool) => out.put_u8(u8::from(*truth)),
        (Value::Int(number), Kind::Int) => out.put_i64(*number),
        (Value::Text(text), Kind::Text) => out.put_slice(text.as_bytes()),
        (Value::Bytes(bytes), Kind::Bytes) => out.put_slice(bytes),
        (Value::Id(bytes), Kind::Bytes) => out.put_slice(bytes),
        (value, kind) => {
            return Err(format!("{} where the statement takes {kind:?}", name(value)).into());
        }
    }
    Ok(IsNull::No)
}

/// What the protocol's writer calls an error.
pub(super) type Mismatch = Box<dyn std::error::Error + Sync + Send>;

/// The row as jobs read it.
pub(super) fn read(mut body: &[u8], columns: &[Kind]) -> io::Result<Row> {
    if usize::from(take_u16(&mut body)?) != columns.len() {
        return Err(invalid("a row with another number of columns"));
    }
    columns.iter().map(|kind| cell(&mut body, *kind)).collect::<io::Result<_>>().map(Row::new)
}

fn cell(body: &mut &[u8], kind: Kind) -> io::Result<Value> {
    // Where there is no value, its length is minus one.
    let Ok(length) = usize::try_from(take_i32(body)?) else {
        return Ok(Value::Null);
    };
    let raw = take(body, length)?;
    match kind {
        Kind::Bool => match raw {
            [truth] => Ok(Value::Bool(*truth != 0)),
            _ => Err(invalid("a truth value of another length")),
        },
        Kind::Int => {
            let bytes = raw.try_into().map_err(|_| invalid("a number of another length"))?;
            Ok(Value::Int(i64::from_be_bytes(bytes)))
        }
        Kind::Text => {
            let text = std::str::from_utf8(raw).map_err(|_| invalid("text that is not UTF-8"))?;
            Ok(Value::Text(text.to_owned()))
        }
        Kind::Bytes => Ok(Value::Bytes(raw.to_vec())),
    }
}

fn invalid(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

fn name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Int(_) => "a number",
        Value::Text(_) => "text",
        Value::Bytes(_) | Value::Id(_) => "bytes",
    }
}
