//! The project's own commands: `cargo xtask --help` lists them.
#![cfg_attr(not(feature = "bench"), expect(dead_code, reason = "the benchmark uses more"))]

#[cfg(feature = "bench")]
mod bench;
#[cfg(feature = "bench")]
mod chance;
#[cfg(feature = "bench")]
mod conditions;
mod contract;
mod debian;
mod journeys;
mod media;
mod npm;
mod openapi;
mod postgres;
mod process;
mod release;
mod soak;
#[cfg(feature = "bench")]
mod statistics;
mod supply_chain;
mod test;

use std::ffi::OsString;

use anyhow::Result;
use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Cotejo's development commands")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Check the format, run the lints and run every test, on both databases. With a filter: only
    /// the tests that it selects, with nothing started that these do without. The last lines say
    /// what was checked.
    Test {
        /// Leave nothing out: every seed, and every test on both databases
        #[arg(long)]
        long: bool,
        /// A server whose database `cotejo_template` was prepared, in place of a throw-away one: runs the integration
        /// suite on it, unless tests are chosen. The address ends in a database of the superuser's
        #[arg(long, value_name = "URL")]
        postgres: Option<String>,
        /// Handed on to `cargo nextest run`, or to `cargo test` where that is not installed.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Run a command with a throw-away PostgreSQL, whose address is in TEST_POSTGRES_URL.
    Pg {
        /// The command and its arguments, after `--`.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
        command: Vec<OsString>,
    },
    /// Write docs/openapi.json and docs/reference from the code.
    Openapi {
        /// Even where callers would notice the change
        #[arg(long)]
        incompatible: bool,
    },
    /// Make the pictures in docs/media anew, after a change to the pages.
    Media,
    /// Kill and cut a server under load for as long as there is time, and look whether anything was
    /// lost or done twice.
    Soak(soak::Options),
    /// Measure the service beside an echo and beside PostgreSQL's own benchmark, and print the
    /// table of docs/performance.md.
    #[cfg(feature = "bench")]
    Bench(bench::Options),
    /// Measure the service beside an echo and beside PostgreSQL's own benchmark, and print the
    /// table of docs/performance.md.
    #[cfg(not(feature = "bench"))]
    #[command(disable_help_flag = true)]
    Bench {
        /// Handed on to a build that has the benchmark.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// What the benchmark compares with.
    #[cfg(feature = "bench")]
    #[command(hide = true)]
    Echo,
}

fn main() -> Result<()> {
    match Arguments::parse().task {
        Task::Test { long, postgres, arguments } => {
            test::run(long, postgres.as_deref(), &arguments)
        }
        Task::Pg { command } => postgres::run(&command),
        Task::Openapi { incompatible } => openapi::write(incompatible),
        Task::Media => media::make(),
        Task::Soak(options) => soak::run(&options),
        #[cfg(feature = "bench")]
        Task::Bench(options) => bench::run(&options),
        #[cfg(not(feature = "bench"))]
        Task::Bench { .. } => release::hand_over().map(drop),
        #[cfg(feature = "bench")]
        Task::Echo => bench::echo::run(),
    }
}
