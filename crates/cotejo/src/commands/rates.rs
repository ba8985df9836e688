//! Recording exchange rates: one, or those of a file.

use std::fs::File;
use std::io::Read;
use std::process::ExitCode;

use anyhow::{Context, ensure};
use app::admin::RATES_IMPORTED_MAX;
use csv::{ReaderBuilder, StringRecord, Trim};
use domain::typed::seen;

use super::lists;
use crate::admin::{RateRow, Request};
use crate::cli::{AddRate, ImportRates, RatesCommand};

/// How large a file may be: much more than the rates that are imported at once.
const FILE_LEN_MAX: u64 = 4 * 1024 * 1024;

/// Mark that some programs write in front of a text.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// The beginning of a file of UTF-16.
const UTF_16_MARKS: [&[u8]; 2] = [b"\xff\xfe", b"\xfe\xff"];

/// Does what the command says.
pub(super) fn run(command: &RatesCommand) -> anyhow::Result<ExitCode> {
    match command {
        RatesCommand::Add(rate) => add(rate),
        RatesCommand::Import(file) => import(file),
        RatesCommand::List(list) => lists::rates(list),
        RatesCommand::Status(status) => {
            super::write(&status.place, Request::RatesStatus, status.json)
        }
    }
}

/// Records one rate.
fn add(add: &AddRate) -> anyhow::Result<ExitCode> {
    let rate = RateRow {
        currency: add.currency.as_str().to_owned(),
        value_date: add.value_date.to_string(),
        rate: add.rate.to_string(),
        until: add.until.map(|day| day.to_string()),
        published_at: add.published_at.map(|instant| instant.to_string()),
        source: Some(add.source.as_str().to_owned()),
    };
    rate.read()?;
    let (rates, accepts_jumps) = (vec![rate], add.accept_jump);
    let request = Request::RecordRates { rates, accepts_jumps, is_import: false };
    super::write(&add.place, request, add.json)
}

/// Records the rates of a file. All of it is read first: one that has a slip changes nothing.
fn import(import: &ImportRates) -> anyhow::Result<ExitCode> {
    let path = import.file.display();
    let file = File::open(&import.file).with_context(|| format!("{path} cannot be opened"))?;
    ensure!(file.metadata()?.len() <= FILE_LEN_MAX, "{path} is larger than {FILE_LEN_MAX} bytes");
    let rates = read(file.take(FILE_LEN_MAX)).with_context(|| format!("{path}"))?;
    ensure!(
        rates.len() <= RATES_IMPORTED_MAX,
        "{path} has {} rates; up to {RATES_IMPORTED_MAX} are imported at once, all or none: divide it by years",
        rates.len()
    );
    let request =
        Request::RecordRates { rates, accepts_jumps: import.accept_jump, is_import: true };
    super::write(&import.place, request, import.json)
}

/// The rates of a file by the names in its first line, oldest first, so that each is compared with the one before.
fn read(file: impl Read) -> anyhow::Result<Vec<RateRow>> {
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
    let mut rates = Vec::new();
    for record in reader.records() {
        let record = record?;
        if record.iter().all(str::is_empty) {
            continue;
        }
        let line = record.position().map_or(0, csv::Position::line) + lines_before;
        let row = cells(&record).deserialize(Some(&lower));
        let mut row: RateRow = row.with_context(|| format!("line {line}"))?;
        if delimiter == b';' {
            row.value_date = iso(&row.value_date);
            row.until = row.until.as_deref().map(iso);
        }
        let rate = row.read().with_context(|| format!("line {line}"))?;
        rates.push((rate.days.first, row));
    }
    rates.sort_by_key(|(day, _)| *day);
    Ok(rates.into_iter().map(|(_, row)| row).collect())
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
fn iso(text: &str) -> String {
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
