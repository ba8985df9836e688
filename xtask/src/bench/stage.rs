//! Services with their owners and their data, and the echo beside them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::Result;
use domain::time::Timestamp;

use super::echo::Answers;
use super::load::Requests;
use super::requests::{Me, Verify, written};
use super::rows::Row;
use super::seed::{self, Account, Database};
use super::service::{Service, ask};
use super::{history, owners};
use crate::postgres::Server;
use crate::process::{self, progress};

/// How many owners share a load.
pub(super) const OWNERS: usize = 1_000;

/// How large pgbench's tables are: more branches than connections, so that they seldom collide.
const SCALE: &str = "20";

/// How long a service is left alone before its memory counts as idle.
const IDLE: Duration = Duration::from_secs(2);

/// A service with its owners.
pub(super) struct Installation {
    pub(super) service: Service,
    pub(super) accounts: Vec<Account>,
    pub(super) data: PathBuf,
}

/// A service on a SQLite file with owners who each have that history, written by this version.
pub(super) fn on_sqlite(
    program: &Path,
    data: &Path,
    each: usize,
    now: Timestamp,
) -> Result<Installation> {
    Service::cotejo(program, data, None, &[])?.stop()?;
    let accounts = seed::owners(&Database::Sqlite(data), OWNERS, now)?;
    history::write(data, &accounts, each, now)?;
    let service = Service::cotejo(program, data, None, &[])?;
    Ok(Installation { service, accounts, data: data.to_owned() })
}

/// A service on a PostgreSQL with owners, written by this version.
pub(super) fn on_postgres(
    program: &Path,
    data: &Path,
    url: &str,
    now: Timestamp,
) -> Result<Installation> {
    Service::cotejo(program, data, Some(url), &[])?.stop()?;
    let accounts = seed::owners(&Database::Postgres(url), OWNERS, now)?;
    let service = Service::cotejo(program, data, Some(url), &[])?;
    Ok(Installation { service, accounts, data: data.to_owned() })
}

/// A service with owners that the program has made itself, whatever its schema.
pub(super) fn by_itself(
    program: &Path,
    data: &Path,
    database: Option<&str>,
    count: usize,
) -> Result<(Installation, Vec<owners::Owner>)> {
    let service = Service::cotejo(program, data, database, &[])?;
    let owners = owners::create(program, data, database, count)?;
    let accounts = owners.iter().map(|owner| owner.account.clone()).collect();
    Ok((Installation { service, accounts, data: data.to_owned() }, owners))
}

/// Makes the tables of PostgreSQL's benchmark.
pub(super) fn fill_pgbench(url: &str) -> Result<()> {
    let mut fill = Command::new("pgbench");
    process::run_quietly(fill.args(["--initialize", "--quiet", "--scale", SCALE, url])).map(drop)
}

/// Makes PostgreSQL and the disk finish their pending work. Otherwise the next measurement would pay for it.
pub(super) fn rest(server: Option<&Server>) -> Result<()> {
    if let Some(server) = server {
        server.execute(server.url(), "vacuum")?;
        server.execute(server.url(), "checkpoint")?;
    }
    process::run_quietly(&mut Command::new("sync")).map(drop)
}

/// Measures an idle program: its size, its memory, and how long it takes to start on an existing store.
pub(super) fn footprint(program: &Path, folder: &Path) -> Result<Vec<Row>> {
    fs::create_dir_all(folder)?;
    let data = folder.join("idle");
    Service::cotejo(program, &data, None, &[])?.stop()?;
    let service = Service::cotejo(program, &data, None, &[])?;
    thread::sleep(IDLE);
    let (memory, start) = (service.memory_mb()?, service.start_ms);
    service.stop()?;
    let size = fs::metadata(program)?.len() as f64 / 1e6;
    Ok(vec![
        Row::at_most("idle memory", memory, 50.0).direction(25.0).unit(" MB"),
        Row::at_most("start to first answer", start, 300.0).direction(100.0).unit(" ms"),
        Row::at_most("size of the program", size, 35.0).direction(25.0).unit(" MB"),
    ])
}

/// An echo that answers what the service has just answered.
pub(super) fn echo(of: &Installation) -> Result<Service> {
    let answer = |requests: &dyn Requests| ask(of.service.addr, &written(requests));
    Service::echo(&Answers {
        me: answer(&Me(of.accounts.clone()))?,
        verified: answer(&Verify { accounts: of.accounts.clone(), series: 99 })?,
    })
}

#[expect(clippy::disallowed_methods, reason = "rows are written as of now")]
pub(super) fn now() -> Result<Timestamp> {
    let micros = SystemTime::now().duration_since(UNIX_EPOCH)?.as_micros();
    Ok(Timestamp::from_micros(i64::try_from(micros)?))
}

/// The folder of all data, on a disk rather than in memory, deleted at the end.
pub(super) struct Folder(pub(super) PathBuf);

impl Folder {
    pub(super) fn new() -> Result<Self> {
        let path = PathBuf::from(format!("target/bench-{}", std::process::id()));
        fs::create_dir_all(&path)?;
        Ok(Self(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            progress(&format!("{} could not be deleted: {error}", self.0.display()));
        }
    }
}
