//! The audit of the ledger, on a store that it opens for reading alone.

use std::io::{Write, stdout};
use std::process::ExitCode;

use app::ledger_audit::audit;
use serde::Serialize;

use super::{ends_by_itself, single_threaded};
use crate::config::Config;
use crate::opening::{close_store, open_what_is_there};
use crate::system::Outside;
use crate::telemetry;

/// What the audit found, over all owners.
#[derive(Default, Serialize)]
struct Report {
    owners: u64,
    differences: Vec<Difference>,
    overdue: Vec<Overdue>,
}

/// A figure that is not what it must be.
#[derive(Serialize)]
struct Difference {
    owner: String,
    what: String,
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
    Ok(if report.differences.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn look(config: &Config) -> anyhow::Result<Report> {
    let store = open_what_is_there(config, ends_by_itself()).await?;
    let now = Outside::default().clock.now();
    let mut report = Report::default();
    let audited = audit(&store, now, |owner, findings| {
        let differences = findings.differences.into_iter().map(|found| Difference {
            owner: owner.to_string(),
            what: found.what,
            kept: found.kept,
            computed: found.computed,
        });
        report.differences.extend(differences);
        let overdue = findings
            .overdue
            .iter()
            .map(|id| Overdue { owner: owner.to_string(), verification: id.to_string() });
        report.overdue.extend(overdue);
    });
    let audited = audited.await;
    close_store(&store).await?;
    report.owners = audited?;
    Ok(report)
}

fn show(report: &Report, out: &mut impl Write) -> std::io::Result<()> {
    for Difference { owner, what, kept, computed } in &report.differences {
        writeln!(out, "{owner}: {what}: kept {kept}, computed {computed}")?;
    }
    for Overdue { owner, verification } in &report.overdue {
        writeln!(out, "{owner}: {verification} is open past its deadline")?;
    }
    let (owners, differences) = (report.owners, report.differences.len());
    writeln!(out, "{owners} owners audited, {differences} differences")
}
