//! `cargo xtask bench against`: two programs in turns, such as this version and the one before it. Each makes its own
//! data by its own commands and is asked from outside, so that their schemas may differ. What a turn's slices make of
//! each other is touched less by the moods of the machine than any rate is.

use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use clap::ValueEnum;
use domain::time::CaracasDate;

use super::charges::{self, CONNECTIONS};
use super::lists::{OF_VERIFICATIONS, Owner, PAGES, Pages};
use super::load::Load;
use super::requests::Verify;
use super::rounds::{Case, Rounds};
use super::rows::{Row, print_both};
use super::stage::{self, Folder, Installation, OWNERS, by_itself, now, rest};
use super::{owners, webhooks};
use crate::postgres::Server;
use crate::process::progress;

/// How many owners have lists. Fewer than the service lets one address sign in within a minute.
const LISTERS: usize = 2;

/// Endings of the loads' names, one for each of the two programs.
const BEFORE: &str = ", before";
const AFTER: &str = ", after";

#[derive(clap::Args)]
pub(crate) struct Options {
    /// The program to compare with, such as one of an earlier version.
    before: PathBuf,
    /// Measure this program instead of building one.
    #[arg(long)]
    program: Option<PathBuf>,
    /// How often each program is loaded.
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..))]
    turns: u32,
    /// How long, in milliseconds, each time.
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u64).range(100..))]
    slice: u64,
    /// How many owners share the loads of many.
    #[arg(long, default_value_t = OWNERS)]
    owners: usize,
    /// How many verifications the lists hold, made by asking for them: twenty thousand reach to the last page.
    #[arg(long, default_value_t = 20_000)]
    history: u64,
    /// How many events each profile of webhooks has.
    #[arg(long, default_value_t = 4_000, value_parser = clap::value_parser!(u32).range(200..))]
    events: u32,
    /// Compare only these, such as `sqlite,start`.
    #[arg(long, value_enum, value_delimiter = ',')]
    only: Vec<Part>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Verifications and `GET /me` on SQLite, after a history of verifications.
    Sqlite,
    /// Pages of the activity and of the movements of that history.
    Lists,
    /// Verifications on PostgreSQL.
    Postgres,
    /// Deliveries of webhooks on both databases.
    Webhooks,
    /// Idle memory, start, size.
    Start,
}

/// Results of both programs, in the order of the rows.
#[derive(Default)]
struct Both {
    rows: [Vec<Row>; 2],
    tables: Vec<Rounds>,
}

/// A program on SQLite, with the owners of lists.
struct Side {
    at: Installation,
    listers: Vec<Owner>,
}

/// Loads both in turns, and prints the results.
pub(super) fn run(options: &Options) -> Result<()> {
    let program = crate::release::given_or_built(options.program.as_deref(), "cotejo")?;
    let programs = [options.before.as_path(), program.as_path()];
    let folder = Folder::new()?;
    let machine = crate::conditions::machine(&folder.0)?;
    let mut both = Both::default();
    if options.wants(Part::Sqlite) || options.wants(Part::Lists) {
        options.on_sqlite(programs, &folder.0, &mut both)?;
    }
    if options.wants(Part::Postgres) || options.wants(Part::Webhooks) {
        let server = Server::start()?;
        if options.wants(Part::Postgres) {
            options.on_postgres(programs, &folder.0, &server, &mut both)?;
        }
        if options.wants(Part::Webhooks) {
            options.webhooks(programs, &folder.0, &server, &mut both)?;
        }
    }
    if options.wants(Part::Start) {
        for ((program, rows), name) in programs.iter().zip(&mut both.rows).zip(NAMES) {
            rows.extend(stage::footprint(program, &folder.0.join(format!("start-{name}")))?);
        }
    }
    println!("{machine}\n");
    println!(
        "{} turns of {} ms, medians; {} owners; a history of {} verifications.\n",
        options.turns, options.slice, options.owners, options.history,
    );
    let [before, after] = &both.rows;
    print_both(before, after);
    both.tables.iter().for_each(Rounds::print);
    Ok(())
}

/// The folders of both programs.
const NAMES: [&str; 2] = ["before", "after"];

impl Options {
    fn wants(&self, part: Part) -> bool {
        self.only.is_empty() || self.only.contains(&part)
    }

    fn turns(&self, what: &str, rounds: &mut Rounds, server: Option<&Server>) -> Result<()> {
        for turn in 1..=self.turns {
            rest(server)?;
            progress(&format!("{what}, turn {turn} of {}", self.turns));
            rounds.run(Duration::ZERO, Duration::from_millis(self.slice))?;
        }
        Ok(())
    }

    fn on_sqlite(&self, programs: [&Path; 2], folder: &Path, both: &mut Both) -> Result<()> {
        progress("making owners and histories on SQLite");
        let sides = each(programs, |program, name| self.side(program, &folder.join(name)))?;
        let [before, after] = &sides;
        if self.wants(Part::Sqlite) {
            let echo = stage::echo(&after.at)?;
            let mut cases = charges::of_echo(&echo, &after.at);
            let pairs = charges::on_sqlite(&before.at, BEFORE)
                .into_iter()
                .zip(charges::on_sqlite(&after.at, AFTER));
            cases.extend(pairs.flat_map(|(before, after)| [before, after]));
            let mut rounds = Rounds::of(cases);
            self.turns("SQLite", &mut rounds, None)?;
            for (rows, of) in both.rows.iter_mut().zip([BEFORE, AFTER]) {
                rows.extend(charges::rows_on_sqlite(&rounds, of, self.owners));
            }
            both.tables.push(rounds);
        }
        if self.wants(Part::Lists) {
            let today = CaracasDate::of(now()?);
            let mut cases = Vec::new();
            for question in &OF_VERIFICATIONS {
                for page in PAGES {
                    for (side, of) in [(before, BEFORE), (after, AFTER)] {
                        let owners = side.listers.clone();
                        let requests = Pages { owners, question, page, today };
                        let name = format!("{}, page {page}{of}", question.name);
                        cases.push(Case::http(name, &side.at.service, 1, requests));
                    }
                }
            }
            let mut rounds = Rounds::of(cases);
            self.turns("lists", &mut rounds, None)?;
            for (rows, of) in both.rows.iter_mut().zip([BEFORE, AFTER]) {
                rows.extend(pages_rows(&rounds, of));
            }
            both.tables.push(rounds);
        }
        Ok(())
    }

    /// A program on SQLite whose first owners have a history.
    fn side(&self, program: &Path, data: &Path) -> Result<Side> {
        let (at, made) = by_itself(program, data, None, self.owners.max(LISTERS))?;
        let listers = made.iter().take(LISTERS);
        let listers = listers.map(|owner| owners::sign_in(at.service.addr, owner));
        let listers = listers.collect::<Result<Vec<_>>>().context("signing in")?;
        let verify = Verify { accounts: listers.clone(), series: 7 };
        let history = Load::new(at.service.addr, CONNECTIONS, std::sync::Arc::new(verify));
        history.run_count(self.history).context("the history")?;
        Ok(Side { at, listers: listers.into_iter().map(Owner::plain).collect() })
    }

    fn on_postgres(
        &self,
        programs: [&Path; 2],
        folder: &Path,
        server: &Server,
        both: &mut Both,
    ) -> Result<()> {
        progress("making owners on PostgreSQL");
        stage::fill_pgbench(server.url())?;
        let sides = each(programs, |program, name| {
            let url = server.database(name)?;
            let data = folder.join(format!("postgres-{name}"));
            Ok(by_itself(program, &data, Some(&url), self.owners)?.0)
        })?;
        let [before, after] = &sides;
        let mut rounds = Rounds::of(vec![
            charges::of_pgbench(server.url()),
            charges::on_postgres(before, BEFORE),
            charges::on_postgres(after, AFTER),
        ]);
        self.turns("PostgreSQL", &mut rounds, Some(server))?;
        for (rows, of) in both.rows.iter_mut().zip([BEFORE, AFTER]) {
            rows.push(charges::row_on_postgres(&rounds, of, self.owners));
        }
        both.tables.push(rounds);
        Ok(())
    }

    /// One after the other: each profile is longer than a slice.
    fn webhooks(
        &self,
        programs: [&Path; 2],
        folder: &Path,
        server: &Server,
        both: &mut Both,
    ) -> Result<()> {
        for ((program, rows), name) in programs.iter().zip(&mut both.rows).zip(NAMES) {
            let database = server.database(&format!("webhooks_{name}"))?;
            let folder = folder.join(format!("webhooks-{name}"));
            std::fs::create_dir_all(&folder)?;
            let on_postgres = (server, database);
            rows.extend(webhooks::measure(program, &folder, on_postgres, self.events)?.rows);
        }
        Ok(())
    }
}

/// Makes something of both programs at once.
fn each<T: Send>(
    programs: [&Path; 2],
    make: impl Fn(&Path, &str) -> Result<T> + Sync,
) -> Result<[T; 2]> {
    let [before, after] = programs;
    let make = &make;
    thread::scope(|scope| {
        let before = scope.spawn(move || make(before, NAMES[0]));
        let after = make(after, NAMES[1])?;
        let before = before.join().map_err(|_| anyhow!("making the data panicked"))??;
        Ok([before, after])
    })
}

/// Lists have no limit here: what they hold is too short for that.
fn pages_rows(rounds: &Rounds, of: &str) -> Vec<Row> {
    let mut rows = Vec::new();
    for question in &OF_VERIFICATIONS {
        for page in PAGES {
            let name = format!("{}, page {page}", question.name);
            let p99 = rounds.middle(&format!("{name}{of}"), |round| round.p99_ms);
            rows.push(Row::at_most(format!("{name}, p99"), p99, f64::INFINITY).unit(" ms"));
        }
    }
    rows
}
