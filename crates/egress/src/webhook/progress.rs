//! How far an exchange has come, and how long each part of it took.

use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use domain::time::Timestamp;
use domain::webhooks::{Phase, Phases, Trouble};

use super::{Answer, Exchange};
use crate::Now;

/// How far an exchange has come. It is looked at from outside as well, where the deadline comes.
pub(super) struct Progress {
    now: Now,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// What goes on, and since when.
    current: Option<(Phase, Timestamp)>,
    phases: Phases,
    sent: Option<String>,
    address: Option<IpAddr>,
    is_reused: bool,
}

impl Progress {
    pub(super) fn new(now: &Now) -> Self {
        Self { now: Now::clone(now), state: Mutex::default() }
    }

    /// One phase is over, and that one begins.
    pub(super) fn reach(&self, phase: Phase) {
        let now = (self.now)();
        let mut state = self.lock();
        state.end(now);
        state.current = Some((phase, now));
    }

    /// That address is dialled.
    pub(super) fn dial(&self, address: IpAddr) {
        self.lock().address = Some(address);
    }

    /// A connection to that address is there already.
    pub(super) fn reuse(&self, address: IpAddr) {
        let mut state = self.lock();
        (state.address, state.is_reused) = (Some(address), true);
    }

    /// A request with that head is sent.
    pub(super) fn send(&self, head: String) {
        self.lock().sent = Some(head);
    }

    /// It was not sent after all.
    pub(super) fn take_back(&self) {
        self.lock().sent = None;
    }

    /// Nothing of it happened: the connection that was there already is none.
    pub(super) fn start_over(&self) {
        *self.lock() = State::default();
    }

    /// Returns the phase that goes on.
    pub(super) fn phase(&self) -> Phase {
        self.lock().current.map_or(Phase::Resolving, |(phase, _)| phase)
    }

    /// Returns what is to be reported of the exchange, now that it is over.
    pub(super) fn conclude(self, answer: Result<Answer, Trouble>) -> Exchange {
        let now = (self.now)();
        let mut state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        state.end(now);
        let State { phases, sent, address, is_reused, .. } = state;
        Exchange { answer, sent, address, is_reused, phases }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn end(&mut self, now: Timestamp) {
        if let Some((phase, since)) = self.current.take() {
            self.phases.add(phase, now.since(since));
        }
    }
}
