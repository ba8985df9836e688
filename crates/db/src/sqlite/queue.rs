//! The writer's queue: three lanes, of which the first to be emptied is the one that ends work.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::backend::Lane;
use crate::fault::{Fault, FaultKind, WriteError};
use crate::job::Job;

/// How many jobs a transaction takes, not counting one of maintenance.
pub(crate) const BATCH_MAX: usize = 256;

/// Jobs that wait for the writer.
pub(crate) struct Queue {
    state: Mutex<State>,
    ready: Condvar,
    admission_max: usize,
}

#[derive(Default)]
struct State {
    admission: VecDeque<Box<dyn Job>>,
    completion: VecDeque<Box<dyn Job>>,
    maintenance: VecDeque<Box<dyn Job>>,
    /// The writer sleeps: only then does a new job have to wake it.
    is_idle: bool,
    is_closed: bool,
}

/// How many jobs wait in each lane.
pub(crate) struct Lengths {
    pub(crate) admission: usize,
    pub(crate) completion: usize,
    pub(crate) maintenance: usize,
}

impl Queue {
    pub(crate) fn new(admission_max: usize) -> Self {
        Self { state: Mutex::default(), ready: Condvar::new(), admission_max }
    }

    /// Queues a job, or refuses it.
    pub(crate) fn push(&self, lane: Lane, job: Box<dyn Job>) -> Result<(), WriteError> {
        let mut state = self.lock();
        if state.is_closed {
            let fault = Fault::new(FaultKind::Unavailable, "the store is closing");
            return Err(WriteError::Fault(fault));
        }
        match lane {
            Lane::Admission if state.admission.len() >= self.admission_max => {
                return Err(WriteError::Busy);
            }
            Lane::Admission => state.admission.push_back(job),
            Lane::Completion | Lane::Recording | Lane::Claiming => state.completion.push_back(job),
            Lane::Maintenance => state.maintenance.push_back(job),
        }
        let was_idle = std::mem::take(&mut state.is_idle);
        drop(state);
        if was_idle {
            self.ready.notify_one();
        }
        Ok(())
    }

    /// Waits for jobs and takes a batch of them; `None` once the queue is closed and empty.
    pub(crate) fn take(&self) -> Option<Vec<Box<dyn Job>>> {
        let mut state = self.lock();
        loop {
            let batch = state.batch();
            if !batch.is_empty() {
                return Some(batch);
            }
            if state.is_closed {
                return None;
            }
            state.is_idle = true;
            state = self.ready.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Admits nothing more. What waits is still taken.
    pub(crate) fn close(&self) {
        self.lock().is_closed = true;
        self.ready.notify_all();
    }

    pub(crate) fn lengths(&self) -> Lengths {
        let state = self.lock();
        Lengths {
            admission: state.admission.len(),
            completion: state.completion.len(),
            maintenance: state.maintenance.len(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing panics between two halves of a change, so the state behind a poisoned lock is
        // whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn batch(&mut self) -> Vec<Box<dyn Job>> {
        let completions = self.completion.len().min(BATCH_MAX);
        let admissions = self.admission.len().min(BATCH_MAX - completions);
        let mut batch = Vec::with_capacity(completions + admissions + 1);
        batch.extend(self.completion.drain(..completions));
        batch.extend(self.admission.drain(..admissions));
        batch.extend(self.maintenance.pop_front());
        batch
    }
}
