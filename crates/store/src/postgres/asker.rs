//! The thread that asks what single statements answer: all who wait are asked for at once.
//!
//! Whoever comes while an answer is awaited waits for the next turn. So the more there is to be asked,
//! the more of it shares a write, an answer and the waking of both sides, and one connection does.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use super::connection::Link;
use super::failure::{Failure, Remedy};
use super::together::Statement;
use super::transaction::{Purpose, Transaction};
use super::writer::TRIES_AT_MOST;
use crate::fault::{Fault, FaultKind};
use crate::sql::Sql;
use crate::value::{Row, Value};

/// How many may wait: what is beyond would not be answered in time.
const ASKS_AT_MOST: usize = 4096;

/// How many are asked for at once.
const AT_ONCE: usize = 64;

/// The rows of each statement, or why there are none.
pub(crate) type Answers = Result<Vec<Vec<Row>>, Fault>;

/// What one caller asks.
pub(crate) struct Ask {
    /// Statements that each see the latest commit.
    pub(crate) statements: Vec<(&'static Sql, Vec<Value>)>,
    /// Where the rows of each go.
    pub(crate) answer: oneshot::Sender<Answers>,
}

impl Ask {
    /// Answers it, unless nobody waits any more.
    fn end(self, answer: Answers) {
        drop(self.answer.send(answer));
    }
}

/// Those who wait.
#[derive(Default)]
pub(crate) struct Asks {
    line: Mutex<Line>,
    changed: Condvar,
}

#[derive(Default)]
struct Line {
    asks: VecDeque<Ask>,
    is_closed: bool,
}

impl Asks {
    /// Takes the question in, or answers that it cannot be.
    pub(crate) fn push(&self, ask: Ask) {
        let mut line = self.lock();
        if line.is_closed || line.asks.len() >= ASKS_AT_MOST {
            drop(line);
            let fault = Fault::new(FaultKind::Unavailable, "the store takes no more questions");
            return ask.end(Err(fault));
        }
        line.asks.push_back(ask);
        let is_first = line.asks.len() == 1;
        drop(line);
        // Otherwise the thread is about to look, or has not looked since it was woken.
        if is_first {
            self.changed.notify_one();
        }
    }

    /// Lets nothing more in.
    pub(super) fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_all();
    }

    pub(super) fn waiting(&self) -> u64 {
        self.lock().asks.len() as u64
    }

    /// Those whose turn it is; waits for some. `None` after the line was closed and emptied.
    fn take(&self) -> Option<Vec<Ask>> {
        let mut line = self.lock();
        loop {
            if !line.asks.is_empty() {
                let count = line.asks.len().min(AT_ONCE);
                return Some(line.asks.drain(..count).collect());
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
pub(super) fn serve(asks: &Asks, link: &mut Link) {
    while let Some(all) = asks.take() {
        ask_all(link, all);
    }
    link.forget();
}

/// Asks for all of them at once. Where one of them cannot be answered, each is asked by itself, so that
/// it harms no other.
fn ask_all(link: &mut Link, mut all: Vec<Ask>) {
    all.retain(|ask| !ask.answer.is_closed());
    if all.is_empty() {
        return;
    }
    match run(link, &all) {
        Ok(answers) => {
            let mut answers = answers.into_iter();
            for ask in all {
                let own = answers.by_ref().take(ask.statements.len()).collect();
                ask.end(Ok(own));
            }
        }
        Err(Unanswered::Heard(_)) if all.len() > 1 => {
            all.into_iter().for_each(|ask| ask_all(link, vec![ask]));
        }
        Err(Unanswered::Unheard(failure) | Unanswered::Heard(failure)) => {
            all.into_iter().for_each(|ask| ask.end(Err(failure.fault())));
        }
    }
}

/// Why there is no answer.
enum Unanswered {
    /// The server is not to be reached, whatever is asked.
    Unheard(Failure),
    /// It was reached, and something that was asked brought this about.
    Heard(Failure),
}

/// Runs the statements of all, again where that may help: nothing can be done twice by reading.
fn run(link: &mut Link, all: &[Ask]) -> Result<Vec<Vec<Row>>, Unanswered> {
    let each = all.iter().flat_map(|ask| &ask.statements);
    let statements: Vec<Statement<'_>> =
        each.map(|(sql, params)| (*sql, params.as_slice())).collect();
    let mut tries = 1;
    loop {
        let wire = link.wire().map_err(Unanswered::Unheard)?;
        let failure = match Transaction::new(wire, Purpose::Points).send(&statements) {
            Ok(answers) => return Ok(answers),
            Err(failure) => failure,
        };
        if failure.remedy() == Remedy::Nothing || tries == TRIES_AT_MOST {
            return Err(Unanswered::Heard(failure));
        }
        if failure.remedy() == Remedy::Reconnect {
            link.forget();
        }
        tries += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static SQL: Sql = Sql::shared("select version from migrations");

    fn ask() -> (Ask, oneshot::Receiver<Answers>) {
        let (answer, receiver) = oneshot::channel();
        (Ask { statements: vec![(&SQL, Vec::new())], answer }, receiver)
    }

    #[test]
    fn all_who_wait_have_their_turn_together() {
        let asks = Asks::default();
        for _ in 0..AT_ONCE + 3 {
            asks.push(ask().0);
        }
        assert_eq!(asks.waiting(), AT_ONCE as u64 + 3);
        asks.close();
        let turns = std::iter::from_fn(|| asks.take().map(|turn| turn.len()));
        assert_eq!(turns.collect::<Vec<_>>(), [AT_ONCE, 3]);
    }

    #[test]
    fn what_is_asked_of_a_closed_line_or_a_full_one_is_refused() {
        for (waiting, closes) in [(ASKS_AT_MOST, false), (0, true)] {
            let asks = Asks::default();
            for _ in 0..waiting {
                asks.push(ask().0);
            }
            if closes {
                asks.close();
            }
            let (ask, mut answer) = ask();
            asks.push(ask);
            let fault = answer.try_recv().unwrap().unwrap_err();
            assert_eq!(fault.kind(), FaultKind::Unavailable);
        }
    }
}
