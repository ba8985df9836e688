//! The cost of keeping the statement of an account whole: how long a day of many rows takes, how large it is, and
//! how long others and the account's own payers wait meanwhile and afterwards.

mod site;
mod turns;

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};

use self::site::{OTHERS, Site};
use self::turns::{FEW_ROWS, PER_SECOND, ROWS, Turn};
use super::rows::Row;
use super::{Measured, Options, stage};
use crate::postgres::Server;
use crate::process::progress;
use crate::statistics::median;

/// Which limits a row has: of a file, and of a server, where each slice costs round trips.
#[derive(Clone, Copy)]
enum Engine {
    Sqlite,
    Postgres,
}

/// Measures both engines.
pub(super) fn measure(
    program: &Path,
    folder: &Path,
    server: &Server,
    options: &Options,
) -> Result<Measured> {
    let mut rows = on(Engine::Sqlite, program, folder, None, options)?;
    rows.extend(on(Engine::Postgres, program, folder, Some(server), options)?);
    Ok(Measured { rows, tables: Vec::new(), logs: Vec::new() })
}

fn on(
    engine: Engine,
    program: &Path,
    folder: &Path,
    server: Option<&Server>,
    options: &Options,
) -> Result<Vec<Row>> {
    let (name, time) = (engine.name(), Duration::from_secs(options.seconds));
    let mut turns = Vec::new();
    for number in 1..=options.rounds {
        progress(&format!("a day of {ROWS} rows, {name}, turn {number} of {}", options.rounds));
        let database = |server: &Server| server.database(&format!("statement_{number}"));
        let postgres = server.map(|server| anyhow::Ok((server, database(server)?))).transpose()?;
        let data = folder.join(format!("statement-{name}-{number}"));
        let site = Site::start(program, &data, postgres)?;
        stage::rest(server)?;
        let turn = turns::run(site, time, number % 2 == 0);
        let turn = turn.with_context(|| format!("turn {number}"))?;
        say(&turn);
        turns.push(turn);
    }
    Ok(rows(engine, &turns))
}

impl Engine {
    const fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "SQLite",
            Self::Postgres => "PostgreSQL",
        }
    }

    const fn limit(self, sqlite: f64, postgres: f64) -> f64 {
        match self {
            Self::Sqlite => sqlite,
            Self::Postgres => postgres,
        }
    }
}

/// Says what a turn came to.
fn say(turn: &Turn) {
    let [quiet, beside] = [&turn.quiet, &turn.beside];
    eprintln!(
        "  a first day in {:.2} s; read and kept in {:.2} s, kept in {:.2} s, {:.0} bytes a row; others: {:.2}; {:.2} ms without a reading, \
         {:.2}; {:.2} ms beside one ({} answers); {} questions meanwhile, the first {:.0} ms, the others at most \
         {:.0} ms; afterwards {:.1} and {:.1} ms, known {:.1} and {:.1} ms",
        turn.first.seconds,
        turn.alone.seconds,
        turn.alone.keeping,
        turn.bytes_per_row,
        quiet.p50_ms,
        quiet.p99_ms,
        beside.p50_ms,
        beside.p99_ms,
        beside.answered,
        turn.waits.len(),
        turn.first_wait(),
        turn.later_wait(),
        median(turn.afterwards.asking[0].clone()),
        median(turn.afterwards.asking[1].clone()),
        median(turn.afterwards.known[0].clone()),
        median(turn.afterwards.known[1].clone()),
    );
}

impl Turn {
    /// How long the question waited that came with the reading.
    fn first_wait(&self) -> f64 {
        self.waits.first().copied().unwrap_or(f64::NAN)
    }

    /// How long one of the others waited at most.
    fn later_wait(&self) -> f64 {
        self.waits.iter().skip(1).copied().fold(0.0, f64::max)
    }
}

/// The middle of the turns.
fn middle(turns: &[Turn], of: impl Fn(&Turn) -> f64) -> f64 {
    median(turns.iter().map(of).collect())
}

/// The rows of an engine.
fn rows(engine: Engine, turns: &[Turn]) -> Vec<Row> {
    let day = format!("a day of {ROWS} rows, {}", engine.name());
    let of = |what: &str| format!("{day}: {what}");
    let times = |which: fn(&Turn) -> &[Vec<f64>; 2], day: usize| {
        median(turns.iter().flat_map(|turn| which(turn)[day].clone()).collect())
    };
    let ratio = |which| times(which, 0) / times(which, 1);
    let others =
        format!("verifications of {OTHERS} other owners, {PER_SECOND}/s, meanwhile ÷ without");
    let few = format!("a day of {FEW_ROWS} rows");
    vec![
        Row::at_most(
            of("from the call until all is kept"),
            middle(turns, |turn| turn.alone.seconds),
            engine.limit(0.4, 1.0),
        )
        .unit(" s"),
        Row::at_most(
            of("the same, the first day of a new store"),
            middle(turns, |turn| turn.first.seconds),
            engine.limit(0.4, 12.0),
        )
        .unit(" s"),
        Row::at_least(
            of("rows kept a second, once the bank has shown all"),
            middle(turns, |turn| ROWS as f64 / turn.alone.keeping),
            engine.limit(20_000.0, 6_000.0),
        ),
        Row::at_most(
            of("bytes of the store for each"),
            middle(turns, |turn| turn.bytes_per_row),
            engine.limit(900.0, 1_200.0),
        ),
        Row::at_most(
            of(&format!("{others}: p50")),
            middle(turns, |turn| turn.beside.p50_ms / turn.quiet.p50_ms),
            4.0,
        ),
        Row::at_most(
            of(&format!("{others}: p99")),
            middle(turns, |turn| turn.beside.p99_ms / turn.quiet.p99_ms),
            3.0,
        ),
        Row::at_most(
            of(&format!("a verification afterwards for which the bank is asked ÷ {few}: p50")),
            ratio(|turn| &turn.afterwards.asking),
            3.0,
        ),
        Row::at_most(
            of(&format!("the same, the bank not asked ÷ {few}: p50")),
            ratio(|turn| &turn.afterwards.known),
            2.5,
        ),
        Row::at_most(
            of("a verification there that comes with the call waits"),
            middle(turns, Turn::first_wait),
            150.0,
        )
        .unit(" ms"),
        Row::at_most(
            of("one that comes while rows are written waits at most"),
            middle(turns, Turn::later_wait),
            engine.limit(15.0, 100.0),
        )
        .unit(" ms"),
    ]
}
