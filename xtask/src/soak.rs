//! `cargo xtask soak`: the tests that kill and cut a server under load, for as long as somebody
//! has time, after every seed of the simulation. They are those of `cargo xtask test`, made to go on.

use std::process::{self as ours, Command};

use anyhow::{Context, Result};
use clap::ValueEnum;

use crate::postgres::Server;
use crate::process::{self, progress};

/// Variables that the tests read: how long each of them lasts, and the seed of its first history.
const SECONDS_VARIABLE: &str = "COTEJO_CRASH_SECONDS";
const SEED_VARIABLE: &str = "COTEJO_CRASH_SEED";

/// Variable that the simulation reads: whether to leave no seed out.
const LONG_VARIABLE: &str = "TEST_LONG";

/// Number of tests at once: as many as there are, so that they run side by side and the time given is the whole.
const TESTS_AT_ONCE: &str = "9";

/// How long, on what, and with which choices.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// How long
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    minutes: u64,
    /// The database
    #[arg(long, value_enum, default_value_t = Engine::Both)]
    engine: Engine,
    /// Repeats the choices of another run; each history of a run counts it up by one
    #[arg(long)]
    seed: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Engine {
    Sqlite,
    Postgres,
    Both,
}

impl Engine {
    /// Returns the part that the names of its tests have in common.
    fn filter(self) -> &'static str {
        match self {
            Self::Sqlite => "under_load_on_sqlite",
            Self::Postgres => "under_load_on_postgres",
            Self::Both => "under_load_on_",
        }
    }
}

/// Runs until the time is over, or until something is wrong: the tests say what, and this fails.
pub(crate) fn run(options: &Options) -> Result<()> {
    let seed = options.seed.unwrap_or_else(|| u64::from(ours::id()));
    let seconds = options.minutes.checked_mul(60).context("too many minutes")?;
    progress("simulating every seed");
    let mut simulation = Command::new("cargo");
    simulation.args(["test", "--package", "app", "--lib", "simulation"]);
    process::run(simulation.env(LONG_VARIABLE, "1"))?;
    progress(&format!("soaking for {} minutes from seed {seed}", options.minutes));
    let mut tests = Command::new("cargo");
    tests.args(["test", "--package", "cotejo", "--test", "crash", options.engine.filter(), "--"]);
    tests.args(["--nocapture", "--test-threads", TESTS_AT_ONCE]);
    tests.env(SECONDS_VARIABLE, seconds.to_string()).env(SEED_VARIABLE, seed.to_string());
    if options.engine == Engine::Sqlite {
        return process::run(&mut tests);
    }
    let server = Server::start()?;
    process::run(server.reachable_by(&mut tests))
}
