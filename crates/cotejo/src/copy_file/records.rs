//! The records of a copy, one after another, with the digest of all before each; and rows as bytes.

use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read};

use aws_lc_rs::digest::{Context, Digest, SHA256};
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

/// A record.
#[derive(Debug)]
pub(super) enum Record {
    /// Rows of this table follow.
    Table(TableHead),
    /// Some of its rows, whole.
    Rows(Vec<u8>),
    /// The manifest, as JSON.
    Manifest(Vec<u8>),
    /// The digest of everything before it.
    End(Vec<u8>),
}

/// Reader of records.
pub(super) struct Records {
    file: BufReader<File>,
    digest: Context,
    /// Bytes of the latest record, which the digest lacks: its head, and its length alone where the rest was handed over.
    pending: Vec<u8>,
}

impl Records {
    pub(super) fn of(file: File) -> io::Result<Self> {
        let mut file = BufReader::with_capacity(1 << 20, file);
        let mut magic = vec![0; MAGIC.len()];
        file.read_exact(&mut magic).map_err(|_| not_a_copy())?;
        if magic != MAGIC {
            return Err(not_a_copy());
        }
        let mut digest = Context::new(&SHA256);
        digest.update(&magic);
        Ok(Self { file, digest, pending: Vec::new() })
    }

    /// The digest of everything before the latest record.
    pub(super) fn digest_before(&self) -> Digest {
        self.digest.clone().finish()
    }

    /// Reads the next record.
    pub(super) fn next(&mut self) -> io::Result<Record> {
        self.digest.update(&self.pending);
        self.pending.clear();
        let mut head = [0; 5];
        self.file.read_exact(&mut head).map_err(|_| cut_off())?;
        let [mark, length @ ..] = head;
        let length = u32::from_be_bytes(length);
        if length > RECORD_LEN_MAX {
            return Err(invalid("a record that is too long"));
        }
        self.pending.extend_from_slice(&head);
        let read = (&mut self.file).take(u64::from(length)).read_to_end(&mut self.pending)?;
        if u32::try_from(read) != Ok(length) {
            return Err(cut_off());
        }
        let body = self.pending.iter().skip(head.len()).copied();
        match mark {
            TABLE => {
                let body: Vec<u8> = body.collect();
                let head = serde_json::from_slice(&body);
                Ok(Record::Table(head.map_err(|_| invalid("a table without a head"))?))
            }
            ROWS => Ok(Record::Rows(body.collect())),
            MANIFEST => Ok(Record::Manifest(body.collect())),
            END => Ok(Record::End(body.collect())),
            _ => Err(invalid("a record of an unknown kind")),
        }
    }

    /// Tells whether nothing follows.
    pub(super) fn are_over(&mut self) -> io::Result<bool> {
        Ok(self.file.read(&mut [0; 1])? == 0)
    }
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

/// Takes a row of so many columns from the front of the bytes.
pub(super) fn read_row(bytes: &mut &[u8], columns: usize) -> io::Result<Vec<Value>> {
    let mut row = Vec::with_capacity(columns);
    for _ in 0..columns {
        let [mark] = take(bytes)?;
        row.push(match mark {
            NULL => Value::Null,
            INT => Value::Int(i64::from_be_bytes(take(bytes)?)),
            TEXT => {
                let text = std::str::from_utf8(take_long(bytes)?);
                Value::Text(text.map_err(|_| invalid("a text that is not UTF-8"))?.to_owned())
            }
            BYTES => Value::Bytes(take_long(bytes)?.to_vec()),
            _ => return Err(invalid("a value of an unknown kind")),
        });
    }
    Ok(row)
}

fn take<const N: usize>(bytes: &mut &[u8]) -> io::Result<[u8; N]> {
    let (taken, rest) = bytes.split_first_chunk().ok_or_else(cut_off)?;
    *bytes = rest;
    Ok(*taken)
}

fn take_long<'b>(bytes: &mut &'b [u8]) -> io::Result<&'b [u8]> {
    let length = u32::from_be_bytes(take(bytes)?);
    let length = usize::try_from(length).map_err(|_| cut_off())?;
    let (taken, rest) = bytes.split_at_checked(length).ok_or_else(cut_off)?;
    *bytes = rest;
    Ok(taken)
}

fn not_a_copy() -> io::Error {
    invalid("not a copy that cotejo backup has made")
}

fn cut_off() -> io::Error {
    invalid("the copy ends too soon")
}

pub(super) fn invalid(what: &'static str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, what)
}
