//! What a connection is doing, as far as it matters for who gives way and whom a stop waits for.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// A request is being read, worked on or answered.
const WORKS: u64 = 0;

/// The answer is written, but the socket has not taken all of it.
const FLUSHES: u64 = 1;

/// Numbers that grow: whoever has waited longest has the smallest.
#[derive(Clone, Debug)]
pub(super) struct Tickets(Arc<AtomicU64>);

impl Default for Tickets {
    fn default() -> Self {
        Self(Arc::new(AtomicU64::new(FLUSHES + 1)))
    }
}

/// What one connection is doing. Written by its task, read by those that look for a place.
#[derive(Debug)]
pub(super) struct Doing {
    tickets: Tickets,
    /// [`WORKS`], [`FLUSHES`], or else its ticket: since when it waits for the head of a request.
    state: AtomicU64,
    has_served: AtomicBool,
    /// The socket takes nothing, because the other side does not read.
    is_blocked: AtomicBool,
    /// The handler waits for more of the body.
    wants_body: AtomicBool,
    /// How often bytes came or went after the other side was waited for.
    moved: AtomicU64,
}

impl Doing {
    /// A connection that was just accepted.
    pub(super) fn new(tickets: Tickets) -> Self {
        let state = AtomicU64::new(tickets.0.fetch_add(1, Relaxed));
        Self {
            tickets,
            state,
            has_served: AtomicBool::new(false),
            is_blocked: AtomicBool::new(false),
            wants_body: AtomicBool::new(false),
            moved: AtomicU64::new(0),
        }
    }

    /// The head of a request is here.
    pub(super) fn begin(&self) {
        self.state.store(WORKS, Relaxed);
    }

    /// The whole answer was handed to the connection.
    pub(super) fn answered(&self) {
        self.state.store(FLUSHES, Relaxed);
    }

    /// The socket has taken everything that was written so far.
    pub(super) fn flushed(&self) {
        if self.state.load(Relaxed) == FLUSHES {
            self.has_served.store(true, Relaxed);
            self.state.store(self.tickets.0.fetch_add(1, Relaxed), Relaxed);
        }
    }

    pub(super) fn set_blocked(&self, is_blocked: bool) {
        self.note(&self.is_blocked, is_blocked);
    }

    pub(super) fn set_wants_body(&self, wants_body: bool) {
        self.note(&self.wants_body, wants_body);
    }

    fn note(&self, waits: &AtomicBool, now: bool) {
        let before = waits.swap(now, Relaxed);
        if before && !now {
            self.moved.fetch_add(1, Relaxed);
        }
    }

    /// Its ticket, while it waits for the head of a request.
    pub(super) fn waits_since(&self) -> Option<u64> {
        Some(self.state.load(Relaxed)).filter(|state| *state > FLUSHES)
    }

    /// Whether it waits between two requests.
    pub(super) fn is_idle(&self) -> bool {
        self.has_served.load(Relaxed) && self.waits_since().is_some()
    }

    /// Whether nothing is to be expected of the other side: it owes the rest of a head, or no byte
    /// came or went since `moved` was noted, which is brought up to date.
    pub(super) fn is_stuck(&self, moved: &mut u64) -> bool {
        let before = std::mem::replace(moved, self.moved());
        let owes = self.is_blocked.load(Relaxed) || self.wants_body.load(Relaxed);
        self.waits_since().is_some() || (owes && before == *moved)
    }

    /// How often bytes came or went after the other side was waited for.
    pub(super) fn moved(&self) -> u64 {
        self.moved.load(Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_waits_before_a_request_and_after_its_answer_was_taken() {
        let doing = Doing::new(Tickets::default());
        let accepted = doing.waits_since().unwrap();
        assert!(!doing.is_idle());
        doing.begin();
        doing.flushed();
        assert_eq!(doing.waits_since(), None, "a part of an answer was flushed");
        doing.answered();
        assert_eq!(doing.waits_since(), None);
        doing.flushed();
        assert!(doing.is_idle() && doing.waits_since().unwrap() > accepted);
    }

    #[test]
    fn it_is_stuck_while_the_other_side_owes_something_and_nothing_moves() {
        let doing = Doing::new(Tickets::default());
        let mut moved = doing.moved();
        assert!(doing.is_stuck(&mut moved), "the head is owed");
        doing.begin();
        assert!(!doing.is_stuck(&mut moved), "the handler works");
        for set in [Doing::set_blocked, Doing::set_wants_body] {
            set(&doing, true);
            assert!(doing.is_stuck(&mut moved));
            set(&doing, false);
            set(&doing, true);
            assert!(!doing.is_stuck(&mut moved), "bytes have moved");
            assert!(doing.is_stuck(&mut moved), "and then no more");
            set(&doing, false);
            assert!(!doing.is_stuck(&mut moved));
        }
    }
}
