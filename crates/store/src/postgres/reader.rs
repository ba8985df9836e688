//! Threads that read, all from one line of jobs.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::connection::Link;
use super::failure::{Failure, Remedy};
use super::transaction::{Purpose, Transaction};
use super::writer::TRIES_AT_MOST;
use crate::fault::{Fault, FaultKind};
use crate::job::{End, Job};
use crate::store::Reading;

/// How many reads may wait: what is beyond would not be answered in time.
const READS_AT_MOST: usize = 4096;

/// The reads that wait for a thread.
#[derive(Default)]
pub(super) struct Reads {
    line: Mutex<Line>,
    changed: Condvar,
}

#[derive(Default)]
struct Line {
    jobs: VecDeque<(Reading, Box<dyn Job>)>,
    is_closed: bool,
}

impl Reads {
    /// Takes the read in, or answers that it cannot be.
    pub(super) fn push(&self, reading: Reading, job: Box<dyn Job>) {
        let mut line = self.lock();
        if line.is_closed || line.jobs.len() >= READS_AT_MOST {
            drop(line);
            let fault = Fault::new(FaultKind::Unavailable, "the store takes no more reads");
            return job.finish(End::Failed(fault));
        }
        line.jobs.push_back((reading, job));
        drop(line);
        self.changed.notify_one();
    }

    /// Lets nothing more in.
    pub(super) fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_all();
    }

    pub(super) fn waiting(&self) -> u64 {
        self.lock().jobs.len() as u64
    }

    fn take(&self) -> Option<(Reading, Box<dyn Job>)> {
        let mut line = self.lock();
        loop {
            if let Some(next) = line.jobs.pop_front() {
                return Some(next);
            }
            if line.is_closed {
                return None;
            }
            line = self.changed.wait(line).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Line> {
        // Nothing in here panics half-way through a change.
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Serves the line until it is closed and empty.
pub(super) fn serve(reads: &Reads, link: &mut Link) {
    while let Some((reading, job)) = reads.take() {
        read(link, reading, job);
    }
    link.forget();
}

/// Runs the read, again where its connection was lost: nothing can be done twice by reading.
fn read(link: &mut Link, reading: Reading, mut job: Box<dyn Job>) {
    let purpose = match reading {
        Reading::Points => Purpose::Points,
        Reading::Snapshot => Purpose::Snapshot,
    };
    for tries in 1.. {
        let mut transaction = match link.wire() {
            Ok(wire) => Transaction::new(wire, purpose),
            Err(failure) => return job.finish(End::Failed(failure.fault())),
        };
        job.run(&mut transaction);
        let remedy = transaction.failure().map_or(Remedy::Nothing, Failure::remedy);
        if remedy == Remedy::Nothing || tries == TRIES_AT_MOST {
            // Whoever asked need not wait for the end of the snapshot.
            job.finish(End::Committed);
            return transaction.roll_back();
        }
        transaction.roll_back();
        if remedy == Remedy::Reconnect {
            link.forget();
        }
    }
}
