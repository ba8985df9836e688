//! The loads in turns, and what each came to in each round.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::thread::{self, ScopedJoinHandle};
use std::time::Duration;

use anyhow::{Context, Result, anyhow};

use super::commits::Commits;
use super::load::{Load, Outcome, Requests};
use super::service::{self, Service};
use crate::process;
use crate::statistics::median;

/// How many requests a second an open loop begins.
pub(super) const OPEN_PER_SECOND: f64 = 500.0;

/// How long each load runs before it is measured: what lay idle while other loads ran has
/// to be read again, since some kernels take back the memory of files that nobody has read for seconds.
pub(super) const LEAD_IN: Duration = Duration::from_secs(2);

/// A load with its name.
pub(super) struct Case {
    pub(super) name: String,
    pub(super) work: Work,
    /// The process whose time is counted.
    pub(super) process: Option<u32>,
}

/// Work that a round runs.
pub(super) enum Work {
    /// Requests in a closed loop.
    Http(Load),
    /// So many requests a second, on a store whose commits are counted meanwhile.
    Open { load: Load, per_second: f64, commits: Arc<Commits> },
    /// Durable commits as large as those that were counted.
    Commits(Arc<Commits>),
    /// Requests at several nodes at once.
    Together(Vec<Load>),
    /// PostgreSQL's benchmark: its transactions are what a verification is compared with.
    Pgbench { url: String, connections: usize },
}

impl Case {
    /// A closed loop of requests to a service.
    pub(super) fn http(
        name: impl Into<String>,
        service: &Service,
        connections: usize,
        requests: impl Requests,
    ) -> Self {
        let load = Load::new(service.addr, connections, Arc::new(requests));
        Self { name: name.into(), work: Work::Http(load), process: Some(service.pid()) }
    }

    /// Verifications in an open loop at a service on SQLite, and the durable commits that they are compared with.
    pub(super) fn open(
        names: [String; 2],
        service: &Service,
        data: &Path,
        requests: impl Requests,
    ) -> [Self; 2] {
        let commits = Arc::new(Commits::of(data));
        // What is lost by a slow server is its own, so the load needs no more than it asks for.
        let load = Load::new(service.addr, 1, Arc::new(requests));
        let open = Work::Open { load, per_second: OPEN_PER_SECOND, commits: Arc::clone(&commits) };
        let [name, probe] = names;
        [
            Self { name, work: open, process: Some(service.pid()) },
            Self { name: probe, work: Work::Commits(commits), process: None },
        ]
    }
}

/// Result of one round of one load.
#[derive(Clone, Copy, Default)]
pub(super) struct Round {
    pub(super) per_second: f64,
    pub(super) p50_ms: f64,
    pub(super) p99_ms: f64,
    /// Processor time of the service for each answer, in microseconds.
    pub(super) cpu_us: f64,
}

/// Every load's rounds.
pub(super) struct Rounds {
    cases: Vec<Case>,
    rounds: Vec<Vec<Round>>,
}

impl Rounds {
    pub(super) fn of(cases: Vec<Case>) -> Self {
        let rounds = cases.iter().map(|_| Vec::new()).collect();
        Self { cases, rounds }
    }

    /// One more round of every load, each for `time` after a lead-in. A load that comes later in one round comes
    /// earlier in the next.
    pub(super) fn run(&mut self, lead_in: Duration, time: Duration) -> Result<()> {
        let is_odd = self.rounds.first().is_some_and(|rounds| rounds.len() % 2 == 1);
        let mut order: Vec<_> = self.cases.iter().zip(&mut self.rounds).collect();
        if is_odd {
            order.reverse();
        }
        for (case, rounds) in order {
            let measured = |time| measure(case, time).with_context(|| case.name.clone());
            if !lead_in.is_zero() {
                measured(lead_in)?;
            }
            let round = measured(time)?;
            eprintln!(
                "  {:<48} {:>8.0}/s   p50 {:>7.2} ms   p99 {:>7.2} ms   {:>6.0} µs of processor",
                case.name, round.per_second, round.p50_ms, round.p99_ms, round.cpu_us,
            );
            rounds.push(round);
        }
        Ok(())
    }

    /// The names of the loads.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> + '_ {
        self.cases.iter().map(|case| case.name.as_str())
    }

    /// A load's middle value of something; no number where it has not run.
    pub(super) fn middle(&self, name: &str, of: impl Fn(&Round) -> f64) -> f64 {
        let rounds = self.rounds_of(name);
        if rounds.is_empty() { f64::NAN } else { median(rounds.iter().map(of).collect()) }
    }

    /// The middle of the rounds' ratios of two loads: both of a ratio ran in one round. No number where one has not
    /// run.
    pub(super) fn ratio(&self, a: &str, b: &str, of: impl Fn(&Round) -> f64) -> f64 {
        let pairs = self.rounds_of(a).iter().zip(self.rounds_of(b));
        let ratios: Vec<_> = pairs.map(|(a, b)| of(a) / of(b)).collect();
        if ratios.is_empty() { f64::NAN } else { median(ratios) }
    }

    /// How many bytes the durable commits of that name have.
    pub(super) fn commit_bytes(&self, name: &str) -> u64 {
        let case = self.cases.iter().find(|case| case.name == name);
        case.map_or(0, |case| match &case.work {
            Work::Commits(commits) => commits.bytes(),
            _ => 0,
        })
    }

    fn rounds_of(&self, name: &str) -> &[Round] {
        let at = self.cases.iter().position(|case| case.name == name);
        at.and_then(|at| self.rounds.get(at)).map(Vec::as_slice).unwrap_or_default()
    }

    /// Prints what each load came to.
    pub(super) fn print(&self) {
        println!(
            "\n| load | a second | p50 | p99 | processor time of the service for each answer |"
        );
        println!("| --- | --- | --- | --- | --- |");
        for name in self.names() {
            let of = |of: fn(&Round) -> f64| self.middle(name, of);
            let (rate, cpu) = (of(|round| round.per_second), of(|round| round.cpu_us));
            let (p50, p99) = (of(|round| round.p50_ms), of(|round| round.p99_ms));
            println!("| {name} | {rate:.0} | {p50:.2} ms | {p99:.2} ms | {cpu:.0} µs |");
        }
    }
}

/// Runs one load once.
pub(super) fn measure(case: &Case, time: Duration) -> Result<Round> {
    let spent = || case.process.map_or(Ok(0.0), service::cpu_seconds);
    let before = spent()?;
    let Outcome { per_second, p50_ms, p99_ms, answered } = match &case.work {
        Work::Http(load) => load.run(time)?,
        Work::Open { load, per_second, commits } => {
            let before = commits.now()?;
            let outcome = load.run_open(*per_second, time)?;
            commits.count_since(before)?;
            outcome
        }
        Work::Commits(commits) => commits.probe(time)?,
        Work::Together(loads) => together(loads, time)?,
        Work::Pgbench { url, connections } => pgbench(url, *connections, time)?,
    };
    let cpu_us = (spent()? - before) * 1e6 / answered.max(1) as f64;
    Ok(Round { per_second, p50_ms, p99_ms, cpu_us })
}

/// Runs loads at once: the rate of all, and the slowest one's times.
fn together(loads: &[Load], time: Duration) -> Result<Outcome> {
    let outcomes = thread::scope(|scope| {
        let running: Vec<_> = loads.iter().map(|load| scope.spawn(|| load.run(time))).collect();
        let ended = running.into_iter().map(ScopedJoinHandle::join);
        ended.map(|load| load.map_err(|_| anyhow!("a load panicked"))?).collect::<Result<Vec<_>>>()
    })?;
    let none = Outcome { per_second: 0.0, p50_ms: 0.0, p99_ms: 0.0, answered: 0 };
    Ok(outcomes.iter().fold(none, |all, one| Outcome {
        per_second: all.per_second + one.per_second,
        p50_ms: all.p50_ms.max(one.p50_ms),
        p99_ms: all.p99_ms.max(one.p99_ms),
        answered: all.answered + one.answered,
    }))
}

/// How long PostgreSQL's benchmark runs: its time has to outlast the making of its connections.
fn pgbench_seconds(time: Duration) -> u64 {
    const LEAST: u64 = 3;
    time.as_secs().max(LEAST)
}

fn pgbench(url: &str, connections: usize, time: Duration) -> Result<Outcome> {
    let mut command = Command::new("pgbench");
    command.args(["--skip-some-updates", "--protocol=prepared", "--no-vacuum", "--jobs=2"]);
    command.arg(format!("--client={connections}")).arg(format!("--time={}", pgbench_seconds(time)));
    let output = process::run_quietly(command.arg(url))?;
    let text = String::from_utf8(output.stdout)?;
    let number = |name: &str| -> Result<f64> {
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        let word = line.and_then(|line| line.split_whitespace().next());
        Ok(word.with_context(|| format!("pgbench does not say {name}"))?.parse()?)
    };
    let (per_second, p50_ms) = (number("tps = ")?, number("latency average = ")?);
    let answered = (per_second * pgbench_seconds(time) as f64) as u64;
    Ok(Outcome { per_second, p50_ms, p99_ms: p50_ms, answered })
}
