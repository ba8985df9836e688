//! Moving the write-ahead log into the database file, beside the writer instead of in its way.
//!
//! A log can start afresh only at a moment when all of it has been moved, and while the writer
//! goes on there is no such moment. So a thread with a connection of its own moves the bulk, and
//! the writer then moves the little that was written meanwhile.
//!
//! SQLite syncs the database only where it has reached the log's end: that would be the writer, for all that the
//! thread has moved. So the thread syncs it, and the writer's sync finds little left.
//!
//! SQLite notes what was moved before the disk has it, and an operating system tells of a failed sync once. So after an
//! I/O error nothing more is moved by this process: the next move might go well, let the log start afresh, and
//! what the disk has dropped would be gone.

use std::fmt;
use std::fs::File;
use std::mem::ManuallyDrop;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

use rusqlite::Connection;

use crate::sqlite::aftermath::Word;
use crate::sqlite::transaction::is_clean;

/// How many times the length at which it is moved, before the writer waits for readers so that the log can start afresh.
const PATIENCE: u32 = 8;

/// How often the thread moves and syncs before it leaves the rest to the writer: what was written during the first time,
/// which takes longest, is moved by the second.
const PASSES: u32 = 2;

/// Nothing is being moved.
const IDLE: u8 = 0;
/// The thread moves the bulk.
const MOVING: u8 = 1;
/// The bulk has been moved; the rest is the writer's.
const MOVED: u8 = 2;

/// The disk failed while the log was moved. All of it has to be moved again, by another process.
#[derive(Debug)]
pub(crate) struct DiskFailed(String);

impl fmt::Display for DiskFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the write-ahead log could not be moved into the database: {}", self.0)
    }
}

/// The thread that moves the bulk, in the writer's hands.
pub(crate) struct Checkpoints {
    running: Option<Running>,
    progress: Arc<AtomicU8>,
    /// The length of the log, in pages, at which it is moved.
    pages: u32,
}

/// The thread, until it is ended.
struct Running {
    requests: SyncSender<()>,
    /// Ends before it is told to only where the disk has failed it, or it panicked.
    thread: JoinHandle<Result<(), DiskFailed>>,
}

/// What moves the log beside the writer.
pub(crate) struct Mover {
    connection: Connection,
    /// The database file. Never closed: whoever closes any descriptor of a file gives up all locks that the
    /// process has on it, those of SQLite's connections among them, and another process that then believes itself
    /// alone with the database would delete the log.
    file: ManuallyDrop<File>,
    word: Word,
}

impl Checkpoints {
    /// Starts the thread, to move the log whenever it has so many `pages`.
    pub(crate) fn start(mover: Mover, pages: u32) -> std::io::Result<Self> {
        let (requests, requested) = sync_channel(1);
        let progress = Arc::new(AtomicU8::new(IDLE));
        let told = Arc::clone(&progress);
        let thread = thread::Builder::new()
            .name("store-checkpoint".to_owned())
            .spawn(move || mover.attend(&requested, &told))?;
        Ok(Self { running: Some(Running { requests, thread }), progress, pages })
    }

    /// What the writer does after each batch, the log being so many pages long.
    ///
    /// # Errors
    /// The disk failed, under the thread or under the writer.
    pub(crate) fn attend(&mut self, writer: &Connection, log_pages: u32) -> Result<(), DiskFailed> {
        match self.progress.load(Ordering::Acquire) {
            IDLE if log_pages >= self.pages => {
                self.progress.store(MOVING, Ordering::Release);
                if let Some(running) = &self.running {
                    // There is room for one, and nothing is being moved. That the thread is gone is seen when it does
                    // not get on.
                    let _ = running.requests.try_send(());
                }
                Ok(())
            }
            MOVING if self.running.as_ref().is_some_and(|running| running.thread.is_finished()) => {
                self.end()
            }
            MOVED => {
                self.progress.store(IDLE, Ordering::Release);
                // Readers that never pause keep the log from starting afresh. Each is bounded, so
                // waiting for them is bounded too.
                let is_long = log_pages >= PATIENCE * self.pages;
                run(writer, if is_long { "restart" } else { "passive" })
            }
            _ => Ok(()),
        }
    }

    /// Ends the thread, once it is done with what it does.
    ///
    /// # Errors
    /// The disk failed under the thread.
    pub(crate) fn end(&mut self) -> Result<(), DiskFailed> {
        let Some(Running { requests, thread }) = self.running.take() else { return Ok(()) };
        drop(requests);
        // Where it panicked, nobody knows how far it came.
        let panicked = |_| Err(DiskFailed("the thread that moves it panicked".to_owned()));
        thread.join().unwrap_or_else(panicked)
    }
}

impl Mover {
    /// On a connection of its own, and the file of its database. It leaves `word` where the disk fails.
    pub(crate) fn new(connection: Connection, file: File, word: Word) -> Self {
        Self { connection, file: ManuallyDrop::new(file), word }
    }

    /// With another file in the place of the database.
    #[cfg(test)]
    pub(crate) fn syncing(self, file: File) -> Self {
        Self::new(self.connection, file, self.word)
    }

    fn attend(&self, requested: &Receiver<()>, progress: &AtomicU8) -> Result<(), DiskFailed> {
        while requested.recv().is_ok() {
            let moved = (0..PASSES).try_for_each(|_| self.pass());
            // The writer hears of it when it has something to do, which may be late.
            moved.inspect_err(|_| self.word.leave())?;
            progress.store(MOVED, Ordering::Release);
        }
        Ok(())
    }

    fn pass(&self) -> Result<(), DiskFailed> {
        run(&self.connection, "passive")?;
        // The log is not reused before SQLite itself has synced what was moved out of it.
        self.file.sync_data().map_err(|error| DiskFailed(error.to_string()))
    }
}

/// Moves what can be moved. Where a full disk or somebody who reads is in the way, the log stays as it is.
///
/// # Errors
/// The disk failed.
pub(crate) fn run(connection: &Connection, how: &str) -> Result<(), DiskFailed> {
    let text = format!("pragma wal_checkpoint({how})");
    match connection.query_row(&text, [], |_| Ok(())) {
        Ok(()) => Ok(()),
        Err(error) if is_clean(&error) => {
            tracing::warn!(%error, how, "the write-ahead log was not moved into the database");
            Ok(())
        }
        Err(error) => Err(DiskFailed(error.to_string())),
    }
}

// The kernel tells of its locks on Linux.
#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::fs;
    use std::os::unix::fs::MetadataExt;
    use std::path::Path;

    use super::*;
    use crate::conformance::{Folder, at};
    use crate::sqlite::setup;

    /// Whether this process has a lock on the file, as the kernel has it.
    fn is_locked(path: &Path) -> bool {
        let (process, file) = (std::process::id().to_string(), fs::metadata(path).unwrap().ino());
        fs::read_to_string("/proc/locks").unwrap().lines().any(|lock| {
            let fields: Vec<_> = lock.split_whitespace().collect();
            fields[4] == process && fields[5].ends_with(&format!(":{file}"))
        })
    }

    #[test]
    fn the_log_is_moved_beside_the_writer_who_keeps_its_locks_on_the_file() {
        let folder = Folder::new();
        let path = folder.0.join("store.db");
        let writer = setup::writer(&path, at(1)).unwrap();
        let mut checkpoints = Checkpoints::start(setup::mover(&path).unwrap(), 1).unwrap();
        writer.pragma_update(None, "wal_autocheckpoint", 0).unwrap();
        writer.execute("create table bulk as select zeroblob(1 << 22)", []).unwrap();
        let size = fs::metadata(&path).unwrap().len();
        checkpoints.attend(&writer, 1).unwrap();
        // The thread ends when it is done with what it was asked for.
        checkpoints.end().unwrap();
        assert_eq!(checkpoints.progress.load(Ordering::Acquire), MOVED);
        assert!(fs::metadata(&path).unwrap().len() > size);
        assert!(is_locked(&path));
    }

    #[test]
    fn a_disk_that_fails_before_the_writer_hears_of_it_is_known_to_the_next_start() {
        let folder = Folder::new();
        let [database, path] = ["elsewhere.db", "store.db"].map(|name| folder.0.join(name));
        fs::File::create(&database).unwrap();
        std::os::unix::fs::symlink(&database, &path).unwrap();
        let writer = setup::writer(&path, at(1)).unwrap();
        // The kernel syncs no such file.
        let mover = setup::mover(&path).unwrap().syncing(File::open("/dev/null").unwrap());
        let mut checkpoints = Checkpoints::start(mover, 1).unwrap();
        checkpoints.attend(&writer, 1).unwrap();
        let Running { requests, thread } = checkpoints.running.take().unwrap();
        assert!(thread.join().unwrap().is_err());
        drop((requests, writer));
        let other = setup::reader(&path).unwrap();
        other.query_row("select count(*) from sqlite_schema", [], |_| Ok(())).unwrap();
        assert!(setup::writer(&path, at(2)).is_err());
        drop(other);
        setup::writer(&path, at(2)).unwrap();
    }

    #[test]
    fn a_lock_that_is_in_the_way_of_the_move_is_no_failure_of_the_disk() {
        let folder = Folder::new();
        let writer = setup::writer(&folder.0.join("store.db"), at(1)).unwrap();
        writer.execute_batch("begin immediate").unwrap();
        let refused = writer.query_row("pragma wal_checkpoint(passive)", [], |_| Ok(()));
        assert!(refused.unwrap_err().to_string().contains("locked"));
        run(&writer, "passive").unwrap();
    }

    #[test]
    fn a_log_that_cannot_be_read_is_told_from_one_that_somebody_uses() {
        let folder = Folder::new();
        let path = folder.0.join("store.db");
        let writer = setup::writer(&path, at(1)).unwrap();
        writer.execute("create table bulk as select zeroblob(1 << 22)", []).unwrap();
        let reader = setup::reader(&path).unwrap();
        reader.execute_batch("begin; select * from bulk").unwrap();
        writer.busy_timeout(std::time::Duration::ZERO).unwrap();
        writer.execute("update bulk set rowid = 2", []).unwrap();
        run(&writer, "truncate").unwrap();
        drop(reader);
        let log = fs::OpenOptions::new().write(true).open(folder.0.join("store.db-wal")).unwrap();
        log.set_len(log.metadata().unwrap().len() / 2).unwrap();
        let failed = run(&writer, "truncate").unwrap_err().to_string();
        assert!(failed.contains("disk I/O error"), "{failed}");
    }
}
