//! What tests do to the writer, so that rare failures happen on demand.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Barrier, Mutex};

use rusqlite::{Connection, ffi};

use crate::sqlite::checkpoint::Mover;
use crate::sqlite::transaction;

/// Failures to come. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sabotage {
    /// Done to the writer's connection before its first job.
    pub(crate) prepare: Option<fn(&mut Connection)>,
    /// The next commit is done and then said to have failed with an I/O error.
    pub(crate) loses_commit: Arc<AtomicBool>,
    /// The next commit is done, and goes on when the barrier has been reached twice.
    pub(crate) halts_after_commit: Arc<Mutex<Option<Arc<Barrier>>>>,
    /// The log is moved as soon as it has a page, its mover prepared by this.
    pub(crate) moves_at_once: Option<fn(Mover) -> Mover>,
}

impl Sabotage {
    /// What moves the log, and at which length of it.
    pub(super) fn mover(&self, mover: Mover, pages: u32) -> (Mover, u32) {
        match self.moves_at_once {
            Some(prepare) => (prepare(mover), 1),
            None => (mover, pages),
        }
    }

    pub(super) fn commit(&self, connection: &Connection) -> rusqlite::Result<()> {
        transaction::commit(connection)?;
        let halt = self.halts_after_commit.lock().unwrap().take();
        if let Some(barrier) = halt {
            barrier.wait();
            barrier.wait();
        }
        if self.loses_commit.swap(false, Ordering::Relaxed) {
            let error = ffi::Error::new(ffi::SQLITE_IOERR_FSYNC);
            return Err(rusqlite::Error::SqliteFailure(error, None));
        }
        Ok(())
    }
}
