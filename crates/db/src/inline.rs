//! The engine without threads: every closure on its caller's thread, on a database in memory or on
//! one that is only read.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;

use crate::backend::{Backend, Lane, Metrics, Reading};
use crate::fault::{Fault, FaultKind, WriteError};
use crate::job::{End, Job};
use crate::opening::OpenError;
use crate::schema::Schema;
use crate::sqlite::connection::fault;
use crate::sqlite::transaction::{self, Isolation, Trouble};
use crate::sqlite::{integrity, readers, setup};

/// Mishap of a write of a [`Store`](crate::Store) that is simulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mishap {
    /// Its commit fails, and it is rolled back.
    Fails,
    /// It is rolled back, and nobody can say so.
    IsLost,
    /// It is applied, and nobody can say so.
    IsAppliedAndLost,
}

/// Source of the mishap of the next write, if it meets one.
pub(crate) type Next = Box<dyn Fn() -> Option<Mishap> + Send + Sync>;

/// The engine.
pub(crate) struct Inline {
    /// Until it is closed.
    database: Mutex<Option<Connection>>,
    next: Next,
}

/// Makes an empty database, whose writes meet what `next` says.
pub(crate) fn open(schema: &Schema, next: Next) -> Result<Inline, OpenError> {
    Ok(Inline { database: Mutex::new(Some(setup::in_memory(schema)?)), next })
}

/// Opens a database that another process may be working on, to read alone and without a time limit.
pub(crate) fn open_to_read(path: &Path, schema: &Schema) -> Result<Inline, OpenError> {
    Ok(Inline {
        database: Mutex::new(Some(setup::auditor(path, schema)?)),
        next: Box::new(|| None),
    })
}

impl Inline {
    /// Runs a job by `run` and answers it.
    fn settle(&self, mut job: Box<dyn Job>, run: impl Fn(&Connection, &mut Box<dyn Job>) -> End) {
        let database = self.lock();
        let end = database.as_ref().map_or_else(
            || End::Failed(Fault::new(FaultKind::Unavailable, "the store is closed")),
            |connection| run(connection, &mut job),
        );
        // Answered without the lock, since the caller that is woken may ask again at once.
        drop(database);
        job.finish(end);
    }

    fn lock(&self) -> MutexGuard<'_, Option<Connection>> {
        self.database.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Backend for Inline {
    fn write(&self, _: Lane, job: Box<dyn Job>) -> Result<(), WriteError> {
        let mishap = (self.next)();
        self.settle(job, |connection, job| write(connection, job, mishap));
        Ok(())
    }

    fn read(&self, _: Reading, job: Box<dyn Job>) {
        self.settle(job, read);
    }

    fn check_integrity(&self) -> Result<Vec<String>, Fault> {
        let database = self.lock();
        let closed = || Fault::new(FaultKind::Unavailable, "the store is closed");
        integrity::check(database.as_ref().ok_or_else(closed)?)
    }

    fn metrics(&self) -> Metrics {
        Metrics::default()
    }

    fn shutdown(&self) {
        self.lock().take();
    }
}

fn write(connection: &Connection, job: &mut Box<dyn Job>, mishap: Option<Mishap>) -> End {
    let jobs = std::slice::from_mut(job);
    let commit = |connection: &Connection, _: &[Box<dyn Job>]| match mishap {
        None | Some(Mishap::IsAppliedAndLost) => transaction::commit(connection),
        Some(Mishap::Fails | Mishap::IsLost) => transaction::rollback(connection),
    };
    match transaction::attempt(connection, jobs, Isolation::Shared, commit) {
        Ok(mut spoilt) => match (spoilt.pop().flatten(), mishap) {
            (Some(fault), _) => End::Failed(fault),
            (None, None) => End::Committed,
            (None, Some(Mishap::Fails)) => {
                End::Failed(Fault::new(FaultKind::Unavailable, "a write that fails"))
            }
            (None, Some(Mishap::IsLost | Mishap::IsAppliedAndLost)) => End::Unknown,
        },
        Err(Trouble::Begin(error)) => End::Failed(fault("the beginning of a transaction", error)),
        Err(Trouble::Undone(fault)) => End::Failed(fault),
        Err(Trouble::Lost(_)) => End::Unknown,
    }
}

/// With one connection, any transaction is a snapshot. It must not write, as on the other engines.
fn read(connection: &Connection, job: &mut Box<dyn Job>) -> End {
    let may_write = |may: bool| connection.pragma_update(None, "query_only", !may);
    if let Err(error) = may_write(false) {
        return End::Failed(fault("the beginning of a read", error));
    }
    let end = readers::snapshot(connection, job.as_mut());
    match may_write(true) {
        Ok(()) => end,
        Err(error) => End::Failed(fault("the end of a read", error)),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use domain::ids::OwnerId;
    use futures_util::FutureExt;

    use super::Mishap;
    use crate::backend::Lane;
    use crate::conformance::schema::SCHEMA;
    use crate::conformance::{Fixture, conformance};
    use crate::fault::{Fault, FaultKind, Obstacle, WriteError};
    use crate::meter::Meter;
    use crate::store::Store;

    fn in_memory() -> Fixture {
        Fixture { store: Store::inline(&SCHEMA, || None).unwrap(), _keep: Box::new(()) }
    }

    conformance!(in_memory);

    /// Writes again and again on a store whose writes meet these mishaps, one after another.
    fn write_again(mishaps: &'static [Mishap]) -> Result<(), WriteError> {
        let met = AtomicUsize::new(0);
        let next = move || mishaps.get(met.fetch_add(1, Ordering::Relaxed)).copied();
        let store = Store::inline(&SCHEMA, next).unwrap();
        let (meter, owner) = (Meter::default(), OwnerId::from_bytes([1; 16]));
        let written = store.write_again(&meter, Lane::Admission, owner, |_| Ok(()));
        written.now_or_never().expect("a store without threads waits for nobody")
    }

    #[test]
    fn a_failure_after_a_lost_answer_says_nothing_of_the_try_before() {
        let lost_and_failed = write_again(&[Mishap::IsAppliedAndLost, Mishap::Fails]);
        assert!(matches!(lost_and_failed, Err(WriteError::Unknown)), "{lost_and_failed:?}");
        assert!(write_again(&[Mishap::IsAppliedAndLost]).is_ok());
        let failed = write_again(&[Mishap::Fails]);
        assert!(matches!(failed, Err(WriteError::Fault(_))), "{failed:?}");
        let always_lost = write_again(&[Mishap::IsLost; 8]);
        assert!(matches!(always_lost, Err(WriteError::Unknown)), "{always_lost:?}");
    }

    #[test]
    fn an_obstacle_is_there_until_a_write_succeeds() {
        // Of the writes that find out, the first fails and the answer of the second is lost.
        let mishaps = [None, Some(Mishap::Fails), Some(Mishap::IsLost)];
        let met = AtomicUsize::new(0);
        let next = move || mishaps.get(met.fetch_add(1, Ordering::Relaxed)).copied().flatten();
        let store = Store::inline(&SCHEMA, next).unwrap();
        let obstacle = || store.obstacle().now_or_never().expect("nobody is waited for");
        assert_eq!(obstacle(), None);
        let meter = Meter::default();
        let full = store.write_shared(&meter, |_| -> Result<(), Fault> {
            Err(Fault::new(FaultKind::Full, "no room"))
        });
        full.now_or_never().expect("nobody is waited for").unwrap_err();
        assert_eq!(obstacle(), Some(Obstacle::NoRoom));
        assert_eq!(obstacle(), Some(Obstacle::NoRoom));
        assert_eq!(obstacle(), None);
    }
}
