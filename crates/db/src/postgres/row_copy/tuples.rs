//! The binary form in which `copy` sends rows: a beginning, tuples, and an end. A tuple is how many values it has, and
//! each with its length.

use std::io;

use crate::value::Value;

/// Signature, flags, and the length of what else the beginning may have: nothing.
pub(super) const BEGINNING: &[u8; 19] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";

/// Count of values that stands for the end.
const END: i16 = -1;

/// Length of a value that is none.
const NULL: i32 = -1;

/// Kind of the values of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Bool,
    Int,
    Text,
    Bytes,
}

impl Kind {
    /// The kind of the server's type of that name.
    pub(super) fn named(name: &str) -> Option<Self> {
        match name {
            "boolean" => Some(Self::Bool),
            "bigint" => Some(Self::Int),
            "text" => Some(Self::Text),
            "bytea" => Some(Self::Bytes),
            _ => None,
        }
    }
}

/// Rows of a table as they arrive in pieces that end anywhere.
pub(super) struct Tuples<'k> {
    kinds: &'k [Kind],
    unread: Vec<u8>,
    is_begun: bool,
    are_over: bool,
}

impl<'k> Tuples<'k> {
    pub(super) fn of(kinds: &'k [Kind]) -> Self {
        Self { kinds, unread: Vec::new(), is_begun: false, are_over: false }
    }

    /// Takes the next piece, and hands over each row that is whole.
    pub(super) fn take(
        &mut self,
        piece: &[u8],
        each: &mut dyn FnMut(&[Value]) -> io::Result<()>,
    ) -> io::Result<()> {
        self.unread.extend_from_slice(piece);
        let mut rest = self.unread.as_slice();
        if !self.is_begun {
            let Some((beginning, after)) = rest.split_at_checked(BEGINNING.len()) else {
                return Ok(());
            };
            if beginning != BEGINNING {
                return Err(invalid("rows that begin otherwise"));
            }
            (self.is_begun, rest) = (true, after);
        }
        while let Some((tuple, after)) = first(rest, self.kinds)? {
            rest = after;
            match tuple {
                Some(row) => each(&row)?,
                None => self.are_over = true,
            }
        }
        let taken = self.unread.len() - rest.len();
        self.unread.drain(..taken);
        Ok(())
    }

    /// Tells whether the end has come, and nothing behind it.
    pub(super) fn are_over(&self) -> bool {
        self.are_over && self.unread.is_empty()
    }
}

/// A row, or `None` for the end; and the bytes behind it.
type First<'b> = (Option<Vec<Value>>, &'b [u8]);

/// The first tuple of the bytes; nothing where more of it is to come.
fn first<'b>(bytes: &'b [u8], kinds: &[Kind]) -> io::Result<Option<First<'b>>> {
    let Some((count, mut rest)) = bytes.split_first_chunk() else { return Ok(None) };
    let count = i16::from_be_bytes(*count);
    if count == END {
        return Ok(Some((None, rest)));
    }
    if usize::try_from(count) != Ok(kinds.len()) {
        return Err(invalid("a row with another number of columns"));
    }
    let mut values = Vec::with_capacity(kinds.len());
    for kind in kinds {
        let Some((length, after)) = rest.split_first_chunk() else { return Ok(None) };
        rest = after;
        let Ok(length) = usize::try_from(i32::from_be_bytes(*length)) else {
            values.push(Value::Null);
            continue;
        };
        let Some((raw, after)) = rest.split_at_checked(length) else { return Ok(None) };
        rest = after;
        values.push(read(*kind, raw)?);
    }
    Ok(Some((Some(values), rest)))
}

fn read(kind: Kind, raw: &[u8]) -> io::Result<Value> {
    match kind {
        Kind::Bool => match raw {
            [truth] => Ok(Value::Bool(*truth != 0)),
            _ => Err(invalid("a truth value of another length")),
        },
        Kind::Int => {
            let bytes = raw.try_into().map_err(|_| invalid("a number of another length"))?;
            Ok(Value::Int(i64::from_be_bytes(bytes)))
        }
        Kind::Text => match std::str::from_utf8(raw) {
            Ok(text) => Ok(Value::Text(text.to_owned())),
            Err(_) => Err(invalid("a text that is not UTF-8")),
        },
        Kind::Bytes => Ok(Value::Bytes(raw.to_vec())),
    }
}

/// Appends a row whose columns are of these kinds.
pub(super) fn write_tuple(out: &mut Vec<u8>, row: &[Value], kinds: &[Kind]) -> io::Result<()> {
    let count = i16::try_from(row.len()).map_err(|_| invalid("a row with too many columns"))?;
    if row.len() != kinds.len() {
        return Err(invalid("a row with another number of columns"));
    }
    out.extend_from_slice(&count.to_be_bytes());
    for (value, kind) in row.iter().zip(kinds) {
        match (value, kind) {
            (Value::Null, _) => out.extend_from_slice(&NULL.to_be_bytes()),
            (Value::Bool(truth), Kind::Bool) => write(out, &[u8::from(*truth)])?,
            // SQLite keeps truth as a number.
            (Value::Int(number @ (0 | 1)), Kind::Bool) => write(out, &[u8::from(*number == 1)])?,
            (Value::Int(number), Kind::Int) => write(out, &number.to_be_bytes())?,
            (Value::Text(text), Kind::Text) => write(out, text.as_bytes())?,
            (Value::Bytes(bytes), Kind::Bytes) => write(out, bytes)?,
            (Value::Id(bytes), Kind::Bytes) => write(out, bytes)?,
            _ => return Err(invalid("a value of another type")),
        }
    }
    Ok(())
}

/// Appends the end of a table's rows.
pub(super) fn write_end(out: &mut Vec<u8>) {
    out.extend_from_slice(&END.to_be_bytes());
}

fn write(out: &mut Vec<u8>, bytes: &[u8]) -> io::Result<()> {
    let length = i32::try_from(bytes.len()).map_err(|_| invalid("a value that is too long"))?;
    out.extend_from_slice(&length.to_be_bytes());
    out.extend_from_slice(bytes);
    Ok(())
}

fn invalid(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_as_they_went_in_however_they_are_cut() {
        let kinds = [Kind::Bool, Kind::Int, Kind::Text, Kind::Bytes];
        let rows = [
            vec![
                Value::Bool(true),
                Value::Int(-2),
                Value::Text("ñ".to_owned()),
                Value::Bytes(vec![0, 255]),
            ],
            vec![Value::Null, Value::Null, Value::Null, Value::Null],
            vec![
                Value::Bool(false),
                Value::Int(i64::MAX),
                Value::Text(String::new()),
                Value::Bytes(Vec::new()),
            ],
        ];
        let mut bytes = BEGINNING.to_vec();
        for row in &rows {
            write_tuple(&mut bytes, row, &kinds).unwrap();
        }
        write_end(&mut bytes);
        for length in [1, 7, bytes.len()] {
            let (mut tuples, mut seen) = (Tuples::of(&kinds), Vec::new());
            for piece in bytes.chunks(length) {
                assert!(!tuples.are_over());
                tuples
                    .take(piece, &mut |row| {
                        seen.push(row.to_vec());
                        Ok(())
                    })
                    .unwrap();
            }
            assert!(tuples.are_over());
            assert_eq!(seen, rows);
        }
    }

    #[test]
    fn a_number_is_a_truth_value_only_where_it_can_be_one() {
        let mut out = Vec::new();
        write_tuple(&mut out, &[Value::Int(1)], &[Kind::Bool]).unwrap();
        assert_eq!(out, [0, 1, 0, 0, 0, 1, 1]);
        assert!(write_tuple(&mut out, &[Value::Int(2)], &[Kind::Bool]).is_err());
        assert!(write_tuple(&mut out, &[Value::Text("1".to_owned())], &[Kind::Int]).is_err());
        assert!(write_tuple(&mut out, &[], &[Kind::Int]).is_err());
    }
}
