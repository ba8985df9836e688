//! The audit of deliveries, on a store that it opens for reading alone.

use std::io::{Write, stdout};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use app::delivery_audit::audit;
use domain::ids::OwnerId;
use serde::Serialize;
use store::delivery_audit::Findings;

use super::progress::Progress;
use super::{ends_by_itself, single_threaded};
use crate::config::Config;
use crate::opening::{close_store, open_what_is_there};
use crate::telemetry;

/// How many differences are kept to be named; what is beyond is counted.
const NAMED_MAX: usize = 10_000;

/// Findings of the audit, over all owners.
#[derive(Default, Serialize)]
struct Report {
    owners: u64,
    deliveries: u64,
    attempts: u64,
    days: u64,
    /// Deliveries of before there was any proof.
    not_covered: u64,
    /// Deliveries whose contents were deleted when their time was over.
    pruned: u64,
    /// How many differences there are.
    differences_found: u64,
    differences: Vec<Difference>,
}

/// Something that is not as it was written.
#[derive(Serialize)]
struct Difference {
    owner: String,
    place: String,
    what: &'static str,
}

impl Report {
    fn add(&mut self, owner: OwnerId, found: Findings) {
        self.deliveries += found.deliveries;
        self.attempts += found.attempts;
        self.days += found.days;
        self.not_covered += found.not_covered;
        self.pruned += found.pruned;
        self.differences_found += found.differences.len() as u64;
        let room = NAMED_MAX.saturating_sub(self.differences.len());
        let named = found.differences.into_iter().take(room).map(|found| Difference {
            owner: owner.to_string(),
            place: found.place,
            what: found.what,
        });
        self.differences.extend(named);
    }
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
    Ok(if report.differences_found == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn look(config: &Config) -> anyhow::Result<Report> {
    let store = open_what_is_there(config, ends_by_itself()).await?;
    let mut report = Report::default();
    let (deliveries, differences) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let shown = (Arc::clone(&deliveries), Arc::clone(&differences));
    let lines = Progress::show(move || {
        let (deliveries, found) =
            (shown.0.load(Ordering::Relaxed), shown.1.load(Ordering::Relaxed));
        format!("{deliveries} deliveries checked, {found} differences so far")
    });
    let audited = audit(&store, |owner, found| {
        report.add(owner, found);
        deliveries.store(report.deliveries, Ordering::Relaxed);
        differences.store(report.differences_found, Ordering::Relaxed);
    });
    let audited = audited.await;
    drop(lines);
    close_store(&store).await?;
    report.owners = audited?;
    Ok(report)
}

fn show(report: &Report, out: &mut impl Write) -> std::io::Result<()> {
    for Difference { owner, place, what } in &report.differences {
        writeln!(out, "{owner}: {place}: {what}")?;
    }
    let Report { owners, deliveries, attempts, days, not_covered, pruned, .. } = report;
    let found = report.differences_found;
    writeln!(
        out,
        "{owners} owners, {deliveries} deliveries, {attempts} attempts and {days} sealed days \
         checked, {found} differences"
    )?;
    writeln!(
        out,
        "{not_covered} deliveries are older than the proof, of {pruned} the contents were deleted \
         in time"
    )
}
