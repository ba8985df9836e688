//! The service on one engine, started anew as a profile needs it, and what its processes use.

use std::path::PathBuf;

use anyhow::{Context, Result};
use domain::time::Timestamp;

use super::super::seed::{self, Account, Database};
use super::super::service::{Service, cpu_seconds, memory_mb};
use crate::postgres::Server;

/// A service with its data and owners. Fields are dropped in order: the service before its database.
pub(super) struct Site {
    service: Option<Service>,
    program: PathBuf,
    data: PathBuf,
    postgres: Option<Server>,
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

impl Site {
    /// Makes the database and so many owners, with no service running.
    pub(super) fn make(
        program: PathBuf,
        data: PathBuf,
        postgres: Option<Server>,
        owners: usize,
        now: Timestamp,
    ) -> Result<Self> {
        let url = postgres.as_ref().map(Server::url);
        Service::cotejo(&program, &data, url, &[])?.stop()?;
        let database = match url {
            Some(url) => Database::Postgres(url),
            None => Database::Sqlite(&data),
        };
        let mut owners = seed::owners(&database, owners + 1, now)?;
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
        let url = self.postgres.as_ref().map(Server::url);
        self.service = Some(Service::cotejo(&self.program, &self.data, url, &settings)?);
        Ok(())
    }

    /// Has PostgreSQL look at what its tables have become, as it does by itself within a minute: until
    /// then its plans are those for empty tables.
    pub(super) fn settle(&self) -> Result<()> {
        let Some(postgres) = &self.postgres else { return Ok(()) };
        postgres.execute("analyze")
    }

    pub(super) fn service(&self) -> Result<&Service> {
        self.service.as_ref().context("a service that runs")
    }

    /// What the service has used since it was started, and PostgreSQL ever.
    pub(super) fn spent(&self) -> Result<Spent> {
        let postgres = self.postgres.as_ref().map_or(Ok(0.0), Server::cpu_seconds)?;
        Ok(Spent { service: cpu_seconds(self.service()?.pid())?, postgres })
    }

    /// The most memory that the service has had at once.
    pub(super) fn memory_mb(&self) -> Result<f64> {
        memory_mb(self.service()?.pid(), "VmHWM:")
    }
}
