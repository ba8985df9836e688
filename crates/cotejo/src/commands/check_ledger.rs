//! The audit of the ledger, on a store that it opens for reading alone. On SQLite the database is asked first what it
//! finds wrong with itself.

use std::io::{Write, stdout};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::Context;
use app::ledger_audit::{self, audit};
use serde::Serialize;
use store::Store;
use store::difference::Figures;

use super::progress::Progress;
use super::{ends_by_itself, single_threaded};
use crate::config::Config;
use crate::opening::{close_store, open_what_is_there};
use crate::system::Runtime;
use crate::telemetry;

/// How many differences are kept to be named; what is beyond is counted.
const NAMED_MAX: usize = 10_000;

/// Findings of the audit, over all owners.
#[derive(Default, Serialize)]
pub(super) struct Report {
    owners: u64,
    /// What the database finds wrong with itself.
    integrity: Vec<String>,
    /// How many differences there are.
    differences_found: u64,
    differences: Vec<Difference>,
    overdue: Vec<Overdue>,
}

/// Something that is not what it must be, with its figures where it is one.
#[derive(Serialize)]
struct Difference {
    owner: String,
    what: String,
    #[serde(flatten)]
    figures: Option<Kept>,
}

/// A figure.
#[derive(Serialize)]
struct Kept {
    kept: i64,
    computed: i64,
}

/// An open verification past its deadline: no difference, but no node looks after it.
#[derive(Serialize)]
struct Overdue {
    owner: String,
    verification: String,
}

pub(super) fn run(config: &Config, json: bool) -> anyhow::Result<ExitCode> {
    telemetry::start(&config.log)?;
    let report = single_threaded()?.block_on(look(config))?;
    let mut out = stdout().lock();
    if json {
        writeln!(out, "{}", serde_json::to_string(&report)?)?;
    } else {
        show(&report, &mut out)?;
    }
    Ok(if report.is_sound() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

impl Report {
    /// Tells whether nothing was found.
    pub(super) fn is_sound(&self) -> bool {
        self.differences_found == 0 && self.integrity.is_empty()
    }

    /// How many differences there are, and how many things the database finds wrong with itself.
    pub(super) fn counts(&self) -> (u64, usize) {
        (self.differences_found, self.integrity.len())
    }
}

/// Audits the store.
///
/// # Errors
/// Where it cannot be opened or read.
pub(super) async fn look(config: &Config) -> anyhow::Result<Report> {
    let store = open_what_is_there(config, ends_by_itself()).await?;
    let looked = look_at(&store).await;
    close_store(&store).await?;
    looked
}

async fn look_at(store: &Store) -> anyhow::Result<Report> {
    let mut report = Report { integrity: integrity(store).await?, ..Report::default() };
    let now = Runtime::default().clock.now();
    let progress = Arc::new(ledger_audit::Progress::default());
    let differences = Arc::new(AtomicU64::new(0));
    let (shown, found) = (Arc::clone(&progress), Arc::clone(&differences));
    let lines = Progress::show(move || {
        let (owners, of, verifications) = shown.now();
        let found = found.load(Ordering::Relaxed);
        format!(
            "{owners} of {of} owners, {verifications} verifications checked, {found} differences so far"
        )
    });
    let audited = audit(store, now, &progress, |owner, findings| {
        differences.fetch_add(findings.differences.len() as u64, Ordering::Relaxed);
        let room = NAMED_MAX.saturating_sub(report.differences.len());
        let named = findings.differences.into_iter().take(room).map(|found| Difference {
            owner: owner.to_string(),
            what: found.what,
            figures: found.figures.map(|Figures { kept, computed }| Kept { kept, computed }),
        });
        report.differences.extend(named);
        let overdue = findings
            .overdue
            .iter()
            .map(|id| Overdue { owner: owner.to_string(), verification: id.to_string() });
        report.overdue.extend(overdue);
    });
    let audited = audited.await;
    drop(lines);
    // Rows of a broken file may not be readable at all.
    let broken = || match report.integrity.first() {
        Some(first) => format!("the audit, of a database that is broken: {first}"),
        None => "the audit".to_owned(),
    };
    report.owners = audited.with_context(broken)?;
    report.differences_found = differences.load(Ordering::Relaxed);
    Ok(report)
}

/// Asks the database about itself, which takes as long as reading all of it.
async fn integrity(store: &Store) -> anyhow::Result<Vec<String>> {
    let lines = Progress::show(|| "the database checks its own pages and indexes".to_owned());
    let store = store.clone();
    let checked = tokio::task::spawn_blocking(move || store.check_integrity()).await;
    drop(lines);
    checked.context("the integrity check")?.context("the integrity check")
}

fn show(report: &Report, out: &mut impl Write) -> std::io::Result<()> {
    for line in &report.integrity {
        writeln!(out, "database: {line}")?;
    }
    for Difference { owner, what, figures } in &report.differences {
        match figures {
            Some(Kept { kept, computed }) => {
                writeln!(out, "{owner}: {what}: kept {kept}, computed {computed}")?;
            }
            None => writeln!(out, "{owner}: {what}")?,
        }
    }
    for Overdue { owner, verification } in &report.overdue {
        writeln!(out, "{owner}: {verification} is open past its deadline")?;
    }
    let Report { owners, differences_found: differences, .. } = report;
    writeln!(out, "{owners} owners audited, {differences} differences")
}
