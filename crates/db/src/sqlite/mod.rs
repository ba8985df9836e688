//! The engine in the same process: one file, one thread that writes, and several that read.

mod checkpoint;
pub(crate) mod connection;
mod crash_marker;
#[cfg(test)]
pub(crate) mod fault_injection;
pub(crate) mod integrity;
mod queue;
pub(crate) mod readers;
mod room;
pub(crate) mod row_copy;
pub(crate) mod setup;
pub(crate) mod transaction;
mod wal_hold;
mod writer;

pub use self::connection::text;
pub use self::setup::in_memory;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use domain::time::Timestamp;

use crate::auth_cache::{self, AuthCache};
use crate::backend::{Backend, Lane, Metrics, Reading};
use crate::fault::{Obstacle, WriteError};
use crate::job::{Job, is_another_thread};
use crate::opening::{OnFatal, OpenError};
use crate::schema::Schema;
use crate::sqlite::checkpoint::Checkpoints;
use crate::sqlite::crash_marker::CrashMarker;
use crate::sqlite::queue::Queue;
use crate::sqlite::readers::{Pool, Reads};
use crate::sqlite::wal_hold::{HoldWatch, RESTART_FACTOR, WalHold};
use crate::sqlite::writer::Writer;

/// How many writes may wait in the admission lane unless the settings say otherwise.
const ADMISSION_MAX: usize = 4096;

/// How long a read may take unless the settings say otherwise.
const READ_LIMIT: Duration = Duration::from_secs(2);

/// How long the WAL may become while something keeps it from starting over, unless the settings say otherwise: 32 times the
/// length at which it is checkpointed. Each page that is read is looked for in all of the WAL, and a start after a crash
/// reads all of it.
const WAL_BYTES_MAX: u64 = 4 << 30;

/// Which file, and how much at once.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The database file; made where there is none.
    pub path: PathBuf,
    /// How many writes may wait in the admission lane before more are refused.
    pub admission_max: usize,
    /// How many threads read snapshots.
    pub readers: usize,
    /// How many look-ups run at once on their callers' threads.
    pub look_ups: usize,
    /// How long a read may take, waiting included: an open snapshot keeps the WAL from being reset.
    pub read_limit: Duration,
    /// How long a cached authentication answer is used at most: for as long as a change of the file by hand may go
    /// unseen.
    pub auth_cache_max_age: Duration,
    /// How long the WAL may become while something keeps it from starting over, before that is an obstacle.
    pub wal_bytes_max: u64,
    /// Whether a commit is on the disk before it is answered. Only a test whose machine does not fail may omit it.
    pub syncs: bool,
    /// Failures for tests.
    #[cfg(test)]
    pub(crate) faults: fault_injection::FaultInjection,
}

impl Settings {
    /// The settings for a file, with as many readers as the machine has cores.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        let cores = thread::available_parallelism().map_or(2, usize::from);
        Self {
            path: path.into(),
            admission_max: ADMISSION_MAX,
            readers: cores,
            look_ups: 2 * cores,
            read_limit: READ_LIMIT,
            auth_cache_max_age: auth_cache::MAX_AGE,
            wal_bytes_max: WAL_BYTES_MAX,
            syncs: true,
            #[cfg(test)]
            faults: fault_injection::FaultInjection::default(),
        }
    }
}

/// The running engine.
pub(crate) struct Sqlite {
    queue: Arc<Queue>,
    reads: Arc<Reads>,
    pool: Pool,
    auth_cache: Arc<AuthCache>,
    wal: PathBuf,
    wal_hold: Arc<WalHold>,
    wal_bytes_max: u64,
    /// How long the WAL is at most before the writer waits for readers.
    wal_bytes_unwaited: u64,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

/// Opens the file, brings its schema up to date and starts the threads.
pub(crate) fn open(
    settings: &Settings,
    schema: &Schema,
    now: Timestamp,
    on_fatal: &OnFatal,
) -> Result<Sqlite, OpenError> {
    let path = settings.path.as_path();
    let connection = setup::writer(path, schema, now)?;
    if !settings.syncs {
        setup::do_without_syncs(&connection)?;
    }
    let thread = setup::checkpoint_thread(path)?;
    let page_bytes = setup::page_bytes(&connection)?;
    let threshold_pages = setup::checkpoint_pages(page_bytes);
    #[cfg(test)]
    let (thread, threshold_pages) = settings.faults.checkpoint_thread(thread, threshold_pages);
    let wal_hold = Arc::new(WalHold::default());
    let watch =
        HoldWatch::new(Arc::clone(&wal_hold), page_bytes, threshold_pages, settings.read_limit);
    let queue = Arc::new(Queue::new(settings.admission_max));
    let auth_cache = Arc::new(AuthCache::new(settings.auth_cache_max_age));
    let writer = Writer::new(
        connection,
        CrashMarker::beside(path),
        Checkpoints::start(thread, threshold_pages, watch)?,
        Arc::clone(&queue),
        Arc::clone(&auth_cache),
        on_fatal.clone(),
        #[cfg(test)]
        settings.faults.clone(),
    )?;
    let look_ups = (0..settings.look_ups).map(|_| setup::reader(path));
    let engine = Sqlite {
        queue,
        reads: Arc::new(Reads::default()),
        pool: Pool::new(look_ups.collect::<Result<_, _>>()?),
        auth_cache,
        wal: wal_of(path),
        wal_hold,
        wal_bytes_max: settings.wal_bytes_max,
        wal_bytes_unwaited: u64::from(RESTART_FACTOR)
            * u64::from(threshold_pages)
            * u64::from(page_bytes),
        threads: Mutex::default(),
    };
    // From here on an error drops the engine, which ends the threads begun so far.
    engine.start("store-writer".to_owned(), || writer.run())?;
    for number in 0..settings.readers {
        let connection = setup::reader(path)?;
        let (reads, limit) = (Arc::clone(&engine.reads), settings.read_limit);
        engine.start(format!("store-reader-{number}"), move || {
            readers::run(connection, &reads, limit);
        })?;
    }
    Ok(engine)
}

impl Sqlite {
    fn start(&self, name: String, run: impl FnOnce() + Send + 'static) -> Result<(), OpenError> {
        let thread = thread::Builder::new().name(name).spawn(run)?;
        self.threads.lock().unwrap_or_else(PoisonError::into_inner).push(thread);
        Ok(())
    }
}

impl Backend for Sqlite {
    fn write(&self, lane: Lane, job: Box<dyn Job>) -> Result<(), WriteError> {
        self.queue.push(lane, job)
    }

    fn read(&self, reading: Reading, job: Box<dyn Job>) {
        let rest = match reading {
            Reading::Points => self.pool.run(job),
            Reading::Snapshot => Err(job),
        };
        if let Err(job) = rest {
            self.reads.push(reading, job);
        }
    }

    fn auth_cache(&self) -> Option<&AuthCache> {
        Some(&self.auth_cache)
    }

    fn metrics(&self) -> Metrics {
        let lengths = self.queue.lengths();
        let count = |length| u64::try_from(length).unwrap_or(u64::MAX);
        Metrics {
            admission: count(lengths.admission),
            completion: count(lengths.completion),
            maintenance: count(lengths.maintenance),
            reads: count(self.reads.len()),
            wal_bytes: self.wal.metadata().map_or(0, |wal| wal.len()),
        }
    }

    fn obstacle(&self) -> Option<Obstacle> {
        let (bytes, max, obstacle) = match self.wal_hold.bytes() {
            Some(held) => (held, self.wal_bytes_max, Obstacle::HeldWal),
            None => {
                // Below that nobody has done anything about it yet.
                let max = self.wal_bytes_max.max(self.wal_bytes_unwaited);
                (self.wal_hold.long_bytes()?, max, Obstacle::LongWal)
            }
        };
        let is_obstacle = bytes >= max || room::is_short(bytes, room::free(&self.wal));
        is_obstacle.then_some(obstacle)
    }

    fn shutdown(&self) {
        self.queue.close();
        self.reads.close();
        let threads =
            std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        for thread in threads.into_iter().filter(is_another_thread) {
            // A thread that panicked has said so itself.
            drop(thread.join());
        }
        self.pool.close();
    }
}

impl Drop for Sqlite {
    fn drop(&mut self) {
        self.shutdown();
    }
}

/// Returns the path where SQLite keeps the write-ahead log of a database.
fn wal_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push("-wal");
    name.into()
}

#[cfg(test)]
mod tests;
