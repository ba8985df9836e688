//! The marker that a store which fails leaves for the next start, and what that start does about it.
//!
//! SQLite counts in the WAL index, which is memory shared by all who have the database open, how much of the WAL has
//! been checkpointed. After a failure of the disk that count may be too high. A start that has the database to itself
//! rebuilds the index from the WAL and checkpoints all of it again; one that finds others there would go on with the
//! wrong count. So a store that fails leaves a marker, and a start that finds it insists on being alone.
//! (SQLite's documentation of write-ahead logging: the WAL index, and exclusive locking mode without shared memory.)

use std::error::Error;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use crate::fault::{Fault, FaultKind};
use crate::opening::OpenError;
use crate::sqlite::setup;

/// Why a start fails that is not alone, or whose disk fails again.
const REFUSAL: &str = "the store failed when this database was last written, so all of its WAL must be checkpointed again, \
                       with exclusive access: end every other program that has it open (such as cotejo check-ledger), \
                       and repair the disk if it failed";

/// The marker of a database.
#[derive(Clone, Debug)]
pub(crate) struct CrashMarker(PathBuf);

impl CrashMarker {
    /// Beside the name that the next start opens the database by, which may be a link to it.
    pub(crate) fn beside(database: &Path) -> Self {
        let mut name = database.as_os_str().to_owned();
        name.push("-failed");
        Self(PathBuf::from(name))
    }

    /// Marks that this store has failed. The marker need not outlive the machine, after whose end nobody has the
    /// database open.
    pub(crate) fn create(&self) {
        if let Err(error) = File::create(&self.0) {
            tracing::error!(
                %error,
                "the crash marker could not be created: before the next start, end every other program that has the \
                 database open"
            );
        }
    }
}

/// Checkpoints all of the WAL with exclusive access where a store has left its marker, and removes the marker.
///
/// # Errors
/// Where somebody else has the database open, or the disk fails again.
pub(crate) fn recover_if_marked(database: &Path) -> Result<(), OpenError> {
    let CrashMarker(marker) = CrashMarker::beside(database);
    // The disk may fail to answer whether it is there.
    if !marker.try_exists().map_err(setup::unavailable)? {
        return Ok(());
    }
    let connection = setup::open(database, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    checkpoint_exclusively(&connection).map_err(refused)?;
    drop(connection);
    fs::remove_file(marker).map_err(refused)?;
    tracing::warn!("recovered from a failure of the store: all of the WAL was checkpointed again");
    Ok(())
}

fn checkpoint_exclusively(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(Duration::ZERO)?;
    // Set before the first read, it keeps the WAL index in this process instead of shared memory.
    connection.pragma_update_and_check(None, "locking_mode", "exclusive", |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", "full")?;
    connection.query_row("select count(*) from sqlite_schema", [], |_| Ok(()))?;
    connection.query_row("pragma wal_checkpoint(truncate)", [], |_| Ok(()))
}

fn refused(error: impl Error + Send + Sync + 'static) -> Fault {
    Fault::with_source(FaultKind::Unavailable, REFUSAL, error)
}
