//! `cargo xtask bench nodes`: one owner with several keys and accounts on PostgreSQL, its verifications through one
//! node and through two, in turns; and how many deadlocks the server has seen.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, ScopedJoinHandle};
use std::time::Duration;

use anyhow::{Context, Result, anyhow};

use super::load::Load;
use super::requests::Verify;
use super::seed::{self, Database};
use super::service::Service;
use super::stage::{Folder, now};
use crate::postgres::Server;
use crate::process::progress;
use crate::statistics::median;

/// Sessions that have ended say how many there were.
const DEADLOCKS: &str = "select deadlocks from pg_stat_database where datname = current_database()";

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Measure this program instead of building one.
    #[arg(long)]
    program: Option<PathBuf>,
    /// How many keys the owner has, each with an account.
    #[arg(long, default_value_t = 6, value_parser = clap::value_parser!(u32).range(1..))]
    keys: u32,
    /// How many requests are under way at once, at all nodes together.
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u32).range(2..))]
    connections: u32,
    /// How often each is loaded.
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..))]
    turns: u32,
    /// How many seconds each time.
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..))]
    seconds: u64,
}

/// What one turn came to: the rate of all nodes, and the slowest node's times.
#[derive(Clone, Copy, Default)]
struct Turn {
    per_second: f64,
    p50_ms: f64,
    p99_ms: f64,
}

/// Loads one node and two in turns, and prints what came of it.
pub(super) fn run(options: &Options) -> Result<()> {
    let program = crate::release::given_or_built(options.program.as_deref(), "cotejo")?;
    let folder = Folder::new()?;
    let server = Server::start()?;
    let [one, other] = nodes(&program, &folder.0, &server)?;
    progress("making an owner");
    let accounts = seed::one_owner(&Database::Postgres(server.url()), options.keys, now()?)?;
    let load = |to: &Service, share: u32, series| {
        let verify = Verify { accounts: accounts.clone(), series };
        Load::new(to.addr, (options.connections / share) as usize, Arc::new(verify))
    };
    let alone = [load(&one, 1, 1)];
    let both = [load(&one, 2, 2), load(&other, 2, 3)];
    let time = Duration::from_secs(options.seconds);
    let mut turns = Vec::new();
    for turn in 0..=options.turns {
        let pair = [run_all(&alone, time)?, run_all(&both, time)?];
        // The first is the lead-in.
        if turn > 0 {
            let [one, two] = pair.map(|turn| turn.per_second);
            eprintln!("  one node {one:>6.0}/s   two nodes {two:>6.0}/s   {:.2}", two / one);
            turns.push(pair);
        }
    }
    one.stop()?;
    other.stop()?;
    print(options, &turns, server.number(DEADLOCKS)?);
    Ok(())
}

/// Two nodes on one database, with one master key.
fn nodes(program: &Path, folder: &Path, server: &Server) -> Result<[Service; 2]> {
    let node = |name: &str, settings: &[(&str, String)]| {
        Service::cotejo(program, &folder.join(name), Some(server.url()), settings)
    };
    let one = node("one", &[])?;
    let key = folder.join("one").join("master.key");
    let key = key.to_str().context("the folder's name")?.to_owned();
    Ok([one, node("other", &[("COTEJO_MASTER_KEY_FILE", key)])?])
}

/// Runs the loads at once.
fn run_all(loads: &[Load], time: Duration) -> Result<Turn> {
    let outcomes = thread::scope(|scope| {
        let running: Vec<_> = loads.iter().map(|load| scope.spawn(|| load.run(time))).collect();
        let ended = running.into_iter().map(ScopedJoinHandle::join);
        ended.map(|load| load.map_err(|_| anyhow!("a load panicked"))?).collect::<Result<Vec<_>>>()
    })?;
    Ok(outcomes.iter().fold(Turn::default(), |turn, outcome| Turn {
        per_second: turn.per_second + outcome.per_second,
        p50_ms: turn.p50_ms.max(outcome.p50_ms),
        p99_ms: turn.p99_ms.max(outcome.p99_ms),
    }))
}

/// The middle of what the turns say.
fn print(options: &Options, turns: &[[Turn; 2]], deadlocks: u64) {
    let middle = |of: &dyn Fn(&[Turn; 2]) -> f64| median(turns.iter().map(of).collect());
    println!(
        "one owner with {} keys and accounts, PostgreSQL, {} connections, {} turns of {} s\n",
        options.keys, options.connections, options.turns, options.seconds,
    );
    println!("| | a second | p50 | p99 |\n| --- | --- | --- | --- |");
    for (at, name) in ["one node", "two nodes"].into_iter().enumerate() {
        println!(
            "| {name} | {:.0} | {:.1} ms | {:.1} ms |",
            middle(&|turn| turn[at].per_second),
            middle(&|turn| turn[at].p50_ms),
            middle(&|turn| turn[at].p99_ms),
        );
    }
    let ratio = middle(&|[one, two]| two.per_second / one.per_second);
    println!("\ntwo nodes ÷ one node: {ratio:.2}; deadlocks: {deadlocks}");
}
