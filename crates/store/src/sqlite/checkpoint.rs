//! Moving the write-ahead log into the database file, beside the writer instead of in its way.
//!
//! A log can start afresh only at a moment when all of it has been moved, and while the writer
//! goes on there is no such moment. So a thread with a connection of its own moves the bulk, and
//! the writer then moves the little that was written meanwhile.
//!
//! SQLite syncs the database only where it has reached the log's end: that would be the writer, for all that the
//! thread has moved. So the thread syncs it, and the writer's sync finds little left.

use std::fs::File;
use std::mem::ManuallyDrop;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

use rusqlite::Connection;

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

/// The thread that moves the bulk, in the writer's hands.
pub(crate) struct Checkpoints {
    requests: SyncSender<()>,
    progress: Arc<AtomicU8>,
    thread: JoinHandle<()>,
    /// The length of the log, in pages, at which it is moved.
    pages: u32,
}

/// What moves the log beside the writer.
pub(crate) struct Mover {
    connection: Connection,
    /// The database file. Never closed: whoever closes any descriptor of a file gives up all locks that the
    /// process has on it, those of SQLite's connections among them, and another process that then believes itself
    /// alone with the database would delete the log.
    file: ManuallyDrop<File>,
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
        Ok(Self { requests, progress, thread, pages })
    }

    /// What the writer does after each batch, the log being so many pages long.
    pub(crate) fn attend(&self, writer: &Connection, log_pages: u32) {
        if self.progress.load(Ordering::Acquire) == MOVED {
            self.progress.store(IDLE, Ordering::Release);
            // Readers that never pause keep the log from starting afresh. Each is bounded, so
            // waiting for them is bounded too.
            let is_long = log_pages >= PATIENCE * self.pages;
            run(writer, if is_long { "restart" } else { "passive" });
        } else if log_pages >= self.pages
            && self.progress.compare_exchange(IDLE, MOVING, Ordering::AcqRel, Ordering::Relaxed)
                == Ok(IDLE)
        {
            // Without the thread, all of it is the writer's.
            if self.requests.try_send(()).is_err() {
                self.progress.store(MOVED, Ordering::Release);
            }
        }
    }

    /// Ends the thread, once it is done with what it does.
    pub(crate) fn end(self) {
        drop(self.requests);
        // A thread that panicked has said so itself.
        drop(self.thread.join());
    }
}

impl Mover {
    /// On a connection of its own, and the file of its database.
    pub(crate) fn new(connection: Connection, file: File) -> Self {
        Self { connection, file: ManuallyDrop::new(file) }
    }

    fn attend(&self, requested: &Receiver<()>, progress: &AtomicU8) {
        while requested.recv().is_ok() {
            for _ in 0..PASSES {
                run(&self.connection, "passive");
                // The log is not reused before SQLite itself has synced what was moved out of it.
                if let Err(error) = self.file.sync_data() {
                    tracing::warn!(%error, "the database file was not synced ahead of its checkpoint");
                }
            }
            progress.store(MOVED, Ordering::Release);
        }
    }
}

/// Moves what can be moved.
pub(crate) fn run(connection: &Connection, how: &str) {
    let text = format!("pragma wal_checkpoint({how})");
    if let Err(error) = connection.query_row(&text, [], |_| Ok(())) {
        tracing::warn!(%error, how, "the write-ahead log was not moved into the database");
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
        let checkpoints = Checkpoints::start(setup::mover(&path).unwrap(), 1).unwrap();
        writer.pragma_update(None, "wal_autocheckpoint", 0).unwrap();
        writer.execute("create table bulk as select zeroblob(1 << 22)", []).unwrap();
        let size = fs::metadata(&path).unwrap().len();
        checkpoints.attend(&writer, 1);
        let progress = Arc::clone(&checkpoints.progress);
        // The thread ends when it is done with what it was asked for.
        checkpoints.end();
        assert_eq!(progress.load(Ordering::Acquire), MOVED);
        assert!(fs::metadata(&path).unwrap().len() > size);
        assert!(is_locked(&path));
    }
}
