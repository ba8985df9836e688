//! `cargo xtask bench webhooks`: how fast events are made and delivered, and what one costs, in the
//! profiles in which another engine was measured. Whoever makes them and whoever hears them run here
//! too.

#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock and spawns its load")]

mod outcome;
mod profiles;
mod receiver;
mod report;
mod shop;
mod site;

use std::path::PathBuf;

use anyhow::Result;
use clap::ValueEnum;

use self::profiles::{Profile, Results};
use self::site::Site;
use super::stage::{Folder, now};
use crate::postgres::Server;
use crate::process::progress;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// How many events each profile has; those with the process not delivering have four times as
    /// many
    #[arg(long, default_value_t = 4_000, value_parser = clap::value_parser!(u32).range(200..))]
    messages: u32,
    /// The database
    #[arg(long, value_enum, default_value_t = Engines::Both)]
    engine: Engines,
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

/// Runs every profile on every engine, and prints the table.
pub(super) fn run(options: &Options) -> Result<()> {
    let program = crate::release::given_or_built(options.program.as_deref(), "cotejo")?;
    let folder = Folder::new()?;
    let machine = crate::conditions::machine(&folder.0)?;
    let on = |name: &str, postgres: Option<Server>| -> Result<Results> {
        progress(&format!("webhooks on {name}"));
        let owners = options.owners as usize;
        let data = folder.0.join(name);
        let mut site = Site::make(program.clone(), data, postgres, owners, now()?)?;
        profiles::run(&mut site, options)
    };
    let mut results = Vec::new();
    if options.engine != Engines::Postgres {
        results.push(("SQLite", on("sqlite", None)?));
    }
    if options.engine != Engines::Sqlite {
        results.push(("PostgreSQL", on("postgres", Some(Server::start()?))?));
    }
    println!("{machine}\n");
    report::print(&results, options);
    Ok(())
}
