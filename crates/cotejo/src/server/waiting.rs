//! Waiting for a database that does not answer yet: after a power cut all machines start at once, and its own may be the
//! last.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use store::{OnFatal, OpenError, Store};
use tokio_util::sync::CancellationToken;

use super::listeners::Listeners;
use super::{http, operations, start_loop};
use crate::config::Config;
use crate::data_folder::DataFolder;
use crate::opening::open_store;
use crate::system::{Runtime, TrackedTasks};

/// How long it is left alone between two tries.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// How often the log says that it still does not answer.
const LOG_INTERVAL: Duration = Duration::from_secs(60);

/// Opens the store, as soon as its server answers where it has one; answers nothing where `ended` comes first. Who asks
/// meanwhile at one of the `listeners` learns that the service lives and is not ready.
///
/// # Errors
/// Where waiting would not help: a wrong password, a schema that does not suit.
pub(super) async fn open(
    config: &Config,
    data: &DataFolder,
    runtime: &Runtime,
    on_fatal: OnFatal,
    listeners: &Listeners,
    ended: &CancellationToken,
) -> anyhow::Result<Option<Store>> {
    if config.postgres.is_none() {
        return open_store(config, data, runtime.clock.now(), on_fatal).await.map(Some);
    }
    let is_open = CancellationToken::new();
    for listener in listeners.all() {
        let serving = http::serve(
            Arc::clone(listener),
            operations::routes_without_database(runtime),
            http::Browsers::of(&config.settings.base_url),
            config.http.clone(),
            Arc::new(http::Places::new(&config.http, is_open.clone())),
            is_open.clone(),
        );
        // It ends by itself once the store is open, or nobody waits for that any more.
        start_loop(&TrackedTasks::default(), serving);
    }
    let _until_then = is_open.drop_guard();
    let addr = listeners.addr()?;
    tokio::select! {
        biased;
        // A server that does not answer at all keeps the end waiting no longer than one that refuses.
        () = ended.cancelled() => Ok(None),
        opened = reach(config, data, runtime, on_fatal, addr) => opened.map(Some),
    }
}

/// Opens the store, again as long as the database does not answer; the log says so now and then.
async fn reach(
    config: &Config,
    data: &DataFolder,
    runtime: &Runtime,
    on_fatal: OnFatal,
    addr: SocketAddr,
) -> anyhow::Result<Store> {
    let clock = &runtime.clock;
    let mut logged_at: Option<Duration> = None;
    loop {
        let opened = open_store(config, data, clock.now(), on_fatal.clone()).await;
        let error = match opened {
            Err(error) if is_unreachable(&error) => error,
            opened => {
                if opened.is_ok() && logged_at.is_some() {
                    tracing::info!("the database answers");
                }
                return opened;
            }
        };
        let uptime = clock.uptime();
        if logged_at.is_none_or(|at| uptime.saturating_sub(at) >= LOG_INTERVAL) {
            logged_at = Some(uptime);
            tracing::warn!(%addr, error = format!("{error:#}"), "waiting for the database");
        }
        clock.sleep(RETRY_DELAY).await;
    }
}

fn is_unreachable(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref::<OpenError>(), Some(OpenError::Unreachable(_)))
}
