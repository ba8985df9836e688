//! What a store that failed leaves to do for the next start.
//!
//! SQLite's note of how much of the log was moved into the database is in memory that all who have the database open
//! share, and after a failure it may tell of more than the disk has. A start that is alone makes it anew, and all is moved
//! again. One that is not alone would go on with it. So the store leaves word, and a start that finds it wants to be alone.

use std::error::Error;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use crate::fault::{Fault, FaultKind};
use crate::options::OpenError;
use crate::sqlite::setup;

/// What a start is told that is not alone, or that the disk fails again.
const REFUSAL: &str = "the store failed when this database was last written, and all of its log must be moved into it \
                       again: end every other program that has it open (such as cotejo check-ledger), and mend the \
                       disk if it failed";

/// Where a store that fails leaves word.
#[derive(Clone, Debug)]
pub(crate) struct Word(PathBuf);

impl Word {
    /// Beside the name that the next start opens the database by, which may be a link to it.
    pub(crate) fn beside(database: &Path) -> Self {
        let mut name = database.as_os_str().to_owned();
        name.push("-failed");
        Self(PathBuf::from(name))
    }

    /// Leaves word that this store has failed. It need not outlive the machine, after whose end nobody has the database
    /// open.
    pub(crate) fn leave(&self) {
        if let Err(error) = File::create(&self.0) {
            tracing::error!(%error, "end every other program that has the database open before the next start");
        }
    }
}

/// Moves all of the log into the database, alone, where a store has left word that it failed.
///
/// # Errors
/// Where somebody else has the database open, or the disk fails again.
pub(crate) fn make_good(database: &Path) -> Result<(), OpenError> {
    let Word(word) = Word::beside(database);
    // Whether it is there may be what the disk fails to tell.
    if !word.try_exists().map_err(setup::unavailable)? {
        return Ok(());
    }
    let connection = setup::open(database, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    move_alone(&connection).map_err(refused)?;
    drop(connection);
    fs::remove_file(word).map_err(refused)?;
    tracing::warn!("the store had failed: all of its log was moved into the database again");
    Ok(())
}

fn move_alone(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(Duration::ZERO)?;
    // Whoever has the database to itself from its first look on shares no memory with anybody.
    connection.pragma_update_and_check(None, "locking_mode", "exclusive", |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", "full")?;
    connection.query_row("select count(*) from sqlite_schema", [], |_| Ok(()))?;
    connection.query_row("pragma wal_checkpoint(truncate)", [], |_| Ok(()))
}

fn refused(error: impl Error + Send + Sync + 'static) -> Fault {
    Fault::with_source(FaultKind::Unavailable, REFUSAL, error)
}
