//! PostgreSQL: each thread has a connection of its own, by the crate `pg`.
//!
//! An owner's writes on this node all take the same connection, chosen by a hash of the owner, so
//! they never wait for each other's locks, and one busy owner cannot occupy every connection. Claiming
//! its deliveries has another one, and recording their results a third; these may wait for what has
//! deliveries begin again, as for another node.
//! What comes from other nodes is sorted out by the server: an owner's row is locked before its other
//! rows, and a transaction that stood in the way of another is run again.

mod connection;
mod failure;
mod line;
mod migrate;
mod multi_row_insert;
mod queue;
mod reader;
mod row_copy;
mod settings;
mod transaction;
mod values;
mod writer;

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use domain::ids::OwnerId;
use domain::time::Timestamp;
use pg::Config;

use self::connection::Link;
use self::queue::Queue;
use self::reader::Reads;
pub(crate) use self::row_copy::{copy_in, copy_out};
pub use self::settings::{Batch, Settings};
use crate::backend::{Backend, Lane, Metrics, Reading};
use crate::fault::{Fault, FaultKind, WriteError};
use crate::job::{Job, is_another_thread};
use crate::opening::{OnFatal, OpenError};
use crate::schema::Schema;
use crate::sql::Sql;

/// The server's clock, in microseconds since 1970.
static CLOCK: Sql =
    Sql::shared("select (extract(epoch from clock_timestamp()) * 1000000)::bigint as micros");

/// The engine: what waits, and the threads that serve it.
struct Postgres {
    lanes: Vec<Arc<Queue>>,
    reads: Arc<Reads>,
    threads: Mutex<Vec<JoinHandle<()>>>,
    on_fatal: OnFatal,
}

/// Connects, brings the schema up to date and starts the threads.
pub(crate) fn open(
    settings: &Settings,
    schema: &'static Schema,
    now: Timestamp,
    on_fatal: &OnFatal,
) -> Result<impl Backend + use<>, OpenError> {
    // Readers, too: on a server that follows another one a key that was revoked may still be good.
    let config = Arc::new(settings::config(settings)?.writable());
    let patient = Arc::new((*config).clone().answer_limit(None));
    let mut another = Link::new(Arc::clone(&config));
    on_a_thread(Link::new(patient), move |link| {
        migrate::run(link, schema, now)?;
        let proven = migrate::prove_session(&mut another, schema);
        another.forget();
        proven
    })?;
    let mut engine = Postgres::idle(on_fatal);
    for number in 0..settings.connections.max(1) {
        let queue = Arc::new(Queue::default());
        engine.lanes.push(Arc::clone(&queue));
        let batch = settings.batch;
        let mut link = Link::new(Arc::clone(&config));
        let serve = move || writer::serve(&queue, &mut link, batch, schema.hold_owner);
        engine.start(format!("pg-write-{number}"), serve)?;
    }
    engine.start_readers(settings.readers.max(1), settings::read_only(&config))?;
    Ok(engine)
}

/// Connects to read alone, by one session that cannot write and has all the time it needs.
pub(crate) fn open_to_read(
    settings: &Settings,
    schema: &'static Schema,
    on_fatal: &OnFatal,
) -> Result<impl Backend + use<>, OpenError> {
    let config = settings::config(settings)?;
    let config = settings::without_time_limit(&settings::read_only(&config));
    on_a_thread(Link::new(Arc::new(config.clone())), move |link| migrate::check(link, schema))?;
    let mut engine = Postgres::idle(on_fatal);
    engine.start_readers(1, config)?;
    Ok(engine)
}

/// On a thread of its own, since the caller that opens the store may be inside a runtime already.
fn on_a_thread(
    mut link: Link,
    look: impl FnOnce(&mut Link) -> Result<(), OpenError> + Send + 'static,
) -> Result<(), OpenError> {
    let run = move || {
        let result = look(&mut link);
        link.forget();
        result
    };
    let ended = thread::Builder::new().name("pg-schema".to_owned()).spawn(run)?.join();
    ended.unwrap_or_else(|_| {
        Err(Fault::new(FaultKind::Panicked, "reading the schema panicked").into())
    })
}

impl Postgres {
    /// An engine without threads.
    fn idle(on_fatal: &OnFatal) -> Self {
        Self {
            lanes: Vec::new(),
            reads: Arc::default(),
            threads: Mutex::default(),
            on_fatal: on_fatal.clone(),
        }
    }

    fn start_readers(&mut self, count: usize, config: Config) -> Result<(), OpenError> {
        let config = Arc::new(config);
        for number in 0..count {
            let reads = Arc::clone(&self.reads);
            let mut link = Link::new(Arc::clone(&config));
            self.start(format!("pg-read-{number}"), move || reader::serve(&reads, &mut link))?;
        }
        Ok(())
    }

    fn start(&mut self, name: String, serve: impl FnOnce() + Send + 'static) -> io::Result<()> {
        let on_fatal = self.on_fatal.clone();
        let run = move || {
            // Jobs catch their own panics. One of the engine itself would leave a queue that
            // nobody serves.
            if catch_unwind(AssertUnwindSafe(serve)).is_err() {
                on_fatal.call("a database thread panicked");
            }
        };
        let thread = thread::Builder::new().name(name).spawn(run)?;
        self.threads.get_mut().unwrap_or_else(PoisonError::into_inner).push(thread);
        Ok(())
    }
}

impl Backend for Postgres {
    fn write(&self, lane: Lane, job: Box<dyn Job>) -> Result<(), WriteError> {
        if self.lanes.is_empty() {
            let fault = Fault::broken("the store is open read-only");
            return Err(WriteError::Fault(fault));
        }
        self.lanes[place(job.owner(), lane, self.lanes.len())].push(lane, job)
    }

    fn read(&self, reading: Reading, job: Box<dyn Job>) {
        self.reads.push(reading, job);
    }

    fn metrics(&self) -> Metrics {
        let reads = self.reads.0.waiting();
        let mut metrics = Metrics { reads, ..Metrics::default() };
        for queue in &self.lanes {
            queue.count(&mut metrics);
        }
        metrics
    }

    fn clock(&self) -> Option<&'static Sql> {
        Some(&CLOCK)
    }

    fn shutdown(&self) {
        for queue in &self.lanes {
            queue.close();
        }
        self.reads.0.close();
        let threads =
            std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        for thread in threads.into_iter().filter(is_another_thread) {
            if thread.join().is_err() {
                tracing::error!("a database thread had panicked");
            }
        }
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        self.shutdown();
    }
}

/// Which connection writes for `owner`: always the same one, but another to claim its deliveries and
/// another to record their results, of two the same other one; and the first for what is nobody's.
fn place(owner: Option<OwnerId>, lane: Lane, connections: usize) -> usize {
    // FNV-1a: stable, and good enough to spread random ids.
    let hash = |bytes: [u8; 16]| {
        bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
        })
    };
    let first = owner.map_or(0, |owner| (hash(owner.to_bytes()) % connections as u64) as usize);
    match lane {
        Lane::Recording => (first + connections / 2) % connections,
        Lane::Claiming => (first + connections * 3 / 4) % connections,
        Lane::Admission | Lane::Completion | Lane::Maintenance => first,
    }
}

#[cfg(test)]
mod tests;
