//! Lists of owners, clients, keys and rates: one JSON object, or a line for each.

use std::io::{Write, stdout};
use std::process::ExitCode;

use anyhow::bail;
use app::admin::{CLIENTS_AT_ONCE, OWNERS_AT_ONCE};
use serde::Serialize;
use serde_json::{Value, json};

use super::{configure, single_threaded, write};
use crate::admin::{CommandOutcome, OwnerListed, PlanRequest, Request};
use crate::cli::{ListOwners, ListPlans, ListRates, OneOwner, Place};
use crate::config::Config;
use crate::data_folder::DataFolder;
use crate::telemetry;

/// Lists all owners, some after the other.
pub(super) fn owners(list: &ListOwners) -> anyhow::Result<ExitCode> {
    let mut all = Vec::new();
    asked(&list.place, async |config| {
        loop {
            let after = all.last().map(|it: &OwnerListed| it.user_id.clone());
            let outcome = write::write(config, Request::ListOwners { after }).await?;
            let CommandOutcome::Owners(found) = outcome else {
                bail!("the server answered something else")
            };
            let is_last = i64::try_from(found.len())? < OWNERS_AT_ONCE;
            all.extend(found);
            if is_last {
                return Ok(());
            }
        }
    })?;
    show("owners", &all, list.json)
}

/// Lists all clients of an owner, some after the other.
pub(super) fn clients(list: &OneOwner) -> anyhow::Result<ExitCode> {
    let mut all = Vec::new();
    asked(&list.place, async |config| {
        loop {
            let listed = u32::try_from(all.len())?;
            let request = Request::ListClients { owner: list.owner.to_string(), listed };
            let outcome = write::write(config, request).await?;
            let CommandOutcome::Clients(found) = outcome else {
                bail!("the server answered something else")
            };
            let is_last = i64::try_from(found.len())? < CLIENTS_AT_ONCE;
            all.extend(found);
            if is_last {
                return Ok(());
            }
        }
    })?;
    show("clients", &all, list.json)
}

/// Lists the keys of an owner.
pub(super) fn keys(list: &OneOwner) -> anyhow::Result<ExitCode> {
    let mut all = Vec::new();
    asked(&list.place, async |config| {
        let request = Request::ListKeys { owner: list.owner.to_string() };
        let CommandOutcome::Keys(found) = write::write(config, request).await? else {
            bail!("the server answered something else")
        };
        all = found;
        Ok(())
    })?;
    show("api_keys", &all, list.json)
}

/// Lists the latest rates of a currency.
pub(super) fn rates(list: &ListRates) -> anyhow::Result<ExitCode> {
    let mut all = Vec::new();
    asked(&list.place, async |config| {
        let request = Request::ListRates { currency: list.currency.as_str().to_owned() };
        let CommandOutcome::Rates(found) = write::write(config, request).await? else {
            bail!("the server answered something else")
        };
        all = found;
        Ok(())
    })?;
    show("rates", &all, list.json)
}

/// Lists the plans.
pub(super) fn plans(list: &ListPlans) -> anyhow::Result<ExitCode> {
    let mut all = Vec::new();
    asked(&list.place, async |config| {
        let CommandOutcome::Plans(found) =
            write::write(config, Request::Plan(PlanRequest::List)).await?
        else {
            bail!("the server answered something else")
        };
        all = found;
        Ok(())
    })?;
    show("plans", &all, list.json)
}

fn asked(
    place: &Place,
    work: impl AsyncFnOnce(&Config) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let config = configure(&place.flags())?;
    // To list makes nothing: a folder with a slip in its name has no owners.
    let data = DataFolder::at(&config.data);
    if config.postgres.is_none() && !data.database().exists() {
        bail!("there is no database in the data folder {}", data.path().display());
    }
    telemetry::start(&config.log)?;
    single_threaded()?.block_on(work(&config))
}

/// Prints the list under its name, or for a person a line for each, what is empty left out.
fn show(name: &str, all: &[impl Serialize], json: bool) -> anyhow::Result<ExitCode> {
    let mut out = stdout().lock();
    if json {
        writeln!(out, "{}", json!({ name: all }))?;
        return Ok(ExitCode::SUCCESS);
    }
    for one in all {
        let Value::Object(fields) = serde_json::to_value(one)? else { continue };
        let shown = fields.iter().filter(|(_, value)| !value.is_null()).map(|(name, value)| {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            format!("{name}: {text}")
        });
        writeln!(out, "{}", shown.collect::<Vec<_>>().join("  "))?;
    }
    Ok(ExitCode::SUCCESS)
}
