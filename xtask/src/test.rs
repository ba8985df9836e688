//! `cargo xtask test`: everything that must hold before a change is merged.

mod filter;
mod needs;
mod part;
mod prepared;
mod rotation;
mod summary;

use std::ffi::OsString;
use std::process::Command;
use std::thread;

use anyhow::Result;

use self::needs::Needs;
use self::summary::{Check, Summary};
use crate::contract;
use crate::debian;
use crate::journeys;
use crate::postgres::{self, Server};
use crate::process::{self, progress};
use crate::supply_chain;

/// How many tests run at once for each core: most of a test's time it waits, for a database or for a clock.
const TESTS_PER_CORE: usize = 3;

/// Feature that an everyday build of this program leaves out.
const EVERY_FEATURE: &str = "xtask/bench";

/// Variable by which tests learn that promtool cannot be installed.
const WITHOUT_PROMTOOL: &str = "COTEJO_TEST_WITHOUT_PROMTOOL";

/// Arguments by which the tests of a whole run are built.
const WHOLE_BUILD: [&str; 3] = ["--workspace", "--features", EVERY_FEATURE];

/// Environment in which Cargo compiles the workspace by Clippy's compiler: one pass lints and builds, where two would read
/// every dependency and every file twice. The separator is Clippy's own.
const LINTING: [(&str, &str); 2] = [
    ("RUSTC_WORKSPACE_WRAPPER", "clippy-driver"),
    ("CLIPPY_ARGS", "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__"),
];

/// Runs all checks and tests, or with `arguments` that choose tests only those. What a run may leave to the runs of other
/// commits is taken in turns, unless the run is `long`. Its last lines say what was checked. A server at `postgres` that
/// somebody has prepared takes the place of a throw-away one, and is never asked by a whole run.
pub(crate) fn run(is_long: bool, postgres: Option<&str>, arguments: &[OsString]) -> Result<()> {
    let mut summary = Summary::default();
    let suite = postgres.map(|_| prepared::arguments(arguments, has_nextest()));
    let arguments = suite.as_deref().unwrap_or(arguments);
    let is_whole = !filter::chooses(arguments);
    let needs = Needs::of(arguments);
    if needs.programs {
        debian::ensure_programs()?;
        debian::ensure_mail_server()?;
        debian::ensure_pdf_reader()?;
    }
    let mut tests = runner();
    if needs.programs && !debian::ensure_promtool() {
        summary
            .left_out("metrics and alert rules, as promtool reads them (it cannot be installed)");
        tests.env(WITHOUT_PROMTOOL, "1");
    }
    if is_whole {
        check_sources(&mut summary)?;
        tests.envs(LINTING);
    }
    // Cargo would take the whole workspace in spite of a package that the arguments name.
    if needs::packages(arguments).is_empty() {
        tests.args(WHOLE_BUILD);
    }
    let decides_when_to_stop = |word: &OsString| word == "--fail-fast" || word == "--no-fail-fast";
    if is_whole && !arguments.iter().any(decides_when_to_stop) {
        // One run names all that fail.
        tests.arg("--no-fail-fast");
    }
    tests.args(arguments);
    if let Some(part) = part::choose(is_long, &mut tests) {
        summary.left_out(format!("what rotates, but for part {part} of it"));
        if is_whole && has_nextest() {
            rotation::choose(&mut tests, (&WHOLE_BUILD, &LINTING), part)?;
        }
    }
    if needs.browser {
        tests.env(journeys::MODULES_VARIABLE, journeys::ensure()?);
    }
    if needs.contract {
        let contract::Programs { programs, modules } = contract::ensure()?;
        tests.env(contract::PROGRAMS_VARIABLE, programs).env(contract::MODULES_VARIABLE, modules);
    }
    let _server = reach_postgres(&mut tests, postgres, needs.postgres)?;
    progress("running the tests");
    process::run(&mut tests)?;
    if is_whole {
        summary.passed(Check::Tests);
    }
    Ok(())
}

/// Gives the tests the prepared server, or one that lives as long as what this returns where they need one.
fn reach_postgres(
    tests: &mut Command,
    prepared: Option<&str>,
    is_needed: bool,
) -> Result<Option<Server>> {
    if let Some(url) = prepared {
        prepared::check(url)?;
        tests.env(postgres::ADDRESS_VARIABLE, url).env(prepared::ENGINE_VARIABLE, "postgres");
        return Ok(None);
    }
    let server = is_needed.then(Server::start_for_tests).transpose()?;
    if let Some(server) = &server {
        server.reachable_by(tests);
    }
    Ok(server)
}

/// Checks what can be judged without running anything of ours.
fn check_sources(summary: &mut Summary) -> Result<()> {
    progress("checking the format");
    process::run(cargo().args(["fmt", "--all", "--check"]))?;
    summary.passed(Check::Format);
    progress("running the lints and building the tests");
    let mut build = runner();
    build.env_remove("NEXTEST_TEST_THREADS");
    process::run(build.arg("--no-run").args(WHOLE_BUILD).envs(LINTING))?;
    summary.passed(Check::Lints);
    if !supply_chain::check()? {
        summary.left_out("advisories on dependencies (their database cannot be fetched from here)");
    }
    summary.passed(Check::SupplyChain);
    Ok(())
}

/// nextest, or what Cargo has where that is not installed.
fn runner() -> Command {
    let cores = thread::available_parallelism().map_or(2, usize::from);
    let at_once = (TESTS_PER_CORE * cores).to_string();
    let mut tests = cargo();
    match has_nextest() {
        true => tests.args(["nextest", "run"]).env("NEXTEST_TEST_THREADS", at_once),
        false => tests.arg("test").env("RUST_TEST_THREADS", at_once),
    };
    tests
}

fn has_nextest() -> bool {
    process::succeeds(cargo().args(["nextest", "--version"]))
}

fn cargo() -> Command {
    Command::new("cargo")
}
