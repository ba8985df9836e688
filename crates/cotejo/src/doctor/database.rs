//! The database: whether it can be reached, suits this program, may be written to, and belongs to the master key.

use std::fs::OpenOptions;
use std::time::Duration;

use domain::time::SKEW_MAX;
use store::{OnFatal, Store};

use super::Finding;
use crate::config::Config;
use crate::data_folder::DataFolder;
use crate::master_key::check_vault;
use crate::opening::{close_store, open_what_is_there};
use crate::system::Runtime;

/// Looks at the database, and changes nothing in it.
pub(crate) async fn look(config: &Config) -> Vec<Finding> {
    let data = DataFolder::at(&config.data);
    if config.postgres.is_none() && !data.database().exists() {
        return vec![Finding::warning(
            "database",
            format!("there is no database in {}", data.path().display()),
            "cotejo serve makes it; if it should be there, name the folder by --data",
        )];
    }
    let on_fatal = OnFatal::new(|reason| tracing::error!(reason, "the store failed"));
    let store = match open_what_is_there(config, on_fatal).await {
        Ok(store) => store,
        Err(error) => {
            return vec![Finding::fault(
                "database",
                format!("{error:#}"),
                "a new or former schema is brought up to date by cotejo migrate; otherwise see the address, the user and \
                 the server",
            )];
        }
    };
    let mut findings =
        vec![Finding::good("database", "it answers, and its tables suit this program")];
    findings.push(rights(config, &data, &store).await);
    findings.extend(clock(config, &store).await);
    findings.push(match check_vault(&store, &config.master_key_file).await {
        Ok(()) => Finding::good("master_key", "it is the one of this database"),
        Err(error) => {
            let advice =
                "without it no server starts: put the right file there, for its user alone";
            Finding::fault("master_key", format!("{error:#}"), advice)
        }
    });
    // Whether it was closed well changes nothing of what was found.
    drop(close_store(&store).await);
    findings
}

async fn rights(config: &Config, data: &DataFolder, store: &Store) -> Finding {
    const CHECK: &str = "rights";
    if config.postgres.is_none() {
        // Opened and closed again, it is as it was.
        return match OpenOptions::new().append(true).open(data.database()) {
            Ok(_) => Finding::good(CHECK, "the database file may be written to"),
            Err(error) => Finding::fault(
                CHECK,
                format!("the database file may not be written to: {error}"),
                "run this as the user that runs the service, and give the file to it",
            ),
        };
    }
    let advice = "grant select, insert, update, delete on these tables to the user of the address, or make it their owner";
    match store.lacking_rights().await {
        Ok(tables) if tables.is_empty() => {
            Finding::good(CHECK, "every table may be read and changed")
        }
        Ok(tables) => {
            let finding = format!("these may not be read and changed: {}", tables.join(", "));
            Finding::fault(CHECK, finding, advice)
        }
        Err(error) => Finding::fault(CHECK, format!("they cannot be asked for: {error}"), advice),
    }
}

/// Compares the clock of a database server with this machine's.
async fn clock(config: &Config, store: &Store) -> Option<Finding> {
    const CHECK: &str = "database_clock";
    config.postgres.as_ref()?;
    let advice = "keep the clocks of both machines right by NTP";
    let skew = store.clock_skew(Runtime::default().clock.now()).await;
    Some(match skew.map(|micros| Duration::from_micros(micros.unsigned_abs())) {
        Err(error) => Finding::fault(CHECK, format!("it cannot be asked for: {error}"), advice),
        Ok(skew) if skew > SKEW_MAX => {
            let finding = format!("it is {} s apart from this machine's", skew.as_secs());
            Finding::fault(CHECK, finding, advice)
        }
        Ok(_) => Finding::good(CHECK, "it agrees with this machine's"),
    })
}
