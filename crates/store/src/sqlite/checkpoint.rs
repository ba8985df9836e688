//! Moving the write-ahead log into the database file, beside the writer instead of in its way.
//!
//! A log can start afresh only at a moment when all of it has been moved, and while the writer
//! goes on there is no such moment. So a thread with a connection of its own moves the bulk, and
//! the writer then moves the little that was written meanwhile.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

use rusqlite::Connection;

/// How many times the length at which it is moved, before the writer waits for readers so that the log can start afresh.
const PATIENCE: u32 = 8;

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

impl Checkpoints {
    /// Starts the thread on a `connection` of its own, to move the log whenever it has so many `pages`.
    pub(crate) fn start(connection: Connection, pages: u32) -> std::io::Result<Self> {
        let (requests, requested) = sync_channel(1);
        let progress = Arc::new(AtomicU8::new(IDLE));
        let told = Arc::clone(&progress);
        let thread = thread::Builder::new()
            .name("store-checkpoint".to_owned())
            .spawn(move || attend(&connection, &requested, &told))?;
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

fn attend(connection: &Connection, requested: &Receiver<()>, progress: &AtomicU8) {
    while requested.recv().is_ok() {
        run(connection, "passive");
        progress.store(MOVED, Ordering::Release);
    }
}

/// Moves what can be moved.
pub(crate) fn run(connection: &Connection, how: &str) {
    let text = format!("pragma wal_checkpoint({how})");
    if let Err(error) = connection.query_row(&text, [], |_| Ok(())) {
        tracing::warn!(%error, how, "the write-ahead log was not moved into the database");
    }
}
