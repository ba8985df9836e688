//! Findings about all that the service needs, each with what to do about it.

pub(crate) mod configuration;
pub(crate) mod database;
pub(crate) mod folder;
pub(crate) mod network;

use std::io::{Write, stdout};
use std::process::ExitCode;

use serde::Serialize;
use serde_json::json;

use crate::version::COMMIT;

/// Exit status where the worst finding is a warning. 2 is a command or a configuration of no use, as everywhere.
const WARNED: u8 = 3;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Level {
    /// As it should be.
    Good,
    /// It works, and should be otherwise where money is real.
    Warning,
    /// Something does not work, or is not safe.
    Fault,
}

/// Result of one check.
#[derive(Debug, Serialize)]
pub(crate) struct Finding {
    check: &'static str,
    level: Level,
    finding: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<String>,
}

impl Finding {
    pub(crate) fn good(check: &'static str, finding: impl Into<String>) -> Self {
        Self { check, level: Level::Good, finding: finding.into(), advice: None }
    }

    pub(crate) fn warning(
        check: &'static str,
        finding: impl Into<String>,
        advice: impl Into<String>,
    ) -> Self {
        let (finding, advice) = (finding.into(), Some(advice.into()));
        Self { check, level: Level::Warning, finding, advice }
    }

    pub(crate) fn fault(
        check: &'static str,
        finding: impl Into<String>,
        advice: impl Into<String>,
    ) -> Self {
        let (finding, advice) = (finding.into(), Some(advice.into()));
        Self { check, level: Level::Fault, finding, advice }
    }
}

/// All findings.
#[derive(Debug)]
pub(crate) struct Report(Vec<Finding>);

impl Report {
    pub(crate) fn new(findings: Vec<Finding>) -> Self {
        Self(findings)
    }

    fn worst(&self) -> Level {
        self.0.iter().map(|finding| finding.level).max().unwrap_or(Level::Good)
    }

    /// Prints the findings, and answers the status that says the worst.
    pub(crate) fn print(&self, json: bool) -> anyhow::Result<ExitCode> {
        let mut out = stdout().lock();
        if json {
            let report = json!({
                "worst": self.worst(),
                "version": env!("CARGO_PKG_VERSION"),
                "commit": COMMIT,
                "findings": self.0,
            });
            writeln!(out, "{report}")?;
        } else {
            for Finding { check, level, finding, advice } in &self.0 {
                let level = match level {
                    Level::Good => "good",
                    Level::Warning => "warning",
                    Level::Fault => "FAULT",
                };
                writeln!(out, "{level:<8} {check:<14} {finding}")?;
                if let Some(advice) = advice {
                    let blank = "";
                    writeln!(out, "{blank:<23} -> {advice}")?;
                }
            }
        }
        Ok(match self.worst() {
            Level::Good => ExitCode::SUCCESS,
            Level::Warning => ExitCode::from(WARNED),
            Level::Fault => ExitCode::FAILURE,
        })
    }
}
