//! What a connection is doing, as far as it matters for who gives way and whom a stop waits for.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// A request is being read or worked on.
const WORKS: u64 = 0;

/// The answer has begun: its head is there, and its body is being written.
const ANSWERS: u64 = 1;

/// The answer is written, but the socket has not taken all of it.
const FLUSHES: u64 = 2;

/// Numbers that grow: the connection that has waited longest has the smallest.
#[derive(Clone, Debug)]
pub(super) struct Tickets(Arc<AtomicU64>);

impl Default for Tickets {
    fn default() -> Self {
        Self(Arc::new(AtomicU64::new(FLUSHES + 1)))
    }
}

impl Tickets {
    fn next(&self) -> u64 {
        self.0.fetch_add(1, Relaxed)
    }
}

/// For how long a connection has waited for the other side: of two, the smaller one gives way first.
/// One that waits for a head loses nothing by it, and goes before one that waits for a body or a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Waiting {
    is_under_way: bool,
    ticket: u64,
}

/// State of one connection: what it is doing. Its task writes it, and tasks that look for a place read it.
#[derive(Debug)]
pub(super) struct Doing {
    tickets: Tickets,
    /// [`WORKS`], [`ANSWERS`], [`FLUSHES`], or else its ticket: since when it waits for the head of a
    /// request.
    state: AtomicU64,
    /// The ticket that it took with the head of the last request.
    begun: AtomicU64,
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
        let state = AtomicU64::new(tickets.next());
        Self {
            tickets,
            state,
            begun: AtomicU64::new(0),
            has_served: AtomicBool::new(false),
            is_blocked: AtomicBool::new(false),
            wants_body: AtomicBool::new(false),
            moved: AtomicU64::new(0),
        }
    }

    /// The head of a request is here.
    pub(super) fn begin(&self) {
        self.begun.store(self.tickets.next(), Relaxed);
        self.state.store(WORKS, Relaxed);
    }

    /// The handler is done, and the head of its answer is here.
    pub(super) fn answers(&self) {
        self.state.store(ANSWERS, Relaxed);
    }

    /// The whole answer was handed to the connection.
    pub(super) fn answered(&self) {
        self.state.store(FLUSHES, Relaxed);
    }

    /// The socket has taken everything that was written so far.
    pub(super) fn flushed(&self) {
        if self.state.load(Relaxed) == FLUSHES {
            self.has_served.store(true, Relaxed);
            self.state.store(self.tickets.next(), Relaxed);
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

    /// How long it has waited between two requests.
    pub(super) fn idle(&self) -> Option<Waiting> {
        let ticket = self.waits_since().filter(|_| self.has_served.load(Relaxed))?;
        Some(Waiting { is_under_way: false, ticket })
    }

    /// How long the other side has owed something: a head, a body, or that it reads. Nothing while a
    /// handler works with all that it needs.
    pub(super) fn owing(&self) -> Option<Waiting> {
        let state = self.state.load(Relaxed);
        if state > FLUSHES {
            return Some(Waiting { is_under_way: false, ticket: state });
        }
        // What was asked behind an answer that nobody reads is worked on all the same.
        let owes = if state == WORKS { &self.wants_body } else { &self.is_blocked };
        let ticket = self.begun.load(Relaxed);
        owes.load(Relaxed).then_some(Waiting { is_under_way: true, ticket })
    }

    /// Tells whether nothing more will come from the other side: it owes the rest of a head, or no byte came or went
    /// since `moved` was noted. Updates `moved`.
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
        assert_eq!(doing.idle(), None);
        doing.begin();
        doing.flushed();
        assert_eq!(doing.waits_since(), None, "a part of an answer was flushed");
        doing.answers();
        doing.answered();
        assert_eq!(doing.waits_since(), None);
        doing.flushed();
        assert!(doing.idle().is_some() && doing.waits_since().unwrap() > accepted);
    }

    #[test]
    fn the_other_side_owes_a_head_a_body_or_that_it_reads() {
        let tickets = Tickets::default();
        let doing = Doing::new(tickets.clone());
        let head = doing.owing().unwrap();
        doing.begin();
        assert_eq!(doing.owing(), None, "the handler works");
        doing.set_blocked(true);
        assert_eq!(doing.owing(), None, "an earlier answer is not read, and the handler works");
        doing.set_blocked(false);
        doing.set_wants_body(true);
        let body = doing.owing().unwrap();
        let younger = Doing::new(tickets);
        assert!(head < younger.owing().unwrap());
        assert!(younger.owing().unwrap() < body, "who waits for a head goes first");
        doing.set_wants_body(false);
        doing.answers();
        assert_eq!(doing.owing(), None, "the answer is being read");
        doing.set_blocked(true);
        assert_eq!(doing.owing(), Some(body));
        doing.answered();
        assert_eq!(doing.owing(), Some(body));
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
