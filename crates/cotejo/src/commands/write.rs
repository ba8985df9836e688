//! Commands that write: by the running server where it has the database file to itself, else here.

use std::time::Duration;

use anyhow::bail;
use app::admin::{Operator, installation};
use store::ended::Ended;

use super::ends_by_itself;
use crate::admin::{CommandOutcome, Request, perform};
use crate::admin_socket;
use crate::config::Config;
use crate::data_folder::DataFolder;
use crate::ended_log::{EndedLog, WAITING_MAX};
use crate::master_key::{check_vault, open_vault};
use crate::opening::{close_store, open_store, open_what_is_there};
use crate::system::Runtime;

/// How often a folder is tried that another command, or a server that starts or ends, works on.
const TRIES_MAX: u32 = 50;

/// How long is waited between two tries.
const PAUSE: Duration = Duration::from_millis(100);

/// Does what is asked for.
pub(super) async fn write(config: &Config, request: Request) -> anyhow::Result<CommandOutcome> {
    let data = DataFolder::make(&config.data)?;
    let runtime = Runtime::default();
    if config.postgres.is_some() {
        return here(config, &data, &runtime, request).await;
    }
    for _ in 0..TRIES_MAX {
        if let Some(_lock) = data.try_lock()? {
            return here(config, &data, &runtime, request).await;
        }
        check_key(config).await?;
        if let Some(outcome) = admin_socket::ask(&data.socket(), &request).await? {
            return Ok(outcome);
        }
        runtime.clock.sleep(PAUSE).await;
    }
    bail!("another process works on {} and does not listen for commands", data.path().display())
}

/// Checks that a master key named by the command line or the configuration is the running server's. The server does the
/// work with its own key.
async fn check_key(config: &Config) -> anyhow::Result<()> {
    if !config.names_master_key {
        return Ok(());
    }
    let store = open_what_is_there(config, ends_by_itself()).await?;
    let checked = check_vault(&store, &config.master_key_file).await;
    close_store(&store).await?;
    checked
}

/// Does it in this process. A new store is founded first, with its master key.
async fn here(
    config: &Config,
    data: &DataFolder,
    runtime: &Runtime,
    request: Request,
) -> anyhow::Result<CommandOutcome> {
    let now = runtime.clock.now();
    let store = open_store(config, data, now, ends_by_itself()).await?;
    let mut ends = store.subscribe::<Ended>(WAITING_MAX);
    let operator = Operator {
        store: &store,
        ids: &*runtime.ids,
        now,
        password_cost: config.settings.password_cost,
        vault: None,
        sends_mail: config.mail.is_some(),
        app: None,
    };
    let work = async {
        // Commands do without the key of a store that has one, since it may be on other machines only: nobody is
        // notified by mail then, which is sealed, and wrong passwords are not forgiven. One that is at hand must be
        // the right one, since a wrong one says that this is another store than was meant.
        let is_at_hand = config.names_master_key || config.master_key_file.exists();
        let is_wanted = is_at_hand || installation::find(&store).await?.is_none();
        let vault = match is_wanted {
            true => Some(open_vault(&operator, &config.master_key_file).await?),
            false => None,
        };
        perform(&Operator { vault: vault.as_ref(), ..operator }, request).await
    };
    let result = work.await;
    close_store(&store).await?;
    if let Err(error) = EndedLog::of(data).drain(&mut ends) {
        tracing::error!(
            error = format!("{error:#}"),
            "what has ended could not be written to the data folder"
        );
    }
    result
}
