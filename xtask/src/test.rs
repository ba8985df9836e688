//! `cargo xtask test`: everything that must hold before a change is merged.

use std::ffi::OsString;
use std::process::Command;

use anyhow::Result;

use crate::debian;
use crate::journeys;
use crate::postgres::Server;
use crate::process::{self, progress};
use crate::supply_chain;

/// Runs all checks and tests, or with a `filter` only the tests that it selects.
pub(crate) fn run(filter: &[OsString]) -> Result<()> {
    debian::ensure_programs()?;
    if filter.is_empty() {
        progress("checking the format");
        process::run(cargo().args(["fmt", "--all", "--check"]))?;
        progress("running the lints");
        let lints = ["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"];
        process::run(cargo().args(lints))?;
        supply_chain::check()?;
    }
    let modules = journeys::ensure()?;
    let server = Server::start()?;
    progress("running the tests");
    let runner: &[&str] = match process::succeeds(cargo().args(["nextest", "--version"])) {
        true => &["nextest", "run"],
        false => &["test"],
    };
    let mut tests = cargo();
    tests.args(runner).env(journeys::MODULES_VARIABLE, modules);
    // Cargo would take the whole workspace in spite of a package that the filter names.
    if !filter.iter().any(|word| word == "-p" || word == "--package") {
        tests.arg("--workspace");
    }
    tests.args(filter);
    process::run(server.reachable_by(&mut tests))
}

fn cargo() -> Command {
    Command::new("cargo")
}
