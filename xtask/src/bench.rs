//! `cargo xtask bench`: how fast the service is, beside an echo of the same parts, a durable commit and PostgreSQL's
//! own benchmark, in turns on the same machine. Each row says whether it holds.

mod against;
mod aged;
mod callers;
mod charges;
mod client;
mod commits;
mod copies;
pub(crate) mod echo;
mod history;
mod lists;
mod load;
mod nodes;
mod owners;
mod reader;
mod recurring;
mod report;
mod requests;
mod rounds;
mod rows;
mod seed;
mod service;
mod stage;
mod statement;
mod webhooks;

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use clap::{Args, Subcommand, ValueEnum};

use self::nodes::Nodes;
use self::rounds::{LEAD_IN, Rounds};
use self::rows::Row;
use self::stage::{Folder, OWNERS, now};
use crate::postgres::Server;
use crate::process::progress;

#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Options {
    #[command(subcommand)]
    subject: Option<Subject>,
    /// How many seconds each load runs in each round.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..))]
    seconds: u64,
    /// How often every load is run, in turns.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Measure only these parts, such as `sqlite,start`.
    #[arg(long, value_enum, value_delimiter = ',')]
    only: Vec<Part>,
    /// How many rows the long history and the long lists have: ten million for the figures that count.
    #[arg(long, default_value_t = 1_000_000, value_parser = history_size)]
    history: usize,
    /// How many events each profile of webhooks has.
    #[arg(long, default_value_t = 4_000, value_parser = clap::value_parser!(u32).range(200..))]
    events: u32,
    /// Measure this program instead of building one.
    #[arg(long)]
    program: Option<PathBuf>,
}

#[derive(Subcommand)]
enum Subject {
    /// Measure how webhooks are delivered, and print it beside another engine's figures.
    Webhooks(webhooks::Options),
    /// Measure two programs in turns, such as this version and the one before.
    Against(against::Options),
}

/// Part of the benchmark, measured on data of its own.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Verifications and `GET /me` on SQLite.
    Sqlite,
    /// Verifications beside a long history, and the pages of long lists.
    History,
    /// Idle memory, start, size.
    Start,
    /// Verifications on PostgreSQL, at one node and at two.
    Postgres,
    /// Deliveries of webhooks on both databases.
    Webhooks,
    /// A day of many rows that a bank's statement has, on both databases.
    Statement,
    /// Cycles of subscriptions that are due at one instant, on both databases.
    Recurring,
    /// Verifications on SQLite beside a read that another program keeps open.
    Reader,
}

/// Results of a part.
struct Measured {
    rows: Vec<Row>,
    tables: Vec<Rounds>,
    /// Data folders whose logs show where the time went.
    logs: Vec<(&'static str, PathBuf)>,
}

/// Lists must reach to their last page.
fn history_size(text: &str) -> Result<usize, String> {
    const LEAST: usize = 200_000;
    match text.parse() {
        Ok(size) if size >= LEAST => Ok(size),
        _ => Err(format!("must be {LEAST} or more")),
    }
}

/// Builds, starts, loads and prints.
pub(crate) fn run(options: &Options) -> Result<()> {
    if crate::release::hand_over()? {
        return Ok(());
    }
    match &options.subject {
        Some(Subject::Webhooks(options)) => return webhooks::run(options),
        Some(Subject::Against(options)) => return against::run(options),
        None => {}
    }
    let program = crate::release::given_or_built(options.program.as_deref(), "cotejo")?;
    let folder = Folder::new()?;
    let machine = crate::conditions::machine(&folder.0)?;
    let wanted = |part: &&Part| options.only.is_empty() || options.only.contains(part);
    let (mut parts, mut server) = (Vec::new(), None);
    for part in Part::value_variants().iter().filter(wanted) {
        parts.push(part.measure(&program, &folder.0, &mut server, options)?);
    }
    println!("{machine}\n");
    println!(
        "{} rounds of {} s in turns, medians; {OWNERS} owners unless a row says otherwise; load and databases on the \
         same machine.\n",
        options.rounds, options.seconds,
    );
    let rows: Vec<Row> = parts.iter().flat_map(|part| part.rows.clone()).collect();
    rows::print(&rows);
    parts.iter().flat_map(|part| &part.tables).for_each(Rounds::print);
    let mut logs = parts.iter().flat_map(|part| &part.logs);
    logs.try_for_each(|(engine, data)| report::costs(engine, data))
}

impl Part {
    /// Measures it. One PostgreSQL server serves all parts, from the first that needs it on.
    fn measure(
        self,
        program: &Path,
        folder: &Path,
        server: &mut Option<Server>,
        options: &Options,
    ) -> Result<Measured> {
        match self {
            Self::Sqlite => sqlite(program, folder, options),
            Self::History => aged::run(program, folder, options),
            Self::Start => {
                let rows = stage::footprint(program, folder)?;
                Ok(Measured { rows, tables: Vec::new(), logs: Vec::new() })
            }
            Self::Postgres => postgres(program, folder, started(server)?, options),
            Self::Webhooks => {
                let server = started(server)?;
                let database = (server, server.database("webhooks")?);
                webhooks::measure(program, folder, database, options.events)
            }
            Self::Statement => statement::measure(program, folder, started(server)?, options),
            Self::Recurring => recurring::measure(program, folder, started(server)?, options),
            Self::Reader => reader::measure(program, folder, options),
        }
    }
}

fn started(server: &mut Option<Server>) -> Result<&Server> {
    if server.is_none() {
        *server = Some(Server::start()?);
    }
    server.as_ref().context("a server")
}

impl Options {
    /// Runs every load in rounds.
    fn run(&self, what: &str, rounds: &mut Rounds, server: Option<&Server>) -> Result<()> {
        for round in 1..=self.rounds {
            stage::rest(server)?;
            progress(&format!("{what}, round {round} of {}", self.rounds));
            rounds.run(LEAD_IN, Duration::from_secs(self.seconds))?;
        }
        Ok(())
    }
}

fn sqlite(program: &Path, folder: &Path, options: &Options) -> Result<Measured> {
    progress("making owners on SQLite");
    let at = stage::on_sqlite(program, &folder.join("sqlite"), 1, now()?)?;
    let echo = stage::echo(&at)?;
    let mut cases = charges::of_echo(&echo, &at);
    cases.extend(charges::on_sqlite(&at, ""));
    let mut rounds = Rounds::of(cases);
    options.run("SQLite", &mut rounds, None)?;
    let rows = charges::rows_on_sqlite(&rounds, "", OWNERS);
    Ok(Measured { rows, tables: vec![rounds], logs: vec![("SQLite", at.data.clone())] })
}

fn postgres(program: &Path, folder: &Path, server: &Server, options: &Options) -> Result<Measured> {
    progress("making owners on PostgreSQL");
    let at = stage::on_postgres(program, &folder.join("postgres"), server.url(), now()?)?;
    stage::fill_pgbench(server.url())?;
    let nodes = Nodes::start(program, folder, server.database("nodes")?)?;
    let mut cases = vec![charges::of_pgbench(server.url()), charges::on_postgres(&at, "")];
    cases.extend(nodes.cases());
    let mut rounds = Rounds::of(cases);
    options.run("PostgreSQL", &mut rounds, Some(server))?;
    let mut rows = vec![charges::row_on_postgres(&rounds, "", OWNERS)];
    rows.extend(nodes.rows(&rounds, server)?);
    Ok(Measured { rows, tables: vec![rounds], logs: vec![("PostgreSQL", at.data.clone())] })
}
