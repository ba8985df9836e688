//! `cargo xtask test`: everything that must hold before a change is merged.

mod needs;
mod part;

use std::ffi::OsString;
use std::process::Command;
use std::thread;

use anyhow::Result;

use self::needs::Needs;
use crate::contract;
use crate::debian;
use crate::journeys;
use crate::postgres::Server;
use crate::process::{self, progress};
use crate::supply_chain;

/// How many tests run at once for each core: most of a test's time it waits, for a database or for a clock.
const TESTS_PER_CORE: usize = 3;

/// What a build of this program for every day is without.
const EVERY_FEATURE: &str = "xtask/bench";

/// Runs all checks and tests, or with a `filter` only the tests that it selects. What a run may leave to the runs of
/// other commits is taken in turns, unless the run is `long`.
pub(crate) fn run(is_long: bool, filter: &[OsString]) -> Result<()> {
    let needs = Needs::of(filter);
    if needs.programs {
        debian::ensure_programs()?;
        debian::ensure_mail_server()?;
    }
    if filter.is_empty() {
        progress("checking the format");
        process::run(cargo().args(["fmt", "--all", "--check"]))?;
        progress("running the lints");
        let lints = ["clippy", "--workspace", "--all-targets", "--features", EVERY_FEATURE];
        process::run(cargo().args(lints).args(["--", "-D", "warnings"]))?;
        supply_chain::check()?;
    }
    let mut tests = runner();
    // Cargo would take the whole workspace in spite of a package that the filter names.
    if needs::packages(filter).is_empty() {
        tests.args(["--workspace", "--features", EVERY_FEATURE]);
    }
    tests.args(filter);
    part::choose(is_long, &mut tests);
    if needs.browser {
        tests.env(journeys::MODULES_VARIABLE, journeys::ensure()?);
    }
    if needs.contract {
        let programs = contract::ensure()?;
        tests.env(contract::SCHEMATHESIS_VARIABLE, programs.schemathesis);
        tests.env(contract::MODULES_VARIABLE, programs.modules);
    }
    let server = needs.postgres.then(Server::start_for_tests).transpose()?;
    if let Some(server) = &server {
        server.reachable_by(&mut tests);
    }
    progress("running the tests");
    process::run(&mut tests)
}

/// nextest, or what Cargo has where that is not installed.
fn runner() -> Command {
    let cores = thread::available_parallelism().map_or(2, usize::from);
    let at_once = (TESTS_PER_CORE * cores).to_string();
    let mut tests = cargo();
    match process::succeeds(cargo().args(["nextest", "--version"])) {
        true => tests.args(["nextest", "run"]).env("NEXTEST_TEST_THREADS", at_once),
        false => tests.arg("test").env("RUST_TEST_THREADS", at_once),
    };
    tests
}

fn cargo() -> Command {
    Command::new("cargo")
}
