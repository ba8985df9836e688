//! The records of a copy, and rows as bytes.

use std::io::{self, ErrorKind};

use serde::{Deserialize, Serialize};
use store::value::Value;

/// The line that a copy begins with.
pub(super) const MAGIC: &[u8] = b"COTEJO COPY 1\n";

/// How long a record may be.
pub(super) const RECORD_LEN_MAX: u32 = 256 << 20;

/// Marks of the records.
pub(super) const TABLE: u8 = b'T';
pub(super) const ROWS: u8 = b'R';
pub(super) const MANIFEST: u8 = b'M';
pub(super) const END: u8 = b'E';

/// Marks of the values of a row.
const NULL: u8 = 0;
const INT: u8 = 1;
const TEXT: u8 = 2;
const BYTES: u8 = 3;

/// Head of a table.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct TableHead {
    pub(super) table: String,
    pub(super) columns: Vec<String>,
}

/// Appends a row.
pub(super) fn write_row(out: &mut Vec<u8>, row: &[Value]) -> io::Result<()> {
    for value in row {
        match value {
            Value::Null => out.push(NULL),
            Value::Bool(truth) => write_int(out, i64::from(*truth)),
            Value::Int(number) => write_int(out, *number),
            Value::Text(text) => write_bytes(out, TEXT, text.as_bytes())?,
            Value::Bytes(bytes) => write_bytes(out, BYTES, bytes)?,
            Value::Id(bytes) => write_bytes(out, BYTES, bytes)?,
        }
    }
    Ok(())
}

fn write_int(out: &mut Vec<u8>, number: i64) {
    out.push(INT);
    out.extend_from_slice(&number.to_be_bytes());
}

fn write_bytes(out: &mut Vec<u8>, mark: u8, bytes: &[u8]) -> io::Result<()> {
    let length = u32::try_from(bytes.len()).map_err(|_| invalid("a value that is too long"))?;
    out.push(mark);
    out.extend_from_slice(&length.to_be_bytes());
    out.extend_from_slice(bytes);
    Ok(())
}

pub(super) fn invalid(what: &'static str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, what)
}
