//! `cargo xtask bench against`: two programs that run at once on SQLite, each on a store of its own, and are loaded in
//! turns after the echo. What a turn's slices make of each other is touched
//! less by the moods of the machine than any rate is.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;

use super::load::{Load, Requests};
use super::requests::{Me, Verify};
use super::rounds::{Case, Round, Work, measure};
use super::service::Service;
use super::stage::{Folder, Installation, OWNERS, SMALL, echo, now, on_sqlite};
use crate::process::progress;
use crate::statistics::median;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// The program to compare with, such as one of an earlier version. It has to have the same schema, since this version
    /// writes the owners and histories of both. Its store is made first, which with a long history is slower: run it again the
    /// other way round.
    other: PathBuf,
    /// Measure this program instead of building one.
    #[arg(long)]
    program: Option<PathBuf>,
    /// How many requests are under way at once.
    #[arg(long, default_value_t = 64)]
    connections: usize,
    /// How often each program is loaded.
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..))]
    turns: u32,
    /// How long, in milliseconds, each time.
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u64).range(100..))]
    slice: u64,
    /// How many verifications both histories hold.
    #[arg(long, default_value_t = SMALL)]
    history: usize,
    /// What is asked for.
    #[arg(long, value_enum, default_value_t = What::Verify)]
    what: What,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum What {
    /// Verifications of a thousand owners.
    Verify,
    /// Verifications of one owner.
    Hot,
    /// `GET /me` of a thousand owners.
    Me,
}

/// Loads both in turns, and prints what came of it.
pub(super) fn run(options: &Options) -> Result<()> {
    let program = crate::release::given_or_built(options.program.as_deref(), "cotejo")?;
    let folder = Folder::new()?;
    progress("making owners and histories");
    let make = |program: &PathBuf, name: &str| {
        on_sqlite(program, &folder.0.join(name), options.history / OWNERS, now()?, &[])
    };
    let (other, this) = (make(&options.other, "other")?, make(&program, "this")?);
    let echo = echo(&this, None)?;
    let cases = [
        options.case("echo", &echo, &this),
        options.case("other", &other.service, &other),
        options.case("this", &this.service, &this),
    ];
    let mut turns = Vec::new();
    for turn in 0..options.turns {
        // Whoever comes second in one turn comes first in the next.
        let order = if turn % 2 == 0 { [0, 1, 2] } else { [0, 2, 1] };
        let mut rounds = [Round::default(); 3];
        for at in order {
            rounds[at] = measure(&cases[at], Duration::from_millis(options.slice))?;
        }
        let [echo, other, this] = rounds.map(|round| round.per_second);
        eprintln!(
            "  echo {echo:>7.0}/s   other {other:>6.0}   this {this:>6.0}   {:.2}",
            this / other
        );
        turns.push(rounds);
    }
    print(&turns);
    Ok(())
}

impl Options {
    fn case(&self, name: &'static str, service: &Service, of: &Installation) -> Case {
        let one = || of.accounts.iter().take(1).cloned().collect();
        let requests: Arc<dyn Requests> = match self.what {
            What::Verify => Arc::new(Verify { accounts: of.accounts.clone(), series: 1 }),
            What::Hot => Arc::new(Verify { accounts: one(), series: 1 }),
            What::Me => Arc::new(Me(of.accounts.clone())),
        };
        let load = Load::new(service.addr, self.connections, requests);
        Case { name, work: Work::Http(load), process: Some(service.pid()) }
    }
}

/// The middle of what the turns say.
fn print(turns: &[[Round; 3]]) {
    let middle = |of: &dyn Fn(&[Round; 3]) -> f64| median(turns.iter().map(of).collect());
    println!("| | a second | p50 | p99 | processor time | ÷ echo |");
    println!("| --- | --- | --- | --- | --- | --- |");
    for (at, name) in ["echo", "other", "this"].into_iter().enumerate() {
        println!(
            "| {name} | {:.0} | {:.2} ms | {:.2} ms | {:.0} µs | {:.3} |",
            middle(&|turn| turn[at].per_second),
            middle(&|turn| turn[at].p50_ms),
            middle(&|turn| turn[at].p99_ms),
            middle(&|turn| turn[at].cpu_us),
            middle(&|turn| turn[at].per_second / turn[0].per_second),
        );
    }
    println!(
        "\nthis ÷ other: {:.3} of the rate at {:.3} of the processor time",
        middle(&|[_, other, this]| this.per_second / other.per_second),
        middle(&|[_, other, this]| this.cpu_us / other.cpu_us),
    );
}
