//! Tables that spreadsheets write as CSV, in the forms that they have here.

use std::io::Read;

use anyhow::{Context, ensure};
use csv::{ReaderBuilder, StringRecord, Trim};
use domain::typed::seen;
use serde::de::DeserializeOwned;

/// Mark that some programs write in front of a text.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// The beginning of a file of UTF-16.
const UTF_16_MARKS: [&[u8]; 2] = [b"\xff\xfe", b"\xfe\xff"];

/// The rows of a table.
pub(super) struct Rows<T> {
    /// Each with its line in the file, and what it says or why it says nothing.
    pub(super) rows: Vec<(u64, anyhow::Result<T>)>,
    /// Whether semicolons stand between cells, as where a day is written before its month.
    pub(super) has_semicolons: bool,
}

/// Reads the rows of a file by the names in its first line. Those in which nothing is are none.
pub(super) fn rows<T: DeserializeOwned>(file: impl Read) -> anyhow::Result<Rows<T>> {
    let text = decoded(file)?;
    let Sheet { delimiter, lines_before, text } = Sheet::of(&text)?;
    let mut reader =
        ReaderBuilder::new().delimiter(delimiter).trim(Trim::All).from_reader(text.as_bytes());
    let names = reader.headers().with_context(|| format!("line {}", 1 + lines_before))?.clone();
    // A spreadsheet writes columns and rows in which nothing is.
    let cells = |record: &StringRecord| -> StringRecord {
        let named = names.iter().zip(record).filter(|(name, _)| !name.is_empty());
        named.map(|(_, cell)| cell).collect()
    };
    let lower: StringRecord = cells(&names).iter().map(|name| seen(name).to_lowercase()).collect();
    let mut rows = Vec::new();
    for record in reader.records() {
        let (position, row) = match record {
            Ok(record) if record.iter().all(str::is_empty) => continue,
            Ok(record) => {
                let row = cells(&record).deserialize(Some(&lower)).map_err(anyhow::Error::from);
                (record.position().cloned(), row)
            }
            Err(error) => (error.position().cloned(), Err(error.into())),
        };
        let line = position.map_or(0, |position| position.line()) + lines_before;
        rows.push((line, row));
    }
    Ok(Rows { rows, has_semicolons: delimiter == b';' })
}

/// The text of a file: UTF-8, or else the one byte for a letter that spreadsheets write.
fn decoded(mut file: impl Read) -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let is_wide = UTF_16_MARKS.iter().any(|mark| bytes.starts_with(mark));
    ensure!(!is_wide, "is UTF-16: save it as CSV UTF-8");
    Ok(String::from_utf8(bytes)
        .unwrap_or_else(|error| error.into_bytes().into_iter().map(char::from).collect()))
}

/// A table as text.
struct Sheet<'a> {
    /// Stands between two cells.
    delimiter: u8,
    /// Lines of the file before the table.
    lines_before: u64,
    text: &'a str,
}

impl<'a> Sheet<'a> {
    /// Finds what stands between two cells: what the file says of itself in a line `sep=;`, or what its first line has.
    fn of(text: &'a str) -> anyhow::Result<Self> {
        let text = text.trim_start_matches(BYTE_ORDER_MARK);
        let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
        let first = first.trim_matches(['\r', '"', ' ']);
        let said = first.get(..4).filter(|word| word.eq_ignore_ascii_case("sep="));
        if said.is_none() {
            let delimiter = if first.contains(';') { b';' } else { b',' };
            return Ok(Self { delimiter, lines_before: 0, text });
        }
        match first.as_bytes() {
            [.., b'=', delimiter @ (b';' | b',' | b'\t')] => {
                Ok(Self { delimiter: *delimiter, lines_before: 1, text: rest })
            }
            _ => anyhow::bail!("line 1: sep= must name a semicolon, a comma or a tab"),
        }
    }
}

/// A day as Excel in Spanish writes it, `20/11/2026` or `3/11/2026`, in the form that is read. It is known by the semicolons
/// of its file: between commas the month may stand first.
pub(super) fn iso(text: &str) -> String {
    let parts: Vec<&str> = text.split('/').collect();
    let is_number = |part: &&str| part.bytes().all(|byte| byte.is_ascii_digit());
    match parts.as_slice() {
        [day, month, year]
            if parts.iter().all(is_number)
                && (1..=2).contains(&day.len())
                && (1..=2).contains(&month.len())
                && year.len() == 4 =>
        {
            format!("{year}-{month:0>2}-{day:0>2}")
        }
        _ => text.to_owned(),
    }
}
