//! Reads. Snapshots run on threads of their own, for a bounded time; look-ups run where they are
//! asked, on a connection from a pool, since a hop between threads costs more than they do.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::Connection;

use crate::backend::Reading;
use crate::fault::{Fault, FaultKind};
use crate::job::{End, Job};
use crate::sqlite::connection::{Session, fault};
use crate::sqlite::transaction;

/// How many reads may wait for a thread.
const WAITING_MAX: usize = 1024;

/// How many steps of SQLite's machine pass between two looks at the clock.
const STEPS_BETWEEN_LOOKS: i32 = 4096;

/// Connections for look-ups on the caller's thread.
pub(crate) struct Pool(Mutex<Vec<Connection>>);

impl Pool {
    pub(crate) fn new(connections: Vec<Connection>) -> Self {
        Self(Mutex::new(connections))
    }

    /// Runs the job here, or gives it back where every connection is in use.
    pub(crate) fn run(&self, mut job: Box<dyn Job>) -> Result<(), Box<dyn Job>> {
        let Some(connection) = self.lock().pop() else { return Err(job) };
        // One transaction takes the file's locks once, where each statement would take its own.
        let end = snapshot(&connection, job.as_mut());
        self.lock().push(connection);
        job.finish(end);
        Ok(())
    }

    /// Closes the connections that nobody uses.
    pub(crate) fn close(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads that wait for one of the threads.
#[derive(Default)]
pub(crate) struct Reads {
    state: Mutex<State>,
    ready: Condvar,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<(Reading, Box<dyn Job>)>,
    is_closed: bool,
}

impl Reads {
    /// Queues a read, or answers it with a refusal.
    pub(crate) fn push(&self, reading: Reading, job: Box<dyn Job>) {
        let mut state = self.lock();
        let refusal = if state.is_closed {
            "the store is closing"
        } else if state.waiting.len() >= WAITING_MAX {
            "too many reads are waiting"
        } else {
            state.waiting.push_back((reading, job));
            drop(state);
            self.ready.notify_one();
            return;
        };
        drop(state);
        job.finish(End::Failed(Fault::new(FaultKind::Unavailable, refusal)));
    }

    pub(crate) fn len(&self) -> usize {
        self.lock().waiting.len()
    }

    /// Admits nothing more. What waits is still read.
    pub(crate) fn close(&self) {
        self.lock().is_closed = true;
        self.ready.notify_all();
    }

    fn take(&self) -> Option<(Reading, Box<dyn Job>)> {
        let mut state = self.lock();
        loop {
            if let Some(next) = state.waiting.pop_front() {
                return Some(next);
            }
            if state.is_closed {
                return None;
            }
            state = self.ready.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs reads on a reading thread until the store closes. A read may take `limit`, waiting included.
pub(crate) fn run(mut connection: Connection, reads: &Reads, limit: Duration) {
    while let Some((reading, mut job)) = reads.take() {
        let deadline = job.submitted() + limit;
        let end = if has_passed(deadline) {
            End::Failed(Fault::new(FaultKind::Unavailable, "a read waited too long"))
        } else {
            bounded(&mut connection, deadline, |connection| match reading {
                Reading::Points => look(connection, job.as_mut()),
                Reading::Snapshot => snapshot(connection, job.as_mut()),
            })
        };
        job.finish(end);
    }
}

/// Runs `read`, whose statements SQLite interrupts at the deadline.
fn bounded(
    connection: &mut Connection,
    deadline: Instant,
    read: impl FnOnce(&Connection) -> End,
) -> End {
    let watch = move || has_passed(deadline);
    if let Err(error) = connection.progress_handler(STEPS_BETWEEN_LOOKS, Some(watch)) {
        return End::Failed(fault("the time limit of a read", error));
    }
    let end = read(connection);
    // Taking the handler away cannot fail; if it did, the next read would set its own.
    drop(connection.progress_handler(0, None::<fn() -> bool>));
    end
}

/// Runs the job without a transaction: each of its statements sees the latest commit.
fn look(connection: &Connection, job: &mut dyn Job) -> End {
    let mut session = Session::new(connection);
    job.run(&mut session);
    session.into_fault().map_or(End::Committed, End::Failed)
}

/// Runs the job in one transaction, which SQLite gives one snapshot.
pub(crate) fn snapshot(connection: &Connection, job: &mut dyn Job) -> End {
    if let Err(error) = transaction::execute(connection, "begin") {
        return End::Failed(fault("the beginning of a read", error));
    }
    let end = look(connection, job);
    match transaction::rollback(connection) {
        Ok(()) => end,
        Err(error) => End::Failed(fault("the end of a read", error)),
    }
}

#[expect(clippy::disallowed_methods, reason = "the store bounds its own reads")]
fn has_passed(deadline: Instant) -> bool {
    Instant::now() >= deadline
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::conformance::schema::SCHEMA;
    use crate::job::Closure;
    use crate::sql::Sql;
    use crate::sqlite::setup;

    static ENDLESS: Sql = Sql::shared(
        "with recursive n (i) as (select 1 union all select i + 1 from n) select max(i) from n",
    );

    #[test]
    fn a_read_ends_at_its_deadline_and_the_connection_serves_the_next() {
        let mut connection = setup::in_memory(&SCHEMA).unwrap();
        let (mut job, mut answer) =
            Closure::new(None, &Arc::default(), |tx| tx.query(&ENDLESS, &[]));
        let deadline = job.submitted();
        let end = bounded(&mut connection, deadline, |connection| snapshot(connection, &mut job));
        Box::new(job).finish(end);
        let fault = answer.try_recv().unwrap().result.unwrap_err();
        let crate::fault::WriteError::Fault(fault) = fault else { panic!("not a fault: {fault}") };
        assert_eq!(fault.kind(), FaultKind::Unavailable);
        assert!(connection.is_autocommit());
        connection.query_row("select 1", [], |_| Ok(())).unwrap();
    }
}
