//! Running the service until somebody ends it.

use std::process::ExitCode;

use anyhow::Context;
use tokio_util::sync::CancellationToken;

use super::signals::Signals;
use crate::config::Config;
use crate::first_start::{hand_over, show};
use crate::server::Server;
use crate::system::Runtime;
use crate::telemetry;

/// Reason why the service ended.
enum End {
    /// A signal: everything under way is finished first.
    Asked,
    /// The store failed: only a fresh start knows what is on the disk.
    Failed,
}

pub(super) fn run(config: &Config) -> anyhow::Result<ExitCode> {
    telemetry::start(&config.log)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.context("the runtime")?;
    let end = runtime.block_on(serve(config))?;
    // Nothing that blocks may keep a process that must end.
    runtime.shutdown_background();
    Ok(match end {
        End::Asked => ExitCode::SUCCESS,
        End::Failed => ExitCode::FAILURE,
    })
}

async fn serve(config: &Config) -> anyhow::Result<End> {
    // Caught from the beginning, so that one that comes during the start is not fatal.
    let signals = Signals::catch().context("signals")?;
    let asked = CancellationToken::new();
    signals.watch_during(serve_until(config, &asked), &asked).await
}

async fn serve_until(config: &Config, asked: &CancellationToken) -> anyhow::Result<End> {
    let starting = Server::start_unless(config, Runtime::default(), asked);
    let Some(server) = starting.await? else {
        tracing::info!("stopped before the database answered");
        return Ok(End::Asked);
    };
    let letter = match server.first_owner() {
        Some(created) => hand_over(created, server.addr(), server.data())?,
        None => None,
    };
    let operations = server.operations_addr().map(tracing::field::display);
    let version = env!("CARGO_PKG_VERSION");
    tracing::info!(addr = %server.addr(), operations, version, "started");
    // The last that a first start says, so that it stands by itself.
    if let Some(letter) = letter {
        show(&letter, server.data())?;
    }
    let end = tokio::select! {
        () = asked.cancelled() => End::Asked,
        _ = server.failed() => End::Failed,
    };
    match end {
        End::Asked => {
            server.stop().await?;
        }
        // Dropping it would wait for a store that may not answer.
        End::Failed => std::mem::forget(server),
    }
    Ok(end)
}
