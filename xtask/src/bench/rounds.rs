//! The loads in turns, and what each came to in each round.

use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};

use super::load::{Load, Outcome};
use super::service;
use crate::process;
use crate::statistics::median;

/// How long each load runs before it is measured, unless its requests run out: what lay idle while other loads ran has
/// to be read again, since some kernels take back the memory of files that nobody has read for seconds.
const LEAD_IN: Duration = Duration::from_secs(3);

/// A load with its name.
pub(super) struct Case {
    pub(super) name: &'static str,
    pub(super) work: Work,
    /// The process whose time is counted.
    pub(super) process: Option<u32>,
}

/// What is run.
pub(super) enum Work {
    /// Our own load.
    Http(Load),
    /// PostgreSQL's benchmark: its transactions are what a verification is compared with.
    Pgbench { url: String, connections: usize },
}

impl Case {
    /// Whether there is always a next request.
    fn goes_on(&self) -> bool {
        match &self.work {
            Work::Http(load) => load.requests.a_round() == u64::MAX,
            Work::Pgbench { .. } => true,
        }
    }
}

/// What one round of one load came to.
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
    /// Rounds of the loads that `only` selects, beside what they are compared with.
    pub(super) fn new(mut cases: Vec<Case>, only: Option<&str>) -> Self {
        if let Some(only) = only {
            let is_base = |name: &str| name.starts_with("echo") || name.starts_with("pgbench");
            cases.retain(|case| is_base(case.name) || case.name.contains(only));
        }
        let rounds = cases.iter().map(|_| Vec::new()).collect();
        Self { cases, rounds }
    }

    /// One more round of every load.
    pub(super) fn run(&mut self, time: Duration) -> Result<()> {
        for (case, rounds) in self.cases.iter().zip(&mut self.rounds) {
            let measured = |time| measure(case, time).with_context(|| case.name);
            if case.goes_on() {
                measured(LEAD_IN)?;
            }
            let round = measured(time)?;
            eprintln!(
                "  {:<24} {:>8.0}/s   p50 {:>7.2} ms   p99 {:>7.2} ms   {:>6.0} µs of processor",
                case.name, round.per_second, round.p50_ms, round.p99_ms, round.cpu_us,
            );
            rounds.push(round);
        }
        Ok(())
    }

    /// The loads that were run.
    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.cases.iter().map(|case| case.name)
    }

    /// A load's middle value of something.
    pub(super) fn middle(&self, name: &str, of: impl Fn(&Round) -> f64) -> Option<f64> {
        let rounds = self.of(name)?;
        (!rounds.is_empty()).then(|| median(rounds.iter().map(of).collect()))
    }

    /// The middle of the rounds' ratios of two loads: both of a ratio ran next to each other.
    pub(super) fn ratio(&self, a: &str, b: &str, of: impl Fn(&Round) -> f64) -> Option<f64> {
        let pairs = self.of(a)?.iter().zip(self.of(b)?);
        let ratios: Vec<_> = pairs.map(|(a, b)| of(a) / of(b)).collect();
        (!ratios.is_empty()).then(|| median(ratios))
    }

    fn of(&self, name: &str) -> Option<&[Round]> {
        let at = self.cases.iter().position(|case| case.name == name)?;
        self.rounds.get(at).map(Vec::as_slice)
    }
}

/// Runs one load once.
pub(super) fn measure(case: &Case, time: Duration) -> Result<Round> {
    let spent = || case.process.map_or(Ok(0.0), service::cpu_seconds);
    let before = spent()?;
    let Outcome { per_second, p50_ms, p99_ms, answered } = match &case.work {
        Work::Http(load) => load.run(time)?,
        Work::Pgbench { url, connections } => pgbench(url, *connections, time)?,
    };
    let cpu_us = (spent()? - before) * 1e6 / answered.max(1) as f64;
    Ok(Round { per_second, p50_ms, p99_ms, cpu_us })
}

fn pgbench(url: &str, connections: usize, time: Duration) -> Result<Outcome> {
    let mut command = Command::new("pgbench");
    command.args(["--skip-some-updates", "--protocol=prepared", "--no-vacuum", "--jobs=2"]);
    command.arg(format!("--client={connections}")).arg(format!("--time={}", time.as_secs()));
    let output = process::run_quietly(command.arg(url))?;
    let text = String::from_utf8(output.stdout)?;
    let number = |name: &str| -> Result<f64> {
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        let word = line.and_then(|line| line.split_whitespace().next());
        Ok(word.with_context(|| format!("pgbench does not say {name}"))?.parse()?)
    };
    let (per_second, p50_ms) = (number("tps = ")?, number("latency average = ")?);
    let answered = (per_second * time.as_secs_f64()) as u64;
    Ok(Outcome { per_second, p50_ms, p99_ms: p50_ms, answered })
}
