//! The one thread that writes. Whatever waits when it is free goes into one transaction, so that
//! one sync of the disk serves them all. Nobody is answered before that sync.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use rusqlite::Connection;

use crate::auth_cache::AuthCache;
use crate::fault::{Fault, FaultKind};
use crate::job::{End, Job};
use crate::opening::OnFatal;
use crate::sqlite::checkpoint::{self, Checkpoints};
use crate::sqlite::connection::fault;
use crate::sqlite::crash_marker::CrashMarker;
use crate::sqlite::queue::Queue;
use crate::sqlite::transaction::{self, Isolation, Spoilt, Trouble};

/// The writer's side of the queue.
pub(crate) struct Writer {
    connection: Connection,
    crash_marker: CrashMarker,
    queue: Arc<Queue>,
    /// Invalidated before a commit that touches authentication can be seen.
    auth_cache: Arc<AuthCache>,
    on_fatal: OnFatal,
    /// The length of the WAL after the latest commit, kept by SQLite's own hook.
    wal_pages: Arc<AtomicU32>,
    checkpoints: Checkpoints,
    /// A commit was lost, a checkpoint failed, or something panicked: nothing may be written any more.
    has_failed: bool,
    #[cfg(test)]
    faults: super::fault_injection::FaultInjection,
}

impl Writer {
    pub(crate) fn new(
        mut connection: Connection,
        crash_marker: CrashMarker,
        checkpoints: Checkpoints,
        queue: Arc<Queue>,
        auth_cache: Arc<AuthCache>,
        on_fatal: OnFatal,
        #[cfg(test)] faults: super::fault_injection::FaultInjection,
    ) -> Result<Self, Fault> {
        #[cfg(test)]
        if let Some(prepare) = faults.prepare {
            prepare(&mut connection);
        }
        let wal_pages = Arc::new(AtomicU32::new(0));
        let seen = Arc::clone(&wal_pages);
        // The hook takes the place of SQLite's automatic checkpoint, which would make the batch
        // that happens to reach the limit wait for it.
        connection
            .wal_hook(Some(move |_: &mut rusqlite::hooks::Wal, pages| {
                seen.store(u32::try_from(pages).unwrap_or(0), Ordering::Relaxed);
                Ok(())
            }))
            .map_err(|error| fault("the WAL hook", error))?;
        Ok(Self {
            connection,
            crash_marker,
            queue,
            auth_cache,
            on_fatal,
            wal_pages,
            checkpoints,
            has_failed: false,
            #[cfg(test)]
            faults,
        })
    }

    /// Writes until the queue is closed and empty.
    pub(crate) fn run(mut self) {
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            while let Some(batch) = self.queue.take() {
                self.settle(batch);
                self.checkpoint();
            }
        }));
        if outcome.is_err() {
            // Waiting callers learn that the outcome is unknown, since the jobs are dropped.
            self.end("the writer panicked");
            while self.queue.take().is_some() {}
        }
        let checkpointed = self.checkpoints.stop();
        if self.has_failed {
            return;
        }
        // A stopped service leaves all in the database. Where another process still reads, the WAL stays, and nothing
        // is lost.
        let truncate = || checkpoint::checkpoint(&self.connection, "truncate");
        if let Err(error) = checkpointed.and_then(|()| truncate()) {
            self.end(&error.to_string());
        }
    }

    /// Begins or finishes a checkpoint of the WAL, if it is long. After a failure the WAL stays as it is.
    fn checkpoint(&mut self) {
        if self.has_failed {
            return;
        }
        let pages = self.wal_pages.load(Ordering::Relaxed);
        if let Err(error) = self.checkpoints.after_batch(&self.connection, pages) {
            self.end(&error.to_string());
        }
    }

    /// Brings a batch to its end: together if all goes well, else kept apart by savepoints, and if
    /// the transaction does not survive that either, one by one.
    fn settle(&mut self, mut batch: Vec<Box<dyn Job>>) {
        if self.has_failed {
            return refuse(batch, || {
                Fault::new(FaultKind::Unavailable, "the store has failed and is shutting down")
            });
        }
        let mut outcome = self.attempt(&mut batch, Isolation::Shared);
        if batch.len() > 1 && matches!(outcome, Err(Trouble::Undone(_))) {
            outcome = self.attempt(&mut batch, Isolation::Savepoints);
        }
        match outcome {
            Ok(spoilt) => transaction::finish(batch, spoilt),
            Err(Trouble::Begin(error)) => {
                // Every further try would wait as long, so the whole batch is refused at once.
                let text = error.to_string();
                let refusal = fault("the beginning of a transaction", error);
                let kind = refusal.kind();
                refuse(batch, || Fault::new(kind, format!("no transaction can begin: {text}")));
            }
            Err(Trouble::Undone(fault)) => match batch.len() {
                0 | 1 => {
                    if let Some(job) = batch.pop() {
                        job.finish(End::Failed(fault));
                    }
                }
                // One of them spoils it for all: alone, each gets its own answer.
                _ => batch.into_iter().for_each(|job| self.settle(vec![job])),
            },
            Err(Trouble::Lost(error)) => {
                self.end(&format!("a commit failed: {error}"));
                batch.into_iter().for_each(|job| job.finish(End::Unknown));
            }
        }
    }

    fn attempt(&self, jobs: &mut [Box<dyn Job>], how: Isolation) -> Result<Spoilt, Trouble> {
        transaction::attempt(&self.connection, jobs, how, |connection, jobs| {
            let commit = || self.commit(connection);
            if jobs.iter().any(|job| job.touches_auth_tables()) {
                self.auth_cache.during_commit(commit)
            } else {
                commit()
            }
        })
    }

    #[cfg(not(test))]
    fn commit(&self, connection: &Connection) -> rusqlite::Result<()> {
        transaction::commit(connection)
    }

    #[cfg(test)]
    fn commit(&self, connection: &Connection) -> rusqlite::Result<()> {
        self.faults.commit(connection)
    }

    /// Stops all writing and asks for the end of the process.
    fn end(&mut self, reason: &str) {
        self.has_failed = true;
        self.crash_marker.create();
        self.queue.close();
        self.on_fatal.call(reason);
    }
}

/// Answers every job of a batch that was not run.
fn refuse(batch: Vec<Box<dyn Job>>, fault: impl Fn() -> Fault) {
    for job in batch {
        job.finish(End::Failed(fault()));
    }
}
