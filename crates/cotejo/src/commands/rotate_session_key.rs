//! Rotating the key that signs session tokens. A server reads it at its start, so that none may run on the data
//! folder; nodes on a PostgreSQL are started again afterwards.

use std::process::ExitCode;

use anyhow::Context;
use app::admin::{EndedSessions, RotatedKey, Sessions, rotate_session_key};
use serde_json::{Value, json};

use super::offline::offline;
use super::{print, single_threaded};
use crate::cli::RotateSessionKey;
use crate::config::Config;
use crate::master_key::open_vault;
use crate::telemetry;

pub(super) fn run(config: &Config, rotate: &RotateSessionKey) -> anyhow::Result<ExitCode> {
    telemetry::start(&config.log)?;
    let sessions = if rotate.end_sessions { Sessions::End } else { Sessions::GoOn };
    let rotated = single_threaded()?.block_on(offline(config, async |operator| {
        let vault = open_vault(operator, &config.master_key_file).await?;
        let rotated =
            rotate_session_key(operator, &vault, sessions, |EndedSessions { owners, sessions }| {
                tracing::info!(owners, sessions, "ended");
            });
        rotated.await.context(
            "the key that signs session tokens; say it again, since it may be done in part",
        )
    }))?;
    print(shown(&rotated), rotate.json)?;
    if config.postgres.is_some() {
        tracing::warn!("start every node again now: until then it signs with the former key");
    }
    Ok(ExitCode::SUCCESS)
}

fn shown(rotated: &RotatedKey) -> Value {
    let (tokens, refresh_tokens) = rotated.former_until.unzip();
    json!({
        "key": rotated.name,
        "former_tokens_until": tokens.map(|at| at.to_string()),
        "former_refresh_tokens_until": refresh_tokens.map(|at| at.to_string()),
        "sessions_ended": rotated.ended.map(|ended| ended.sessions),
    })
}
