//! The thread that asks what single statements answer: all who wait are asked for at once.
//!
//! Whoever comes while an answer is awaited waits for the next turn. So the more there is to be asked,
//! the more of it shares a write, an answer and the waking of both sides, and one connection does.

use tokio::sync::oneshot;

use super::connection::Link;
use super::failure::{Failure, Remedy};
use super::line::Line;
use super::multi_row_insert::Statement;
use super::transaction::{Purpose, Transaction};
use super::writer::TRIES_AT_MOST;
use crate::fault::{Fault, FaultKind};
use crate::sql::Sql;
use crate::value::{Row, Value};

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
pub(crate) struct Asks(pub(super) Line<Ask>);

impl Asks {
    /// Takes the question in, or answers that it cannot be.
    pub(crate) fn push(&self, ask: Ask) {
        if let Err(ask) = self.0.push(ask) {
            let fault = Fault::new(FaultKind::Unavailable, "the store takes no more questions");
            ask.end(Err(fault));
        }
    }
}

/// Serves the line until it is closed and empty.
pub(super) fn serve(asks: &Asks, link: &mut Link) {
    while let Some(all) = asks.0.take(AT_ONCE) {
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
