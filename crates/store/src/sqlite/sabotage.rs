//! What tests do to the writer, so that rare failures happen on demand.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rusqlite::{Connection, ffi};

use crate::sqlite::transaction;

/// Failures to come. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sabotage {
    /// Done to the writer's connection before its first job.
    pub(crate) prepare: Option<fn(&mut Connection)>,
    /// The next commit is done and then said to have failed with an I/O error.
    pub(crate) loses_commit: Arc<AtomicBool>,
}

impl Sabotage {
    pub(super) fn commit(&self, connection: &Connection) -> rusqlite::Result<()> {
        transaction::commit(connection)?;
        if self.loses_commit.swap(false, Ordering::Relaxed) {
            let error = ffi::Error::new(ffi::SQLITE_IOERR_FSYNC);
            return Err(rusqlite::Error::SqliteFailure(error, None));
        }
        Ok(())
    }
}
