//! Everything that takes part: the services with their data, the echo and the PostgreSQL.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::Result;
use domain::time::Timestamp;

use super::bdv::{self, Shops};
use super::echo::Answers;
use super::links::Links;
use super::load::{Load, Requests};
use super::requests::{Activity, Me, Same, Verify};
use super::rounds::{Case, Work};
use super::seed::{self, Account, Database};
use super::service::{Service, ask};
use super::{Options, history, signed_in};
use crate::postgres::Server;
use crate::process::{self, progress};

/// How many owners share a load.
pub(super) const OWNERS: usize = 1_000;

/// How many verifications the small history holds.
pub(super) const SMALL: usize = 10_000;

/// How large pgbench's tables are: more branches than connections, so that they seldom collide.
const SCALE: &str = "20";

/// How long a service is left alone before its memory counts as idle.
const IDLE: Duration = Duration::from_secs(2);

/// A service with its owners.
pub(super) struct Installation {
    pub(super) service: Service,
    pub(super) accounts: Vec<Account>,
    /// Those who can see their activity.
    pub(super) signed_in: Vec<Account>,
    pub(super) data: PathBuf,
}

/// All that takes part. Fields are dropped in order: the services before their database.
pub(super) struct Stage {
    pub(super) echo: Service,
    pub(super) sqlite: Installation,
    /// Accounts of the first of these at a simulated bank, and links of its owners.
    pub(super) few: Shops,
    pub(super) many: Shops,
    links: Links,
    pub(super) large: Installation,
    pub(super) on_postgres: Option<Installation>,
    _banks: Service,
    pub(super) postgres: Option<Server>,
    pub(super) idle_mb: f64,
    pub(super) first_start_ms: f64,
    pub(super) program: PathBuf,
    pub(super) folder: Folder,
}

impl Stage {
    pub(super) fn set(options: &Options, program: PathBuf) -> Result<Self> {
        let folder = Folder::new()?;
        let now = now()?;
        let first = folder.0.join("first");
        let service = Service::cotejo(&program, &first, None, &[])?;
        let first_start_ms = service.start_ms;
        wait(IDLE);
        let idle_mb = service.memory_mb()?;
        service.stop()?;

        progress("making owners and histories");
        let banks = Service::banks(&program, &folder.0)?;
        let bdv = ("COTEJO_BDV_URL", format!("http://{}", banks.addr));
        let on_sqlite = |name: &str, each| {
            on_sqlite(&program, &folder.0.join(name), each, now, std::slice::from_ref(&bdv))
        };
        let (sqlite, large) =
            (on_sqlite("small", SMALL / OWNERS)?, on_sqlite("large", options.history / OWNERS)?);
        progress("making days at a bank and links");
        bdv::fill(&banks, &[&bdv::SMALL, &bdv::LARGE])?;
        let shops = |day| bdv::link(sqlite.service.addr, &sqlite.accounts, day);
        let (few, many) = (shops(&bdv::SMALL)?, shops(&bdv::LARGE)?);
        let links = Links::make(sqlite.service.addr, &sqlite.accounts)?;
        let echo = echo(&sqlite, Some(&links))?;
        let postgres = if options.no_postgres { None } else { Some(Server::start()?) };
        let on_postgres = postgres
            .as_ref()
            .map(|server| on_postgres(&program, &folder.0.join("postgres"), server, now))
            .transpose()?;
        Ok(Self {
            echo,
            sqlite,
            few,
            many,
            links,
            large,
            on_postgres,
            _banks: banks,
            postgres,
            idle_mb,
            first_start_ms,
            program,
            folder,
        })
    }

    /// Has PostgreSQL and the disk finish what they have left to do, or else what is measured next would pay for it.
    pub(super) fn rest(&self) -> Result<()> {
        if let Some(server) = &self.postgres {
            server.execute("vacuum")?;
            server.execute("checkpoint")?;
        }
        process::run_quietly(&mut Command::new("sync")).map(drop)
    }

    /// Every load, those next to each other that are compared.
    pub(super) fn cases(&self) -> Vec<Case> {
        let Self { echo, sqlite, few, many, links, large, .. } = self;
        let all = |of: &Installation| of.accounts.clone();
        let one = |of: &Installation| of.accounts.iter().take(1).cloned().collect();
        let verify = |accounts, series| Verify { accounts, series };
        let mut cases = vec![
            http("echo GET 64", echo, 64, Same(me_request(sqlite))),
            http("GET /me 64", &sqlite.service, 64, Me(all(sqlite))),
            http("echo POST 64", echo, 64, verify(all(sqlite), 1)),
            http("sqlite verify 64", &sqlite.service, 64, verify(all(sqlite), 2)),
            http("bdv verify few 64", &sqlite.service, 64, few.fresh()),
            http("bdv verify many 64", &sqlite.service, 64, many.fresh()),
            http("link payment 64", &sqlite.service, 64, links.payments()),
            http("sqlite verify large 64", &large.service, 64, verify(all(large), 3)),
            http("sqlite verify hot 64", &sqlite.service, 64, verify(one(sqlite), 4)),
            http("echo POST 256", echo, 256, verify(all(sqlite), 5)),
            http("sqlite verify 256", &sqlite.service, 256, verify(all(sqlite), 6)),
            http("activity small 16", &sqlite.service, 16, Activity(sqlite.signed_in.clone())),
            http("echo page 64", echo, 64, links.looks()),
            http("link page 64", &sqlite.service, 64, links.looks()),
            http("activity large 16", &large.service, 16, Activity(large.signed_in.clone())),
        ];
        if let (Some(server), Some(service)) = (&self.postgres, &self.on_postgres) {
            let url = server.url().to_owned();
            let at = |connections| Work::Pgbench { url: url.clone(), connections };
            cases.extend([
                Case { name: "pgbench 64", work: at(64), process: None },
                http("postgres verify 64", &service.service, 64, verify(all(service), 7)),
                http("postgres verify hot 64", &service.service, 64, verify(one(service), 8)),
                Case { name: "pgbench 256", work: at(256), process: None },
                http("postgres verify 256", &service.service, 256, verify(all(service), 9)),
            ]);
        }
        cases
    }
}

fn http(
    name: &'static str,
    service: &Service,
    connections: usize,
    requests: impl Requests,
) -> Case {
    let load = Load::new(service.addr, connections, Arc::new(requests));
    Case { name, work: Work::Http(load), process: Some(service.pid()) }
}

/// A service on a SQLite file with its owners and their history.
pub(super) fn on_sqlite(
    program: &Path,
    data: &Path,
    each: usize,
    now: Timestamp,
    settings: &[(&str, String)],
) -> Result<Installation> {
    Service::cotejo(program, data, None, &[])?.stop()?;
    let signed_in = signed_in::make(program, data)?;
    let accounts = seed::owners(&Database::Sqlite(data), OWNERS, now)?;
    let few = signed_in.iter().map(|owner| owner.account.clone());
    let all: Vec<_> = accounts.iter().cloned().chain(few).collect();
    history::write(data, &all, each, now)?;
    let service = Service::cotejo(program, data, None, settings)?;
    let signed_in = signed_in::sign_in(service.addr, signed_in)?;
    Ok(Installation { service, accounts, signed_in, data: data.to_owned() })
}

fn on_postgres(
    program: &Path,
    data: &Path,
    server: &Server,
    now: Timestamp,
) -> Result<Installation> {
    let url = server.url();
    Service::cotejo(program, data, Some(url), &[])?.stop()?;
    let accounts = seed::owners(&Database::Postgres(url), OWNERS, now)?;
    let mut fill = Command::new("pgbench");
    process::run_quietly(fill.args(["--initialize", "--quiet", "--scale", SCALE, url]))?;
    let service = Service::cotejo(program, data, Some(url), &[])?;
    Ok(Installation { service, accounts, signed_in: Vec::new(), data: data.to_owned() })
}

/// An echo that answers what the service has just answered; the page of a link where there are some.
pub(super) fn echo(of: &Installation, links: Option<&Links>) -> Result<Service> {
    let answer = |requests: &dyn Requests| {
        let mut request = Vec::new();
        requests.write(0, &mut request);
        ask(of.service.addr, &request)
    };
    Service::echo(&Answers {
        me: answer(&Me(of.accounts.clone()))?,
        verified: answer(&Verify { accounts: of.accounts.clone(), series: 99 })?,
        page: links.map(|links| answer(&links.looks())).transpose()?.unwrap_or_default(),
    })
}

fn me_request(of: &Installation) -> Vec<u8> {
    let mut request = Vec::new();
    Me(of.accounts.clone()).write(0, &mut request);
    request
}

#[expect(clippy::disallowed_methods, reason = "rows are written as of now")]
pub(super) fn now() -> Result<Timestamp> {
    let micros = SystemTime::now().duration_since(UNIX_EPOCH)?.as_micros();
    Ok(Timestamp::from_micros(i64::try_from(micros)?))
}

fn wait(time: Duration) {
    std::thread::sleep(time);
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
