//! Where callers find the server, while it is there: each start has another port.

use std::net::SocketAddr;
use std::sync::{Condvar, Mutex};

#[derive(Default)]
struct State {
    addr: Option<SocketAddr>,
    /// How many servers there have been.
    starts: usize,
    is_over: bool,
}

#[derive(Default)]
pub(crate) struct Stage {
    state: Mutex<State>,
    changed: Condvar,
}

impl Stage {
    /// A server listens there.
    pub(crate) fn open(&self, addr: SocketAddr) {
        let mut state = self.state.lock().unwrap();
        (state.addr, state.starts) = (Some(addr), state.starts + 1);
        self.changed.notify_all();
    }

    /// No further call is to be made.
    pub(crate) fn end(&self) {
        self.state.lock().unwrap().is_over = true;
        self.changed.notify_all();
    }

    pub(crate) fn is_over(&self) -> bool {
        self.state.lock().unwrap().is_over
    }

    /// The first server after so many, once it is there: its address and its number. Nothing once
    /// it is over.
    pub(crate) fn server_after(&self, starts: usize) -> Option<(SocketAddr, usize)> {
        let state = self.state.lock().unwrap();
        let waits = |state: &mut State| !state.is_over && state.starts <= starts;
        let state = self.changed.wait_while(state, waits).unwrap();
        let server = state.addr.map(|addr| (addr, state.starts));
        server.filter(|_| !state.is_over)
    }
}
