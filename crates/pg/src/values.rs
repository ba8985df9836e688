//! Values on the wire, of four types: no conversion, and a mismatch is an error.

use std::io;

use bytes::{BufMut, BytesMut};
use postgres_protocol::IsNull;

use crate::error::{Error, invalid};
use crate::messages::{take, take_i32, take_u16};

/// A type of a column or a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// `boolean`.
    Bool,
    /// `bigint`.
    Int,
    /// `text`.
    Text,
    /// `bytea`.
    Bytes,
}

/// A parameter of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Param<'p> {
    /// No value, of any type.
    Null,
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// Text without NUL.
    Text(&'p str),
    /// Bytes.
    Bytes(&'p [u8]),
}

/// A column of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// No value.
    Null,
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// Text.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
}

/// A row of an answer, its columns in the order of the statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row(Vec<Value>);

impl Row {
    /// Its columns.
    #[must_use]
    pub fn into_values(self) -> Vec<Value> {
        self.0
    }
}

impl Type {
    const ALL: [Self; 4] = [Self::Bool, Self::Int, Self::Text, Self::Bytes];

    /// The server's type with this number, which is the same on every server.
    ///
    /// # Errors
    /// A type that is none of these.
    pub(crate) fn of(number: i32) -> Result<Self, Error> {
        Self::ALL.into_iter().find(|one| one.number() == number).ok_or_else(|| unknown(number))
    }

    /// Its number on the wire.
    const fn number(self) -> i32 {
        match self {
            Self::Bool => 16,
            Self::Bytes => 17,
            Self::Int => 20,
            Self::Text => 25,
        }
    }
}

/// Error of the protocol's writer.
pub(crate) type Mismatch = Box<dyn std::error::Error + Sync + Send>;

/// Writes a parameter, if it is of the type that the statement takes. An error says nothing of the value.
pub(crate) fn write(
    param: &Param<'_>,
    wanted: Type,
    out: &mut BytesMut,
) -> Result<IsNull, Mismatch> {
    match (param, wanted) {
        (Param::Null, _) => return Ok(IsNull::Yes),
        (Param::Bool(truth), Type::Bool) => out.put_u8(u8::from(*truth)),
        (Param::Int(number), Type::Int) => out.put_i64(*number),
        (Param::Text(text), Type::Text) => out.put_slice(text.as_bytes()),
        (Param::Bytes(bytes), Type::Bytes) => out.put_slice(bytes),
        (param, wanted) => return Err(mismatch(param, wanted)),
    }
    Ok(IsNull::No)
}

fn mismatch(param: &Param<'_>, wanted: Type) -> Mismatch {
    let is = match param {
        Param::Null => "null",
        Param::Bool(_) => "a truth value",
        Param::Int(_) => "a number",
        Param::Text(_) => "text",
        Param::Bytes(_) => "bytes",
    };
    format!("{is} where the statement takes {wanted:?}").into()
}

/// Reads a row, which must have these columns.
pub(crate) fn read(mut body: &[u8], columns: &[Type]) -> io::Result<Row> {
    if usize::from(take_u16(&mut body)?) != columns.len() {
        return Err(invalid("a row with another number of columns"));
    }
    columns.iter().map(|of| column(&mut body, *of)).collect::<io::Result<_>>().map(Row)
}

fn column(body: &mut &[u8], of: Type) -> io::Result<Value> {
    // Where there is no value, its length is minus one.
    let Ok(length) = usize::try_from(take_i32(body)?) else {
        return Ok(Value::Null);
    };
    let raw = take(body, length)?;
    match of {
        Type::Bool => match raw {
            [truth] => Ok(Value::Bool(*truth != 0)),
            _ => Err(invalid("a truth value of another length")),
        },
        Type::Int => {
            let bytes = raw.try_into().map_err(|_| invalid("a number of another length"))?;
            Ok(Value::Int(i64::from_be_bytes(bytes)))
        }
        Type::Text => {
            let text = std::str::from_utf8(raw).map_err(|_| invalid("text that is not UTF-8"))?;
            Ok(Value::Text(text.to_owned()))
        }
        Type::Bytes => Ok(Value::Bytes(raw.to_vec())),
    }
}

fn unknown(number: i32) -> Error {
    Error::Mismatch(format!("a statement with the type {number}"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_parameter_of_another_type_is_not_written_and_not_repeated() {
        for (param, wanted) in [
            (Param::Text("hunter2"), Type::Int),
            (Param::Bytes(b"hunter2"), Type::Text),
            (Param::Int(1), Type::Bool),
        ] {
            let error = write(&param, wanted, &mut BytesMut::new()).err().unwrap().to_string();
            assert!(!error.contains("hunter2"), "{error}");
        }
    }

    proptest! {
        #[test]
        fn no_row_is_read_past_its_end(body in prop::collection::vec(any::<u8>(), 0..64)) {
            for columns in [&[][..], &[Type::Text], &[Type::Int, Type::Bool, Type::Bytes]] {
                drop(read(&body, columns));
            }
        }
    }
}
