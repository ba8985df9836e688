//! A line of what waits for one of some threads.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// How much may wait: what is beyond would not be answered in time.
pub(super) const WAITING_AT_MOST: usize = 4096;

/// The line; what comes joins it at its end.
pub(super) struct Line<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
}

struct State<T> {
    waiting: VecDeque<T>,
    /// How many threads wait for something to come.
    idle: usize,
    is_closed: bool,
}

impl<T> Default for Line<T> {
    fn default() -> Self {
        let state = State { waiting: VecDeque::new(), idle: 0, is_closed: false };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }
}

impl<T> Line<T> {
    /// Adds it to the line, or gives it back where the line is full or closed.
    pub(super) fn push(&self, one: T) -> Result<(), T> {
        let mut state = self.lock();
        if state.is_closed || state.waiting.len() >= WAITING_AT_MOST {
            return Err(one);
        }
        state.waiting.push_back(one);
        // What exceeds the idle threads is taken by a thread that has finished its current work.
        let is_for_an_idle_one = state.waiting.len() <= state.idle;
        drop(state);
        if is_for_an_idle_one {
            self.changed.notify_one();
        }
        Ok(())
    }

    /// The next of the line; waits for one. `None` after the line was closed and emptied.
    pub(super) fn take(&self) -> Option<T> {
        let mut state = self.lock();
        loop {
            if let Some(next) = state.waiting.pop_front() {
                return Some(next);
            }
            if state.is_closed {
                return None;
            }
            state.idle += 1;
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.idle -= 1;
        }
    }

    /// Admits nothing more.
    pub(super) fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_all();
    }

    pub(super) fn waiting(&self) -> u64 {
        self.lock().waiting.len() as u64
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        // Nothing in here panics half-way through a change.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn all_are_taken_in_the_order_in_which_they_came() {
        let line = Line::default();
        for number in 0..7 {
            line.push(number).unwrap();
        }
        assert_eq!(line.waiting(), 7);
        line.close();
        assert_eq!(std::iter::from_fn(|| line.take()).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn a_full_line_and_a_closed_one_let_nothing_in() {
        let (full, closed) = (Line::default(), Line::default());
        for number in 0..WAITING_AT_MOST {
            full.push(number).unwrap();
        }
        closed.close();
        assert_eq!((full.push(7), closed.push(7)), (Err(7), Err(7)));
    }

    #[test]
    fn nothing_is_left_lying_however_many_come_and_take() {
        let line = Line::default();
        let taken: usize = thread::scope(|scope| {
            let take = || std::iter::from_fn(|| line.take()).count();
            let takers: Vec<_> = (0..4).map(|_| scope.spawn(take)).collect();
            let givers: Vec<_> = (0..4)
                .map(|_| scope.spawn(|| (0..1_000).for_each(|one| give(&line, one))))
                .collect();
            givers.into_iter().for_each(|giver| giver.join().unwrap());
            line.close();
            takers.into_iter().map(|taker| taker.join().unwrap()).sum()
        });
        assert_eq!(taken, 4_000);
    }

    /// Tries again while the line is full.
    fn give(line: &Line<usize>, one: usize) {
        while line.push(one).is_err() {
            thread::yield_now();
        }
    }
}
