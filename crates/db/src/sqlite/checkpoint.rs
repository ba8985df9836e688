//! Checkpoints the write-ahead log (WAL) beside the writer instead of in its way.
//!
//! A WAL starts over only once all of it has been checkpointed, and while the writer goes on there is no such
//! moment. So a thread with a connection of its own checkpoints the bulk, and the writer then checkpoints the
//! little that was written meanwhile.
//!
//! A checkpoint syncs the database only where it has reached the end of the WAL: that would be the writer's, for all
//! that the thread has copied. So the thread syncs the file itself, and the writer's sync finds little left.
//!
//! After an I/O error this process does no further checkpoint. SQLite counts in the WAL index what was copied before
//! the disk has it, and an operating system reports a failed sync only once: the next checkpoint might succeed, let the
//! WAL start over, and what the disk has dropped would be lost.
//! (SQLite's documentation of the WAL file format, on the count of frames that were backfilled, and of write-ahead
//! logging, on checkpointing. The failed sync that succeeds when it is tried again is known as fsyncgate.)

use std::fmt;
use std::fs::File;
use std::mem::ManuallyDrop;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

use rusqlite::Connection;

use crate::sqlite::crash_marker::CrashMarker;
use crate::sqlite::transaction::is_clean;

/// At how many times the length at which it is checkpointed the writer waits for readers, so that the WAL starts over.
const RESTART_FACTOR: u32 = 8;

/// How often the thread checkpoints and syncs before it leaves the rest to the writer: the second pass copies what was
/// written during the first, which takes longest.
const PASSES: u32 = 2;

/// No checkpoint is under way.
const IDLE: u8 = 0;
/// The thread checkpoints the bulk.
const RUNNING: u8 = 1;
/// The thread is done; the rest is the writer's.
const DONE: u8 = 2;

/// The disk failed during a checkpoint. All of the WAL has to be checkpointed again, by another process.
#[derive(Debug)]
pub(crate) struct DiskFailed(String);

impl fmt::Display for DiskFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the WAL checkpoint failed: {}", self.0)
    }
}

/// The checkpoint thread as the writer has it.
pub(crate) struct Checkpoints {
    running: Option<Running>,
    progress: Arc<AtomicU8>,
    /// The length of the WAL, in pages, at which it is checkpointed.
    threshold_pages: u32,
}

/// The thread, until it is stopped.
struct Running {
    requests: SyncSender<()>,
    /// Ends before it is asked to only where the disk has failed it, or it panicked.
    thread: JoinHandle<Result<(), DiskFailed>>,
}

/// Resources of the checkpoint thread.
pub(crate) struct CheckpointThread {
    connection: Connection,
    /// The database file. Never closed: on POSIX, a process that closes any descriptor of a file gives up all the
    /// locks that it has on the file, those of SQLite's connections among them, and another process that then
    /// believes itself alone with the database would delete the WAL.
    file: ManuallyDrop<File>,
    crash_marker: CrashMarker,
}

impl Checkpoints {
    /// Starts the thread, to checkpoint the WAL whenever it has so many pages.
    pub(crate) fn start(thread: CheckpointThread, threshold_pages: u32) -> std::io::Result<Self> {
        let (requests, requested) = sync_channel(1);
        let progress = Arc::new(AtomicU8::new(IDLE));
        let reported = Arc::clone(&progress);
        let thread = thread::Builder::new()
            .name("store-checkpoint".to_owned())
            .spawn(move || thread.run(&requested, &reported))?;
        Ok(Self { running: Some(Running { requests, thread }), progress, threshold_pages })
    }

    /// Begins a checkpoint where the WAL has reached the threshold, and finishes one that the thread has done. The
    /// writer calls it after each batch, the WAL being `wal_pages` pages long.
    ///
    /// # Errors
    /// The disk failed, under the thread or under the writer.
    pub(crate) fn after_batch(
        &mut self,
        writer: &Connection,
        wal_pages: u32,
    ) -> Result<(), DiskFailed> {
        match self.progress.load(Ordering::Acquire) {
            IDLE if wal_pages >= self.threshold_pages => {
                self.progress.store(RUNNING, Ordering::Release);
                if let Some(running) = &self.running {
                    // There is room for one, and none is under way. That the thread is gone is seen when it does
                    // not get on.
                    let _ = running.requests.try_send(());
                }
                Ok(())
            }
            RUNNING
                if self.running.as_ref().is_some_and(|running| running.thread.is_finished()) =>
            {
                self.stop()
            }
            DONE => {
                self.progress.store(IDLE, Ordering::Release);
                // Readers that never pause keep the WAL from starting over. Each is bounded, so
                // waiting for them is bounded too.
                let is_long = wal_pages >= RESTART_FACTOR * self.threshold_pages;
                checkpoint(writer, if is_long { "restart" } else { "passive" })
            }
            _ => Ok(()),
        }
    }

    /// Stops the thread, once it is done with what it does.
    ///
    /// # Errors
    /// The disk failed under the thread.
    pub(crate) fn stop(&mut self) -> Result<(), DiskFailed> {
        let Some(Running { requests, thread }) = self.running.take() else { return Ok(()) };
        drop(requests);
        // Where it panicked, nobody knows how far it came.
        let panicked = |_| Err(DiskFailed("the checkpoint thread panicked".to_owned()));
        thread.join().unwrap_or_else(panicked)
    }
}

impl CheckpointThread {
    /// On a connection of its own, and the file of its database. It creates the marker where the disk fails.
    pub(crate) fn new(connection: Connection, file: File, crash_marker: CrashMarker) -> Self {
        Self { connection, file: ManuallyDrop::new(file), crash_marker }
    }

    /// With another file in the place of the database.
    #[cfg(test)]
    pub(crate) fn syncing(self, file: File) -> Self {
        Self::new(self.connection, file, self.crash_marker)
    }

    fn run(&self, requested: &Receiver<()>, progress: &AtomicU8) -> Result<(), DiskFailed> {
        while requested.recv().is_ok() {
            let outcome = (0..PASSES).try_for_each(|_| self.pass());
            // The writer learns of it when it has something to do, which may be late.
            outcome.inspect_err(|_| self.crash_marker.create())?;
            progress.store(DONE, Ordering::Release);
        }
        Ok(())
    }

    fn pass(&self) -> Result<(), DiskFailed> {
        checkpoint(&self.connection, "passive")?;
        // The WAL is not reused before SQLite itself has synced what was copied out of it.
        self.file.sync_data().map_err(|error| DiskFailed(error.to_string()))
    }
}

/// Checkpoints what can be. Where a full disk or a reader is in the way, the WAL stays as it is.
///
/// # Errors
/// The disk failed.
pub(crate) fn checkpoint(connection: &Connection, mode: &str) -> Result<(), DiskFailed> {
    let text = format!("pragma wal_checkpoint({mode})");
    match connection.query_row(&text, [], |_| Ok(())) {
        Ok(()) => Ok(()),
        Err(error) if is_clean(&error) => {
            tracing::warn!(%error, mode, "the WAL was not checkpointed");
            Ok(())
        }
        Err(error) => Err(DiskFailed(error.to_string())),
    }
}

// On Linux the kernel lists its locks.
#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::fs;
    use std::os::unix::fs::MetadataExt;
    use std::path::Path;

    use super::*;
    use crate::conformance::schema::SCHEMA;
    use crate::conformance::{Folder, at};
    use crate::sqlite::setup;

    /// Tells whether this process has a lock on the file, as the kernel has it.
    fn is_locked(path: &Path) -> bool {
        let (process, file) = (std::process::id().to_string(), fs::metadata(path).unwrap().ino());
        fs::read_to_string("/proc/locks").unwrap().lines().any(|lock| {
            let fields: Vec<_> = lock.split_whitespace().collect();
            fields[4] == process && fields[5].ends_with(&format!(":{file}"))
        })
    }

    #[test]
    fn the_wal_is_checkpointed_beside_the_writer_who_keeps_its_locks_on_the_file() {
        let folder = Folder::new();
        let path = folder.0.join("store.db");
        let writer = setup::writer(&path, &SCHEMA, at(1)).unwrap();
        let mut checkpoints =
            Checkpoints::start(setup::checkpoint_thread(&path).unwrap(), 1).unwrap();
        writer.pragma_update(None, "wal_autocheckpoint", 0).unwrap();
        writer.execute("create table bulk as select zeroblob(1 << 22)", []).unwrap();
        let size = fs::metadata(&path).unwrap().len();
        checkpoints.after_batch(&writer, 1).unwrap();
        // The thread ends when it is done with what it was asked for.
        checkpoints.stop().unwrap();
        assert_eq!(checkpoints.progress.load(Ordering::Acquire), DONE);
        assert!(fs::metadata(&path).unwrap().len() > size);
        assert!(is_locked(&path));
    }

    #[test]
    fn a_disk_that_fails_before_the_writer_hears_of_it_is_known_to_the_next_start() {
        let folder = Folder::new();
        let [database, path] = ["elsewhere.db", "store.db"].map(|name| folder.0.join(name));
        fs::File::create(&database).unwrap();
        std::os::unix::fs::symlink(&database, &path).unwrap();
        let writer = setup::writer(&path, &SCHEMA, at(1)).unwrap();
        // The kernel syncs no such file.
        let checkpoint_thread =
            setup::checkpoint_thread(&path).unwrap().syncing(File::open("/dev/null").unwrap());
        let mut checkpoints = Checkpoints::start(checkpoint_thread, 1).unwrap();
        checkpoints.after_batch(&writer, 1).unwrap();
        let Running { requests, thread } = checkpoints.running.take().unwrap();
        assert!(thread.join().unwrap().is_err());
        drop((requests, writer));
        let other = setup::reader(&path).unwrap();
        other.query_row("select count(*) from sqlite_schema", [], |_| Ok(())).unwrap();
        assert!(setup::writer(&path, &SCHEMA, at(2)).is_err());
        drop(other);
        setup::writer(&path, &SCHEMA, at(2)).unwrap();
    }

    #[test]
    fn a_lock_in_the_way_of_a_checkpoint_is_no_failure_of_the_disk() {
        let folder = Folder::new();
        let writer = setup::writer(&folder.0.join("store.db"), &SCHEMA, at(1)).unwrap();
        writer.execute_batch("begin immediate").unwrap();
        let refused = writer.query_row("pragma wal_checkpoint(passive)", [], |_| Ok(()));
        assert!(refused.unwrap_err().to_string().contains("locked"));
        checkpoint(&writer, "passive").unwrap();
    }

    #[test]
    fn a_wal_that_cannot_be_read_is_distinguished_from_one_in_use() {
        let folder = Folder::new();
        let path = folder.0.join("store.db");
        let writer = setup::writer(&path, &SCHEMA, at(1)).unwrap();
        writer.execute("create table bulk as select zeroblob(1 << 22)", []).unwrap();
        let reader = setup::reader(&path).unwrap();
        reader.execute_batch("begin; select * from bulk").unwrap();
        writer.busy_timeout(std::time::Duration::ZERO).unwrap();
        writer.execute("update bulk set rowid = 2", []).unwrap();
        checkpoint(&writer, "truncate").unwrap();
        drop(reader);
        let wal = fs::OpenOptions::new().write(true).open(folder.0.join("store.db-wal")).unwrap();
        wal.set_len(wal.metadata().unwrap().len() / 2).unwrap();
        let failed = checkpoint(&writer, "truncate").unwrap_err().to_string();
        assert!(failed.contains("disk I/O error"), "{failed}");
    }
}
