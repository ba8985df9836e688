//! Subscriptions: how long thousands of cycles take that are due at one instant, beside many that are not, and how long
//! verifications take meanwhile.

#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock and waits by it")]

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow, ensure};
use rusqlite::{Connection, OpenFlags};

use super::load::{Load, Outcome};
use super::requests::Verify;
use super::rounds::LEAD_IN;
use super::rows::Row;
use super::seed::{self, Database};
use super::service::Service;
use super::stage::{self, OWNERS, now};
use super::{Measured, Options};
use crate::postgres::Server;
use crate::process::progress;

/// How many subscriptions each owner has that are not due, and how many whose cycle opens at the instant.
const ACTIVE_EACH: usize = 95;
const DUE_EACH: usize = 5;

/// How many verifications a second others ask for: not so many that they alone would take both cores.
const PER_SECOND: f64 = 200.0;

/// How long after the rows were written the cycles are due: the service starts, and the load runs without them first.
const DUE_AFTER: Duration = Duration::from_secs(120);

/// How long before that instant the load begins that runs beside.
const BEFORE: Duration = Duration::from_millis(200);

/// How often is looked whether all are open, and how long that may take.
const LOOK: Duration = Duration::from_millis(50);
const OPENING_MAX: Duration = Duration::from_secs(600);

const OPENED: &str = "select count(*) from subscription_cycles";

/// Measures both engines.
pub(super) fn measure(
    program: &Path,
    folder: &Path,
    server: &Server,
    options: &Options,
) -> Result<Measured> {
    let mut rows = on(program, &folder.join("recurring"), None, options)?;
    let database = (server, server.database("recurring")?);
    rows.extend(on(program, &folder.join("recurring-postgres"), Some(database), options)?);
    Ok(Measured { rows, tables: Vec::new(), logs: Vec::new() })
}

fn on(
    program: &Path,
    data: &Path,
    postgres: Option<(&Server, String)>,
    options: &Options,
) -> Result<Vec<Row>> {
    let name = if postgres.is_some() { "PostgreSQL" } else { "SQLite" };
    let count = OWNERS * (ACTIVE_EACH + DUE_EACH);
    progress(&format!("writing {count} subscriptions, {name}"));
    let url = postgres.as_ref().map(|(_, url)| url.as_str());
    Service::cotejo(program, data, url, &[])?.stop()?;
    let database = url.map_or(Database::Sqlite(data), Database::Postgres);
    let accounts = seed::owners(&database, OWNERS, now()?)?;
    let (due_at, due) = (now()?.plus(DUE_AFTER), Instant::now() + DUE_AFTER);
    seed::subscriptions(&database, &accounts, (ACTIVE_EACH, DUE_EACH), (now()?, due_at))?;
    stage::rest(postgres.as_ref().map(|(server, _)| *server))?;

    let service = Service::cotejo(program, data, url, &[])?;
    let load = Load::new(service.addr, 1, Arc::new(Verify { accounts, series: 31 }));
    load.run_open(PER_SECOND, LEAD_IN)?;
    let time = Duration::from_secs(options.seconds * u64::from(options.rounds));
    let quiet = load.run_open(PER_SECOND, time)?;
    let counted = Counted::of(data, postgres);
    ensure!(Instant::now() < due && counted.cycles()? == 0, "the cycles are due too early");
    thread::sleep(due.saturating_duration_since(Instant::now()).saturating_sub(BEFORE));
    let (took, beside) = open_beside(&load, &counted, due)?;
    eprintln!(
        "  {} cycles in {took:.1} s; verifications {:.2}; {:.2} ms without, {:.2}; {:.2} ms meanwhile ({})",
        OWNERS * DUE_EACH,
        quiet.p50_ms,
        quiet.p99_ms,
        beside.p50_ms,
        beside.p99_ms,
        beside.answered,
    );
    service.stop()?;
    let of = |what: &str| format!("{} cycles due at once, {name}: {what}", OWNERS * DUE_EACH);
    Ok(vec![
        Row::at_most(of("until all are open"), took, 60.0).unit(" s"),
        Row::at_most(
            of("p99 of verifications, meanwhile ÷ without"),
            beside.p99_ms / quiet.p99_ms,
            3.0,
        ),
    ])
}

/// Waits until all cycles are open, beside the load; answers how many seconds that took from the instant `due` on.
fn open_beside(load: &Load, counted: &Counted<'_>, due: Instant) -> Result<(f64, Outcome)> {
    let is_over = Arc::new(AtomicBool::new(false));
    let (begin, has_begun) = mpsc::channel();
    let ends = Arc::clone(&is_over);
    let until =
        move |number| ends.load(Ordering::Relaxed) || number == 0 && begin.send(()).is_err();
    thread::scope(|scope| {
        let running = scope.spawn(|| load.run_open_until(PER_SECOND, until));
        let opened = has_begun.recv().map_err(anyhow::Error::from).and_then(|()| {
            while counted.cycles()? < (OWNERS * DUE_EACH) as u64 {
                ensure!(due.elapsed() < OPENING_MAX, "the cycles do not open");
                thread::sleep(LOOK);
            }
            Ok(due.elapsed().as_secs_f64())
        });
        is_over.store(true, Ordering::Relaxed);
        let beside = running.join().map_err(|_| anyhow!("the load panicked"))?;
        Ok((opened?, beside?))
    })
}

/// Store whose cycles are counted from outside.
enum Counted<'s> {
    Sqlite(PathBuf),
    Postgres(&'s Server, String),
}

impl<'s> Counted<'s> {
    fn of(data: &Path, postgres: Option<(&'s Server, String)>) -> Self {
        match postgres {
            None => Self::Sqlite(data.join("cotejo.sqlite")),
            Some((server, url)) => Self::Postgres(server, url),
        }
    }

    fn cycles(&self) -> Result<u64> {
        match self {
            Self::Sqlite(file) => {
                let reading = OpenFlags::SQLITE_OPEN_READ_ONLY;
                let store = Connection::open_with_flags(file, reading)?;
                let count: i64 = store.query_row(OPENED, [], |row| row.get(0))?;
                Ok(u64::try_from(count)?)
            }
            Self::Postgres(server, url) => Ok(server.number(url, OPENED)?),
        }
    }
}
