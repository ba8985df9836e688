//! What waits for one write connection.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use domain::ids::OwnerId;

use super::settings::Batch;
use crate::backend::{Lane, Metrics};
use crate::fault::{Fault, FaultKind, WriteError};
use crate::job::Job;

/// How many jobs share a transaction: enough to spread the cost of a commit, few enough that the
/// first of them does not wait for long with its rows locked.
pub(super) const BATCH_AT_MOST: usize = 32;

/// How much new work may wait for one connection. An owner who floods the store is refused while
/// those on other connections are not.
pub(super) const ADMISSIONS_AT_MOST: usize = 1024;

type Jobs = VecDeque<Box<dyn Job>>;

/// The jobs of one connection, in three lines.
#[derive(Default)]
pub(super) struct Queue {
    lines: Mutex<Lines>,
    changed: Condvar,
}

#[derive(Default)]
struct Lines {
    completions: Jobs,
    admissions: Jobs,
    maintenance: Jobs,
    /// Whether the last batch was of requests, so that maintenance has the next turn.
    maintenance_is_next: bool,
    is_closed: bool,
}

impl Queue {
    /// Takes the job in, or refuses it.
    pub(super) fn push(&self, lane: Lane, job: Box<dyn Job>) -> Result<(), WriteError> {
        let mut lines = self.lock();
        if lines.is_closed {
            let fault = Fault::new(FaultKind::Unavailable, "the store is closed");
            return Err(WriteError::Fault(fault));
        }
        let was_empty = lines.is_empty();
        match lane {
            Lane::Completion | Lane::Recording | Lane::Claiming => lines.completions.push_back(job),
            Lane::Maintenance => lines.maintenance.push_back(job),
            Lane::Admission if lines.admissions.len() >= ADMISSIONS_AT_MOST => {
                return Err(WriteError::Busy);
            }
            Lane::Admission => lines.admissions.push_back(job),
        }
        drop(lines);
        // Otherwise the thread is about to look, or has not looked since it was woken.
        if was_empty {
            self.changed.notify_one();
        }
        Ok(())
    }

    /// The next jobs for one transaction, ordered by owner so that two nodes lock rows in the same
    /// order. Waits for some; `None` after the queue was closed and emptied.
    pub(super) fn take(&self, batch: Batch) -> Option<Vec<Box<dyn Job>>> {
        let mut lines = self.lock();
        loop {
            let mut jobs = lines.take(batch);
            if !jobs.is_empty() {
                jobs.sort_by_key(|job| job.owner());
                return Some(jobs);
            }
            if lines.is_closed {
                return None;
            }
            lines = self.changed.wait(lines).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Admits nothing more.
    pub(super) fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_all();
    }

    pub(super) fn count(&self, metrics: &mut Metrics) {
        let lines = self.lock();
        metrics.admission += lines.admissions.len() as u64;
        metrics.completion += lines.completions.len() as u64;
        metrics.maintenance += lines.maintenance.len() as u64;
    }

    fn lock(&self) -> MutexGuard<'_, Lines> {
        // Nothing in here panics half-way through a change.
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lines {
    fn is_empty(&self) -> bool {
        self.completions.is_empty() && self.admissions.is_empty() && self.maintenance.is_empty()
    }

    fn take(&mut self, batch: Batch) -> Vec<Box<dyn Job>> {
        let has_requests = !self.completions.is_empty() || !self.admissions.is_empty();
        if self.maintenance_is_next || !has_requests {
            self.maintenance_is_next = false;
            // Alone: nobody should wait for the commit of its many rows.
            if let Some(job) = self.maintenance.pop_front() {
                return vec![job];
            }
        }
        self.maintenance_is_next = has_requests;
        let lines = [&mut self.completions, &mut self.admissions];
        match batch {
            Batch::AcrossOwners => take_any(lines),
            Batch::Off => take_first(lines),
            Batch::PerOwner => take_of_one_owner(lines),
        }
    }
}

fn take_first(lines: [&mut Jobs; 2]) -> Vec<Box<dyn Job>> {
    lines.into_iter().find_map(VecDeque::pop_front).into_iter().collect()
}

/// The first jobs, as many as share a transaction; what of them may not keeps its place.
fn take_any(lines: [&mut Jobs; 2]) -> Vec<Box<dyn Job>> {
    take_if(lines, |_| true)
}

/// The first job, and those of its owner behind it; the others keep their places.
fn take_of_one_owner(lines: [&mut Jobs; 2]) -> Vec<Box<dyn Job>> {
    let mut owner: Option<Option<OwnerId>> = None;
    take_if(lines, |job| *owner.get_or_insert(job.owner()) == job.owner())
}

/// The first of the jobs that are wanted, and of those that do not hold their owner's row one for each owner: a
/// second one would lock rows that come before those of the first in the order of locks.
fn take_if(
    lines: [&mut Jobs; 2],
    mut is_wanted: impl FnMut(&dyn Job) -> bool,
) -> Vec<Box<dyn Job>> {
    let mut jobs: Vec<Box<dyn Job>> = Vec::new();
    let mut without_owner = BTreeSet::new();
    for line in lines {
        let mut others = Vec::new();
        while jobs.len() < BATCH_AT_MOST
            && let Some(job) = line.pop_front()
        {
            let without = job.owner().filter(|_| !job.holds_owner());
            if is_wanted(&*job) && without.is_none_or(|owner| without_owner.insert(owner)) {
                jobs.push(job);
            } else {
                others.push(job);
            }
        }
        others.into_iter().rev().for_each(|job| line.push_front(job));
    }
    jobs
}

#[cfg(test)]
mod tests;
