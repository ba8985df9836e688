//! The service on one engine, started anew as a profile needs it, and what its processes use.

use std::path::PathBuf;

use anyhow::{Context, Result};

use super::super::owners;
use super::super::seed::Account;
use super::super::service::{Service, cpu_seconds, memory_mb};
use crate::postgres::Server;

/// A PostgreSQL server, and the address of a database there.
pub(super) type Database<'s> = (&'s Server, String);

/// A service with its data and owners.
pub(super) struct Site<'s> {
    service: Option<Service>,
    program: PathBuf,
    data: PathBuf,
    postgres: Option<Database<'s>>,
    /// Those who sell.
    pub(super) owners: Vec<Account>,
    /// Whose receiver is slow.
    pub(super) neighbour: Account,
}

/// Processor time in seconds.
#[derive(Clone, Copy)]
pub(super) struct Spent {
    pub(super) service: f64,
    pub(super) postgres: f64,
}

impl<'s> Site<'s> {
    /// Makes the database and so many owners, with no service running.
    pub(super) fn make(
        program: PathBuf,
        data: PathBuf,
        postgres: Option<Database<'s>>,
        owners: usize,
    ) -> Result<Self> {
        let url = postgres.as_ref().map(|(_, url)| url.as_str());
        let owners = owners::create(&program, &data, url, owners + 1)?;
        let mut owners: Vec<_> = owners.into_iter().map(|owner| owner.account).collect();
        let neighbour = owners.pop().context("an owner")?;
        Ok(Self { service: None, program, data, postgres, owners, neighbour })
    }

    /// Stops what runs, and starts a service that delivers or only serves.
    pub(super) fn start(&mut self, deliver: bool) -> Result<()> {
        if let Some(service) = self.service.take() {
            service.stop()?;
        }
        let settings = [
            ("COTEJO_WEBHOOKS_ALLOW_PRIVATE", "true".to_owned()),
            ("COTEJO_WEBHOOKS_DELIVER", deliver.to_string()),
        ];
        let url = self.postgres.as_ref().map(|(_, url)| url.as_str());
        self.service = Some(Service::cotejo(&self.program, &self.data, url, &settings)?);
        Ok(())
    }

    /// Makes PostgreSQL look at its tables as they are now, as it does by itself within a minute: until
    /// then its plans are those for empty tables.
    pub(super) fn settle(&self) -> Result<()> {
        let Some((server, url)) = &self.postgres else { return Ok(()) };
        server.execute(url, "analyze")
    }

    pub(super) fn service(&self) -> Result<&Service> {
        self.service.as_ref().context("a service that runs")
    }

    /// Returns the processor time that the service has used since its start, and PostgreSQL ever.
    pub(super) fn spent(&self) -> Result<Spent> {
        let postgres =
            self.postgres.as_ref().map_or(Ok(0.0), |(server, _)| server.cpu_seconds())?;
        Ok(Spent { service: cpu_seconds(self.service()?.pid())?, postgres })
    }

    /// The most memory that the service has had at once.
    pub(super) fn memory_mb(&self) -> Result<f64> {
        memory_mb(self.service()?.pid(), "VmHWM:")
    }
}
