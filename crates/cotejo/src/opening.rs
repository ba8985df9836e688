//! Opening the store that the configuration names.

use std::future::Future;

use anyhow::{Context, bail};
use domain::time::Timestamp;
use store::{Engine, OnFatal, Options, Store};

use crate::config::Config;
use crate::data_folder::DataFolder;
use crate::system::Runtime;

/// Opens the store, its schema brought up to date. What blocks in it runs beside the caller.
///
/// # Errors
/// Where the database cannot be reached, or its schema does not suit this program.
pub(crate) async fn open_store(
    config: &Config,
    data: &DataFolder,
    now: Timestamp,
    on_fatal: OnFatal,
) -> anyhow::Result<Store> {
    let options = options(config, data, now, on_fatal);
    beside(move || store::open(&options)).await?.context("the store")
}

/// Opens the store to read alone, also beside a server that works on it.
///
/// # Errors
/// Where the database cannot be reached, or its schema is not the one of this program.
async fn open_to_read(
    config: &Config,
    data: &DataFolder,
    now: Timestamp,
    on_fatal: OnFatal,
) -> anyhow::Result<Store> {
    let mut options = options(config, data, now, on_fatal);
    if let Engine::Postgres(settings) = &mut options.engine {
        (settings.connections, settings.readers) = (1, 1);
    }
    beside(move || store::open_to_read(&options)).await?.context("the store")
}

/// Opens the store that is there to read alone.
///
/// # Errors
/// As [`open_to_read`], or where there is none yet.
pub(crate) async fn open_what_is_there(
    config: &Config,
    on_fatal: OnFatal,
) -> anyhow::Result<Store> {
    let data = DataFolder::at(&config.data);
    if config.postgres.is_none() && !data.database().exists() {
        bail!("there is no database in the data folder {}", data.path().display());
    }
    open_to_read(config, &data, Runtime::default().clock.now(), on_fatal).await
}

/// Finishes what the store has in hand and closes it.
///
/// # Errors
/// Where the runtime is ending.
pub(crate) async fn close_store(store: &Store) -> anyhow::Result<()> {
    let store = store.clone();
    beside(move || store.close()).await
}

/// Options by which the store is opened that the configuration names.
pub(crate) fn options(
    config: &Config,
    data: &DataFolder,
    now: Timestamp,
    on_fatal: OnFatal,
) -> Options {
    let engine = match &config.postgres {
        Some(settings) => Engine::Postgres(settings.clone()),
        None => Engine::Sqlite(config.sqlite(data.database())),
    };
    Options { engine, now, on_fatal }
}

fn beside<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> impl Future<Output = anyhow::Result<T>> {
    let thread = tokio::task::spawn_blocking(work);
    async { thread.await.context("a thread of the store") }
}
