//! `cargo xtask bench`: how fast the service is, beside an echo of the same parts and beside
//! PostgreSQL's own benchmark, in turns on the same machine. What it prints is docs/performance.md.

mod against;
mod bdv;
mod client;
pub(crate) mod echo;
mod history;
mod links;
mod load;
mod nodes;
mod report;
mod requests;
mod rounds;
mod seed;
mod service;
mod signed_in;
mod stage;
mod webhooks;

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use clap::{Args, Subcommand};

use self::rounds::Rounds;
use self::stage::Stage;

/// How often every load is run, in turns.
const ROUNDS: usize = 5;

#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Options {
    #[command(subcommand)]
    subject: Option<Subject>,
    /// How many seconds each load runs in each round.
    #[arg(long, default_value_t = 4)]
    seconds: u64,
    /// Run only the loads whose names contain this; `echo` and `pgbench` are what others are
    /// compared with.
    #[arg(long)]
    only: Option<String>,
    /// How many verifications the large history holds.
    #[arg(long, default_value_t = 1_000_000)]
    history: usize,
    /// Measure this program instead of building one.
    #[arg(long)]
    program: Option<PathBuf>,
    /// Leave PostgreSQL out.
    #[arg(long)]
    no_postgres: bool,
}

#[derive(Subcommand)]
enum Subject {
    /// Measure how webhooks are delivered, and print it beside another engine's figures.
    Webhooks(webhooks::Options),
    /// Measure verifications of two programs in turns, which tells small differences.
    Against(against::Options),
    /// Measure the verifications of one owner through one node and through two.
    Nodes(nodes::Options),
}

/// Builds, starts, loads and prints.
pub(crate) fn run(options: &Options) -> Result<()> {
    if crate::release::hand_over()? {
        return Ok(());
    }
    match &options.subject {
        Some(Subject::Webhooks(options)) => return webhooks::run(options),
        Some(Subject::Against(options)) => return against::run(options),
        Some(Subject::Nodes(options)) => return nodes::run(options),
        None => {}
    }
    let program = crate::release::given_or_built(options.program.as_deref(), "cotejo")?;
    let stage = Stage::set(options, program)?;
    let mut rounds = Rounds::new(stage.cases(), options.only.as_deref());
    for round in 1..=ROUNDS {
        stage.rest()?;
        crate::process::progress(&format!("round {round} of {ROUNDS}"));
        rounds.run(Duration::from_secs(options.seconds))?;
    }
    report::print(&stage, &rounds, options)
}
