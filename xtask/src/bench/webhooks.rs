//! `cargo xtask bench webhooks`: how fast events are made and delivered, and what one costs, in the
//! profiles in which another engine was measured. Those that make them and those that receive them
//! run here too.

#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock and spawns its load")]

mod outcome;
mod profiles;
mod receiver;
mod report;
mod shop;
mod site;

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::ValueEnum;

use self::profiles::{Profile, Results};
use self::shop::By;
use self::site::{Database, Site};
use super::Measured;
use super::stage::Folder;
use crate::postgres::Server;
use crate::process::progress;

const SQLITE: &str = "SQLite";
const POSTGRES: &str = "PostgreSQL";

#[derive(clap::Args)]
pub(crate) struct Options {
    /// How many events each profile has; those with the process not delivering have four times as
    /// many
    #[arg(long, default_value_t = 4_000, value_parser = clap::value_parser!(u32).range(200..))]
    messages: u32,
    /// The database
    #[arg(long, value_enum, default_value_t = Engines::Both)]
    engine: Engines,
    /// What events are made by
    #[arg(long, value_enum, value_delimiter = ',', default_value = "payments,rejections")]
    by: Vec<By>,
    /// How many owners they are of
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    owners: u32,
    /// Run only the profiles whose names contain one of these, such as `closed,drain`
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Measure this program instead of building one
    #[arg(long)]
    program: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Engines {
    Sqlite,
    Postgres,
    Both,
}

impl Options {
    fn messages(&self) -> usize {
        self.messages as usize
    }

    fn wants(&self, profile: &Profile) -> bool {
        self.only.is_empty() || self.only.iter().any(|part| profile.name().contains(part.as_str()))
    }
}

/// Runs every profile on every engine, by events of every kind, and prints the table.
pub(super) fn run(options: &Options) -> Result<()> {
    let program = crate::release::given_or_built(options.program.as_deref(), "cotejo")?;
    let folder = Folder::new()?;
    let machine = crate::conditions::machine(&folder.0)?;
    let wanted: Vec<_> = Profile::ALL.into_iter().filter(|one| options.wants(one)).collect();
    let (owners, events) = (options.owners as usize, options.messages());
    let run = |name, postgres| {
        let site = Site::make(program.clone(), folder.0.join(name), postgres, owners)?;
        on(name, site, &options.by, &wanted, events)
    };
    let mut results = Vec::new();
    if options.engine != Engines::Postgres {
        results.extend(run(SQLITE, None)?);
    }
    if options.engine != Engines::Sqlite {
        let server = Server::start()?;
        results.extend(run(POSTGRES, Some((&server, server.url().to_owned())))?);
    }
    println!("{machine}\n");
    report::print(&results, options);
    Ok(())
}

/// The rows of the whole benchmark, on both engines.
pub(super) fn measure(
    program: &Path,
    folder: &Path,
    on_postgres: Database<'_>,
    events: u32,
) -> Result<Measured> {
    let wanted = [Profile::Open500, Profile::Closed8];
    let by = [By::Payments, By::Rejections];
    let mut rows = Vec::new();
    for (name, postgres) in [(SQLITE, None), (POSTGRES, Some(on_postgres))] {
        let data = folder.join(format!("webhooks-{name}"));
        let site = Site::make(program.to_owned(), data, postgres, 1)?;
        for (name, results) in on(name, site, &by, &wanted, events as usize)? {
            rows.extend(report::rows(&name, &results));
        }
    }
    Ok(Measured { rows, tables: Vec::new(), logs: Vec::new() })
}

/// Measures profiles on one engine, with events of each kind.
fn on(
    name: &str,
    mut site: Site<'_>,
    by: &[By],
    wanted: &[Profile],
    events: usize,
) -> Result<Vec<(String, Results)>> {
    let each = by.iter().map(|&by| {
        let name = format!("{name}, {}", by.name());
        progress(&format!("webhooks on {name}"));
        let results = profiles::run(&mut site, by, wanted, events)?;
        Ok((name, results))
    });
    each.collect()
}
