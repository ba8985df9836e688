//! Checkpoints the write-ahead log (WAL) beside the writer instead of in its way.
//!
//! A WAL starts over only once all of it has been checkpointed, and while the writer goes on there is no such
//! moment. So a thread with a connection of its own checkpoints the bulk, and the writer then checkpoints the
//! little that was written meanwhile. Where a reader holds the WAL, the writer does nothing, and the thread tries again
//! now and then: nobody waits for a reader for longer than a commit may take. It does so, too, where the WAL has become
//! long, since a store to which nobody writes any more is to see that it can start over.
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
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rusqlite::{Connection, Row};

use crate::sqlite::connection::BUSY_LIMIT;
use crate::sqlite::crash_marker::CrashMarker;
use crate::sqlite::transaction::is_clean;
use crate::sqlite::wal_hold::{HoldWatch, Pass, RESTART_FACTOR};

/// How long the writer waits for them: as long as a slow commit takes. Our own reads of a few points are over by then.
const RESTART_LIMIT: Duration = Duration::from_millis(20);

/// Part of the length at which the WAL is checkpointed that may be left to the writer.
const REST_PART: u32 = 8;

/// How long the thread waits where a reader holds the WAL, or it is long. Most are reads of our own, and over soon.
const HELD_INTERVAL: Duration = Duration::from_secs(1);

/// How often the thread checkpoints and syncs before it leaves the rest to the writer: the second pass copies what was
/// written during the first, which takes longest.
const PASSES: u32 = 2;

/// No checkpoint is under way.
const IDLE: u8 = 0;
/// The thread checkpoints the bulk.
const RUNNING: u8 = 1;
/// The thread is done; the rest is the writer's.
const DONE: u8 = 2;
/// Something keeps much of the WAL from being checkpointed. The thread tries again by itself.
const HELD: u8 = 3;
/// The writer does its part of a checkpoint. The thread does nothing meanwhile: of two that sync the database at once, one
/// may be told that the disk failed and the other not.
const FINISHING: u8 = 4;

/// The disk failed during a checkpoint. All of the WAL has to be checkpointed again, by another process.
#[derive(Debug)]
pub(crate) struct DiskFailed(String);

impl fmt::Display for DiskFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the WAL checkpoint failed: {}", self.0)
    }
}

/// Result of a checkpoint, where the disk did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Checkpointed {
    /// It came so far.
    To(Pass),
    /// Another process has the lock that a checkpoint takes.
    Locked,
    /// A full disk or the like was in the way, which was logged.
    Nothing,
}

/// The checkpoint thread as the writer has it.
pub(crate) struct Checkpoints {
    running: Option<Running>,
    progress: Arc<AtomicU8>,
    /// The length of the WAL, in pages, after the writer's latest batch.
    wal_pages: Arc<AtomicU32>,
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
    /// Starts the thread, to checkpoint the WAL whenever it has so many pages; `watch` sees how far it comes.
    pub(crate) fn start(
        thread: CheckpointThread,
        threshold_pages: u32,
        watch: HoldWatch,
    ) -> std::io::Result<Self> {
        let (requests, requested) = sync_channel(1);
        let progress = Arc::new(AtomicU8::new(IDLE));
        let wal_pages = Arc::new(AtomicU32::new(0));
        let work = Work {
            thread,
            watch,
            rest_pages: threshold_pages / REST_PART,
            progress: Arc::clone(&progress),
            wal_pages: Arc::clone(&wal_pages),
        };
        let thread = thread::Builder::new()
            .name("store-checkpoint".to_owned())
            .spawn(move || work.run(&requested))?;
        let running = Some(Running { requests, thread });
        Ok(Self { running, progress, wal_pages, threshold_pages })
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
        self.wal_pages.store(wal_pages, Ordering::Relaxed);
        match self.progress.load(Ordering::Acquire) {
            IDLE if wal_pages >= self.threshold_pages => {
                // The thread may have begun by itself just now.
                if turn(&self.progress, IDLE, RUNNING)
                    && let Some(running) = &self.running
                {
                    // There is room for one, and none is under way. That the thread is gone is seen when it does
                    // not get on.
                    let _ = running.requests.try_send(());
                }
                Ok(())
            }
            RUNNING | HELD
                if self.running.as_ref().is_some_and(|running| running.thread.is_finished()) =>
            {
                self.stop()
            }
            DONE if turn(&self.progress, DONE, FINISHING) => {
                self.finish(writer, wal_pages)?;
                self.progress.store(IDLE, Ordering::Release);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Checkpoints what the thread has left.
    fn finish(&self, writer: &Connection, wal_pages: u32) -> Result<(), DiskFailed> {
        if wal_pages >= RESTART_FACTOR.saturating_mul(self.threshold_pages) {
            return restart(writer, RESTART_LIMIT).map(drop);
        }
        checkpoint(writer, "passive").map(drop)
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

    fn pass(&self) -> Result<Checkpointed, DiskFailed> {
        let checkpointed = checkpoint(&self.connection, "passive")?;
        // The WAL is not reused before SQLite itself has synced what was copied out of it.
        self.file.sync_data().map_err(|error| DiskFailed(error.to_string()))?;
        Ok(checkpointed)
    }

    /// Makes the WAL start over with the next write, unless somebody reads in it just now; answers whether it will.
    fn starts_over(&self) -> Result<bool, DiskFailed> {
        restart(&self.connection, Duration::ZERO)
    }
}

/// The thread at work.
struct Work {
    thread: CheckpointThread,
    watch: HoldWatch,
    /// How many pages may be left to the writer.
    rest_pages: u32,
    progress: Arc<AtomicU8>,
    /// The length of the WAL as the writer has it.
    wal_pages: Arc<AtomicU32>,
}

impl Work {
    fn run(mut self, requested: &Receiver<()>) -> Result<(), DiskFailed> {
        while self.is_wanted(requested) {
            let outcome = self.checkpoint();
            // The writer learns of it when it has something to do, which may be late.
            let is_done = outcome.inspect_err(|_| self.thread.crash_marker.create())?;
            self.progress.store(if is_done { DONE } else { HELD }, Ordering::Release);
        }
        Ok(())
    }

    /// Waits until there is something to do; answers false where the store is closed instead.
    fn is_wanted(&self, requested: &Receiver<()>) -> bool {
        // The end of a hold is to be seen, too, where nobody writes and so nothing is asked.
        while self.progress.load(Ordering::Acquire) == HELD || self.watch.has_noted_length() {
            match requested.recv_timeout(HELD_INTERVAL) {
                Ok(()) => return true,
                Err(RecvTimeoutError::Disconnected) => return false,
                Err(RecvTimeoutError::Timeout) if self.begins() => return true,
                // The writer is at it, or is about to ask.
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
        requested.recv().is_ok()
    }

    /// Begins without having been asked; answers whether it may.
    fn begins(&self) -> bool {
        let is_held = self.progress.load(Ordering::Acquire) == HELD;
        is_held || [IDLE, DONE].into_iter().any(|from| turn(&self.progress, from, RUNNING))
    }

    /// Checkpoints what can be; answers whether the rest is little enough for the writer.
    #[expect(clippy::disallowed_methods, reason = "the store times what is in its own way")]
    fn checkpoint(&mut self) -> Result<bool, DiskFailed> {
        let mut pages = 0;
        for _ in 0..PASSES {
            let pass = match self.thread.pass()? {
                Checkpointed::To(pass) => pass,
                Checkpointed::Locked => {
                    let pages = self.wal_pages.load(Ordering::Relaxed);
                    self.watch.note_lock(pages, Instant::now());
                    return Ok(false);
                }
                Checkpointed::Nothing => return Ok(false),
            };
            // What is written during the pass is not counted in it.
            if pass.rest() > self.rest_pages {
                self.watch.note_stop(pass, Instant::now());
                return Ok(false);
            }
            pages = pass.log;
        }
        if self.watch.is_long(pages) && !self.thread.starts_over()? {
            self.watch.note_long(pages, Instant::now());
        } else {
            self.watch.note_end();
        }
        Ok(true)
    }
}

/// Turns the progress from one state into another, unless it is a third one by now; answers whether it did.
fn turn(progress: &AtomicU8, from: u8, to: u8) -> bool {
    progress.compare_exchange(from, to, Ordering::AcqRel, Ordering::Acquire).is_ok()
}

/// Checkpoints the rest, and waits so long for readers to be done with the WAL, so that it starts over; answers whether it
/// does. Readers that never pause would otherwise keep it from that.
///
/// # Errors
/// The disk failed.
fn restart(connection: &Connection, limit: Duration) -> Result<bool, DiskFailed> {
    // It sets a number in memory, which cannot fail.
    drop(connection.busy_timeout(limit));
    let restarted = checkpoint(connection, "restart");
    drop(connection.busy_timeout(BUSY_LIMIT));
    Ok(matches!(restarted?, Checkpointed::To(pass) if !pass.was_blocked))
}

/// Checkpoints what can be. Where a full disk or a lock is in the way, the WAL stays as it is.
///
/// # Errors
/// The disk failed.
pub(crate) fn checkpoint(connection: &Connection, mode: &str) -> Result<Checkpointed, DiskFailed> {
    let text = format!("pragma wal_checkpoint({mode})");
    let read = |row: &Row<'_>| -> rusqlite::Result<_> {
        let was_blocked = row.get(0)?;
        let [log, checkpointed] = [row.get::<_, i64>(1)?, row.get(2)?].map(u32::try_from);
        // Both are -1 where somebody else has the lock.
        let Some((log, checkpointed)) = log.ok().zip(checkpointed.ok()) else {
            return Ok(Checkpointed::Locked);
        };
        Ok(Checkpointed::To(Pass { log, checkpointed, was_blocked }))
    };
    match connection.query_row(&text, [], read) {
        Ok(checkpointed) => Ok(checkpointed),
        Err(error) if is_clean(&error) => {
            tracing::warn!(%error, mode, "the WAL was not checkpointed");
            Ok(Checkpointed::Nothing)
        }
        Err(error) => Err(DiskFailed(error.to_string())),
    }
}

// On Linux the kernel lists its locks.
#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests;
