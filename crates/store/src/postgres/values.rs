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
        Self::ALL.into_iter().find(|kind| kind.number() == number).ok_or_else(|| unknown(number))
    }

    /// The kind of what an array holds, by the number of the array's type.
    ///
    /// # Errors
    /// As [`Kind::of`].
    pub(super) fn of_array(number: i32) -> Result<Self, Trouble> {
        let is_it = |kind: &Self| kind.array_number() == number;
        Self::ALL.into_iter().find(is_it).ok_or_else(|| unknown(number))
    }

    const ALL: [Self; 4] = [Self::Bool, Self::Int, Self::Text, Self::Bytes];

    /// Its number on the wire.
    const fn number(self) -> i32 {
        match self {
            Self::Bool => 16,
            Self::Bytes => 17,
            Self::Int => 20,
            Self::Text => 25,
        }
    }

    /// The number of arrays of it.
    const fn array_number(self) -> i32 {
        match self {
            Self::Bool => 1000,
            Self::Bytes => 1001,
            Self::Text => 1009,
            Self::Int => 1016,
        }
    }

    /// Its name in statements.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Bool => "boolean",
            Self::Bytes => "bytea",
            Self::Int => "bigint",
            Self::Text => "text",
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

/// Writes the values as an array of that kind: its dimensions, whether there are nulls, the type of its
/// elements, how many they are and from which number on, and each with its length.
pub(super) fn write_array<'v>(
    values: impl ExactSizeIterator<Item = &'v Value>,
    kind: Kind,
    out: &mut BytesMut,
) -> Result<IsNull, Mismatch> {
    const MAY_HAVE_NULLS: i32 = 1;
    const NULL: i32 = -1;
    let header = [1, MAY_HAVE_NULLS, kind.number(), i32::try_from(values.len())?, 1];
    header.into_iter().for_each(|number| out.put_i32(number));
    for value in values {
        let at = out.len();
        out.put_i32(NULL);
        if let IsNull::No = write(value, kind, out)? {
            let length = i32::try_from(out.len() - at - size_of::<i32>())?;
            out[at..at + size_of::<i32>()].copy_from_slice(&length.to_be_bytes());
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

fn unknown(number: i32) -> Trouble {
    Trouble::Mismatch(format!("a statement with the type {number}"))
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
