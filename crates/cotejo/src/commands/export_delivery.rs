//! Everything that proves how one event was delivered, for a person who disputes it.

use std::io::{Write, stdout};
use std::process::ExitCode;

use anyhow::Context;
use app::evidence::find;
use domain::ids::EventId;

use super::{ends_by_itself, single_threaded};
use crate::config::Config;
use crate::opening::{close_store, open_what_is_there};
use crate::telemetry;

pub(super) fn run(config: &Config, event: EventId) -> anyhow::Result<ExitCode> {
    telemetry::start(&config.log)?;
    let found = single_threaded()?.block_on(async {
        let store = open_what_is_there(config, ends_by_itself()).await?;
        let found = find(&store, event).await;
        close_store(&store).await?;
        anyhow::Ok(found?)
    });
    let evidence = found?.with_context(|| format!("there is no event {event}"))?;
    let mut out = stdout().lock();
    serde_json::to_writer_pretty(&mut out, &evidence.document())?;
    writeln!(out)?;
    Ok(ExitCode::SUCCESS)
}
