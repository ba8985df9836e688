//! Rotating the master key: a new one goes to the top of the file, and what the former ones sealed is sealed anew.

use std::process::ExitCode;

use anyhow::{Context, bail};
use app::admin::{Operator, Resealed};
use serde_json::json;

use super::offline::offline;
use super::{print, single_threaded};
use crate::cli::ChangeMasterKey;
use crate::config::Config;
use crate::master_key::{add_key, open_vault};
use crate::telemetry;

pub(super) fn rotate(config: &Config, change: &ChangeMasterKey) -> anyhow::Result<ExitCode> {
    telemetry::start(&config.log)?;
    nodes_are_stopped(config, change)?;
    let path = &config.master_key_file;
    let done = single_threaded()?.block_on(offline(config, async |operator| {
        // The key that is there must be the store's before another one goes above it.
        open_vault(operator, path).await?;
        let key = add_key(path, operator.ids)?;
        let resealed = reseal_all(config, operator).await.context(
            "the new key is in the file, and some secrets are under a former one; finish by: cotejo master-key reseal",
        )?;
        Ok((key, resealed))
    }));
    let (key, Resealed { owners, secrets }) = done?;
    print(json!({ "key": key.to_string(), "owners": owners, "secrets": secrets }), change.json)?;
    tracing::warn!(
        file = %path.display(),
        "keep a copy of the master key apart from the backups; give the file to every node before it starts; \
         leave the former key in it for 25 hours, and keep that for backups of before"
    );
    Ok(ExitCode::SUCCESS)
}

pub(super) fn reseal(config: &Config, change: &ChangeMasterKey) -> anyhow::Result<ExitCode> {
    telemetry::start(&config.log)?;
    nodes_are_stopped(config, change)?;
    let done = offline(config, async |operator| reseal_all(config, operator).await);
    let Resealed { owners, secrets } = single_threaded()?.block_on(done)?;
    print(json!({ "owners": owners, "secrets": secrets }), change.json)?;
    Ok(ExitCode::SUCCESS)
}

async fn reseal_all(config: &Config, operator: &Operator<'_>) -> anyhow::Result<Resealed> {
    let vault = open_vault(operator, &config.master_key_file).await?;
    let resealed = app::admin::reseal(operator, &vault, |Resealed { owners, secrets }| {
        tracing::info!(owners, secrets, "sealed anew");
    });
    Ok(resealed.await?)
}

/// A node that does not know the new key could not open what is sealed under it.
fn nodes_are_stopped(config: &Config, change: &ChangeMasterKey) -> anyhow::Result<()> {
    if config.postgres.is_some() && !change.nodes_stopped {
        bail!("stop every node on this PostgreSQL first, then say this again with --nodes-stopped");
    }
    Ok(())
}
