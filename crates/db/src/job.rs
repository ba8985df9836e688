//! A closure on its way through a database thread, its result kept until the commit is answered.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Instant;

use domain::ids::OwnerId;
use tokio::sync::oneshot;

use crate::after_commit::Subscribers;
use crate::fault::{Fault, FaultKind, WriteError};
use crate::tx::{Connection, Cost, Done, Tx};
use crate::writes::Writes;

/// Tells whether the handle's thread is another than the one that asks. What a job captured is dropped by the thread
/// that ran it: where that is the last handle of the store, this thread shuts the store down, and cannot wait for
/// itself.
pub(crate) fn is_another_thread(handle: &JoinHandle<()>) -> bool {
    handle.thread().id() != thread::current().id()
}

/// How a job's transaction ended.
#[derive(Debug)]
pub(crate) enum End {
    /// The commit was acknowledged: the answer may go out.
    Committed,
    /// The commit's answer was lost.
    Unknown,
    /// The transaction failed for a reason that is not the job's own; nothing was applied.
    Failed(Fault),
}

/// Report to the waiting caller: the result, what it cost, and how long it waited and ran.
#[derive(Debug)]
pub(crate) struct Report<T> {
    pub(crate) result: Result<T, WriteError>,
    pub(crate) cost: Cost,
}

/// A job without its type: what engines handle.
pub(crate) trait Job: Send {
    /// The owner whose rows it writes; `None` for reads and for the installation's own tables.
    fn owner(&self) -> Option<OwnerId>;

    /// Tells whether the job's transaction must hold the owner's row before the job runs.
    fn holds_owner(&self) -> bool;

    /// Tells whether the job's last run wrote a table of authentication.
    fn touches_auth_tables(&self) -> bool;

    /// When it was handed in, so that a late one can be distinguished from a fresh one.
    fn submitted(&self) -> Instant;

    /// Runs the closure on an open transaction and keeps its result, replacing an earlier one: a
    /// job may run several times. A panic becomes a fault. Answers whether the job wants to commit; where
    /// not, its effects must be rolled back.
    fn run(&mut self, connection: &mut dyn Connection) -> bool;

    /// Answers the waiting caller. A job whose own run faulted answers that fault
    /// whatever the end.
    fn finish(self: Box<Self>, end: End);
}

/// The only job there is: a closure and the channel its result leaves by.
pub(crate) struct Closure<T, F> {
    writes: Option<Writes>,
    submitted: Instant,
    closure: F,
    kept: Option<Result<T, Fault>>,
    /// What its last run has done.
    done: Done,
    subscribers: Arc<Subscribers>,
    answer: oneshot::Sender<Report<T>>,
}

impl<T, F> Closure<T, F>
where
    F: Fn(&mut Tx<'_>) -> Result<T, Fault> + Send,
    T: Send,
{
    #[expect(clippy::disallowed_methods, reason = "the store times its own queue")]
    pub(crate) fn new(
        writes: Option<Writes>,
        subscribers: &Arc<Subscribers>,
        closure: F,
    ) -> (Self, oneshot::Receiver<Report<T>>) {
        let (answer, receiver) = oneshot::channel();
        let submitted = Instant::now();
        let closure = Self {
            writes,
            submitted,
            closure,
            kept: None,
            done: Done::default(),
            subscribers: Arc::clone(subscribers),
            answer,
        };
        (closure, receiver)
    }
}

impl<T, F> Job for Closure<T, F>
where
    F: Fn(&mut Tx<'_>) -> Result<T, Fault> + Send,
    T: Send,
{
    fn owner(&self) -> Option<OwnerId> {
        self.writes.map(|writes| writes.owner)
    }

    fn holds_owner(&self) -> bool {
        self.writes.is_some_and(|writes| writes.without_owner.is_none())
    }

    fn touches_auth_tables(&self) -> bool {
        self.done.touches_auth_tables
    }

    fn submitted(&self) -> Instant {
        self.submitted
    }

    fn run(&mut self, connection: &mut dyn Connection) -> bool {
        let mut tx = Tx::new(connection, self.writes);
        // The closure's captures are read-only (`Fn`), and the transaction is rolled back after a
        // panic, so nothing half-done can be seen.
        let result = catch_unwind(AssertUnwindSafe(|| (self.closure)(&mut tx)));
        self.done = tx.into_done();
        let result = result.unwrap_or_else(|_| {
            Err(Fault::new(FaultKind::Panicked, "a job on the store panicked"))
        });
        let wants_commit = result.is_ok();
        self.kept = Some(result);
        wants_commit
    }

    fn finish(self: Box<Self>, end: End) {
        let result = match (self.kept, end) {
            (Some(Err(fault)), _) | (_, End::Failed(fault)) => Err(WriteError::Fault(fault)),
            (_, End::Unknown) => Err(WriteError::Unknown),
            (Some(Ok(value)), End::Committed) => {
                self.subscribers.publish(self.done.after_commit);
                Ok(value)
            }
            (None, End::Committed) => {
                Err(WriteError::Fault(Fault::broken("a job committed without having run")))
            }
        };
        // Nobody waits where the caller has gone; the work stands all the same.
        drop(self.answer.send(Report { result, cost: self.done.cost }));
    }
}
