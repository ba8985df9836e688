//! Recording exchange rates: one, or those of a file.

use std::fs::File;
use std::io::Read;
use std::process::ExitCode;

use anyhow::{Context, ensure};
use app::admin::RATES_IMPORTED_MAX;

use super::{lists, sheet};
use crate::admin::{RateRow, Request};
use crate::cli::{AddRate, ImportRates, RatesCommand};

/// How large a file may be: much more than the rates that are imported at once.
const FILE_LEN_MAX: u64 = 4 * 1024 * 1024;

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
    let sheet::Rows { rows, has_semicolons } = sheet::rows::<RateRow>(file)?;
    let mut rates = Vec::new();
    for (line, row) in rows {
        let mut row = row.with_context(|| format!("line {line}"))?;
        if has_semicolons {
            row.value_date = sheet::iso(&row.value_date);
            row.until = row.until.as_deref().map(sheet::iso);
        }
        let rate = row.read().with_context(|| format!("line {line}"))?;
        rates.push((rate.days.first, row));
    }
    rates.sort_by_key(|(day, _)| *day);
    Ok(rates.into_iter().map(|(_, row)| row).collect())
}
