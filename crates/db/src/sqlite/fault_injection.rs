//! Faults that tests inject into the writer, so that rare failures happen on demand.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Barrier, Mutex};

use rusqlite::{Connection, ffi};

use crate::sqlite::checkpoint::CheckpointThread;
use crate::sqlite::transaction;

/// Faults to come. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct FaultInjection {
    /// Done to the writer's connection before its first job.
    pub(crate) prepare: Option<fn(&mut Connection)>,
    /// The next commit is done and then said to have failed with an I/O error.
    pub(crate) loses_commit: Arc<AtomicBool>,
    /// The next commit is done, and goes on when the barrier has been reached twice.
    pub(crate) halts_after_commit: Arc<Mutex<Option<Arc<Barrier>>>>,
    /// The WAL is checkpointed as soon as it has a page, by a thread that was prepared by this.
    pub(crate) checkpoints_at_once: Option<fn(CheckpointThread) -> CheckpointThread>,
}

impl FaultInjection {
    /// The checkpoint thread, and the length of the WAL at which it starts to work.
    pub(super) fn checkpoint_thread(
        &self,
        thread: CheckpointThread,
        pages: u32,
    ) -> (CheckpointThread, u32) {
        match self.checkpoints_at_once {
            Some(prepare) => (prepare(thread), 1),
            None => (thread, pages),
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
