//! Rotating the key that signs session tokens. A server reads it at its start, so that none may run on the data
//! folder; nodes on a PostgreSQL are started again afterwards.

use std::process::ExitCode;

use anyhow::{Context, bail};
use app::admin::{Operator, RotatedKey, Sessions, installation, rotate_session_key};
use serde_json::{Value, json};

use super::{ends_by_itself, print, single_threaded};
use crate::cli::RotateSessionKey;
use crate::config::Config;
use crate::data_folder::DataFolder;
use crate::master_key::open_vault;
use crate::opening::{close_store, open_store};
use crate::system::Outside;
use crate::telemetry;

pub(super) fn run(config: &Config, rotate: &RotateSessionKey) -> anyhow::Result<ExitCode> {
    telemetry::start(&config.log)?;
    let sessions = if rotate.end_sessions { Sessions::End } else { Sessions::GoOn };
    let rotated = single_threaded()?.block_on(rotate_in(config, sessions))?;
    print(shown(&rotated), rotate.json)?;
    if config.postgres.is_some() {
        tracing::warn!("start every node again now: until then it signs with the former key");
    }
    Ok(ExitCode::SUCCESS)
}

async fn rotate_in(config: &Config, sessions: Sessions) -> anyhow::Result<RotatedKey> {
    let data = DataFolder::at(&config.data);
    if config.postgres.is_none() && !data.database().exists() {
        bail!("there is no database in the data folder {}", data.path().display());
    }
    let data = DataFolder::make(&config.data)?;
    let _lock = match config.postgres {
        Some(_) => None,
        None => Some(data.try_lock()?.with_context(|| {
            format!(
                "another process works on the data folder {}: stop the server, rotate the key, and start it again",
                config.data.display()
            )
        })?),
    };
    let outside = Outside::default();
    let now = outside.clock.now();
    let store = open_store(config, &data, now, ends_by_itself()).await?;
    let operator = Operator {
        store: &store,
        ids: &*outside.ids,
        now,
        password_cost: config.settings.password_cost,
    };
    let work = async {
        if installation::find(&store).await?.is_none() {
            bail!("this database was never set up: there is no key to rotate");
        }
        let vault = open_vault(&operator, &config.master_key_file).await?;
        Ok(rotate_session_key(&operator, &vault, sessions).await?)
    };
    let rotated = work.await;
    close_store(&store).await?;
    rotated.context("the key that signs session tokens")
}

fn shown(rotated: &RotatedKey) -> Value {
    let (tokens, refresh_tokens) = rotated.former_until.unzip();
    json!({
        "key": rotated.name,
        "former_tokens_until": tokens.map(|at| at.to_string()),
        "former_refresh_tokens_until": refresh_tokens.map(|at| at.to_string()),
    })
}
