//! Work on a store that was set up before and that no server works on.

use anyhow::{Context, bail};
use app::admin::{Operator, installation};

use super::ends_by_itself;
use crate::config::Config;
use crate::data_folder::DataFolder;
use crate::opening::{close_store, open_store};
use crate::system::Runtime;

/// Does `work` on the store. On SQLite nobody else works on the data folder until it ends; nodes on a PostgreSQL are
/// not seen.
///
/// # Errors
/// Where another process works on the folder, the store was never set up, or `work` fails.
pub(super) async fn offline<T>(
    config: &Config,
    work: impl AsyncFnOnce(&Operator<'_>) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let data = DataFolder::at(&config.data);
    if config.postgres.is_none() && !data.database().exists() {
        bail!("there is no database in the data folder {}", data.path().display());
    }
    let data = DataFolder::make(&config.data)?;
    let _lock = match config.postgres {
        Some(_) => None,
        None => Some(data.try_lock()?.with_context(|| {
            format!(
                "another process works on the data folder {}: stop the server, say this again, and start it",
                config.data.display()
            )
        })?),
    };
    let runtime = Runtime::default();
    let now = runtime.clock.now();
    let store = open_store(config, &data, now, ends_by_itself()).await?;
    let operator = Operator {
        store: &store,
        ids: &*runtime.ids,
        now,
        password_cost: config.settings.password_cost,
        vault: None,
        sends_mail: false,
        app: None,
    };
    let done = match installation::find(&store).await {
        Ok(Some(_)) => work(&operator).await,
        Ok(None) => Err(anyhow::anyhow!("this database was never set up: it has no key")),
        Err(error) => Err(error.into()),
    };
    close_store(&store).await?;
    done
}
