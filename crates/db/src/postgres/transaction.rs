//! A transaction on one connection: statements put off travel with the next ones that wait.

use pg::{Answer, Error, Stopped, Tag};

use super::connection::Wire;
use super::failure::{Failure, is_rolled_back};
use super::multi_row_insert::Statement;
use super::values::row;
use crate::fault::Fault;
use crate::sql::Sql;
use crate::tx::{Connection, Expect, StatementResult};
use crate::value::Value;

static BEGIN_TO_WRITE: Sql = Sql::shared("begin isolation level read committed read write");
static BEGIN_SNAPSHOT: Sql = Sql::shared("begin isolation level repeatable read read only");
static COMMIT: Sql = Sql::shared("commit");
static ROLLBACK: Sql = Sql::shared("rollback");

/// Purpose of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// To write. Rows are locked before they are judged, so the weakest isolation does.
    Write,
    /// To read from one snapshot.
    Snapshot,
    /// To read by statements that each see the latest commit: no transaction at all.
    Points,
}

impl Purpose {
    fn begin(self) -> Option<&'static Sql> {
        match self {
            Self::Write => Some(&BEGIN_TO_WRITE),
            Self::Snapshot => Some(&BEGIN_SNAPSHOT),
            Self::Points => None,
        }
    }
}

/// How a transaction ended.
pub(super) enum TransactionOutcome {
    Committed,
    /// Certainly not applied.
    Failed(Failure),
    /// The commit was sent and its answer was lost.
    Unknown,
}

struct Deferred {
    sql: &'static Sql,
    params: Vec<Value>,
    expect: Expect,
}

/// An open transaction. Once a statement has failed, every later one fails with it.
pub(super) struct Transaction<'l> {
    wire: Wire<'l>,
    purpose: Purpose,
    /// The command that begins it, while it has not been sent.
    begin: Option<&'static Sql>,
    deferred: Vec<Deferred>,
    failure: Option<Failure>,
}

impl<'l> Transaction<'l> {
    /// Nothing is sent before the first statement is.
    pub(super) fn new(wire: Wire<'l>, purpose: Purpose) -> Self {
        let (begin, deferred) = (purpose.begin(), Vec::new());
        Self { wire, purpose, begin, deferred, failure: None }
    }

    /// Sends a statement with whatever is waited for next. Its answer is not looked at.
    pub(super) fn defer_any(&mut self, sql: &'static Sql, params: Vec<Value>) {
        self.deferred.push(Deferred { sql, params, expect: Expect::Any });
    }

    /// Returns what failed in the transaction, if anything did.
    pub(super) fn failure(&self) -> Option<&Failure> {
        self.failure.as_ref()
    }

    /// Sends what was put off, and the commit. They travel together where no expectation has to be
    /// looked at in between: a statement that fails turns the commit into a rollback on the server.
    pub(super) fn commit(mut self) -> TransactionOutcome {
        let must_look = self.deferred.iter().any(|write| write.expect != Expect::Any);
        let flushed = if must_look { self.run_all(&[]).map(drop) } else { self.intact() };
        if let Err(failure) = flushed {
            self.roll_back();
            return TransactionOutcome::Failed(failure);
        }
        if self.begin.is_some() && self.deferred.is_empty() {
            // Nothing was ever sent.
            return TransactionOutcome::Committed;
        }
        // What ended before the commit was sent was certainly not applied.
        if self.begin.is_none() && self.wire.has_ended() {
            let failure = Failure::lost("PostgreSQL: the session ended before the commit");
            self.roll_back();
            return TransactionOutcome::Failed(failure);
        }
        let outcome = self.send_commit();
        if matches!(outcome, TransactionOutcome::Failed(_)) {
            self.roll_back();
        }
        outcome
    }

    /// Ends the transaction without effect. Where the command fails the connection is lost, and
    /// the server undoes it by itself.
    pub(super) fn roll_back(&mut self) {
        drop(self.take_deferred());
        let was_begun = self.purpose != Purpose::Points && self.begin.is_none();
        if was_begun && !self.wire.is_lost() {
            drop(self.wire.run(&[(&ROLLBACK, &[])]));
        }
    }

    fn take_deferred(&mut self) -> Vec<Deferred> {
        std::mem::take(&mut self.deferred)
    }

    fn intact(&self) -> Result<(), Failure> {
        self.failure.clone().map_or(Ok(()), Err)
    }

    /// Sends what was put off and `statements`, waits once, and keeps the first failure.
    fn run_all(&mut self, statements: &[Statement<'_>]) -> Result<Vec<Answer>, Failure> {
        self.intact()?;
        let deferred = self.take_deferred();
        let read = match self.fly(&deferred, statements) {
            Ok(mut answers) => {
                let read = answers.split_off(answers.len().saturating_sub(statements.len()));
                let written = answers.split_off(answers.len().saturating_sub(deferred.len()));
                check(&written, &deferred).map(|()| read)
            }
            Err(stopped) => Err(Failure::of(&stopped.error)),
        };
        self.failure = read.as_ref().err().cloned();
        read
    }

    fn send_commit(&mut self) -> TransactionOutcome {
        let deferred = self.take_deferred();
        let before_commit = usize::from(self.begin.is_some()) + deferred.len();
        // What is not prepared yet is prepared first, so that a loss of it leaves nothing open.
        let all = all_of(self.begin, &deferred, &[(&COMMIT, &[])]);
        if let Err(error) = self.wire.prepare(&all) {
            return TransactionOutcome::Failed(Failure::of(&error));
        }
        match self.fly(&deferred, &[(&COMMIT, &[])]) {
            Ok(answers) => match answers.last().map(|answer| answer.tag) {
                Some(Tag::Commit) => TransactionOutcome::Committed,
                _ => TransactionOutcome::Failed(Failure::broken("the server rolled back a commit")),
            },
            // A statement may have gone well whose answer did not come, and the commit behind it too.
            Err(Stopped { error: Error::Lost(_), .. }) => TransactionOutcome::Unknown,
            Err(Stopped { at, error }) if at < before_commit || is_rolled_back(&error) => {
                TransactionOutcome::Failed(Failure::of(&error))
            }
            Err(_) => TransactionOutcome::Unknown,
        }
    }

    /// Sends what begins the transaction, if that was not sent yet, what was put off, and `statements`.
    fn fly(
        &mut self,
        deferred: &[Deferred],
        statements: &[Statement<'_>],
    ) -> Result<Vec<Answer>, Stopped> {
        let all = all_of(self.begin.take(), deferred, statements);
        self.wire.run(&all)
    }
}

/// Joins what begins a transaction, what was put off in it, and what is to be waited for.
fn all_of<'p>(
    begin: Option<&'static Sql>,
    deferred: &'p [Deferred],
    statements: &[Statement<'p>],
) -> Vec<Statement<'p>> {
    let mut all: Vec<Statement<'_>> = Vec::with_capacity(1 + deferred.len() + statements.len());
    all.extend(begin.map(|begin| (begin, [].as_slice())));
    all.extend(deferred.iter().map(|write| (write.sql, write.params.as_slice())));
    all.extend(statements);
    all
}

/// Checks that every write did what was expected of it.
fn check(answers: &[Answer], writes: &[Deferred]) -> Result<(), Failure> {
    for (answer, write) in answers.iter().zip(writes) {
        if let Expect::Rows(wanted) = write.expect
            && answer.tag != Tag::Rows(wanted)
        {
            let (tag, text) = (answer.tag, write.sql.text());
            return Err(Failure::broken(format!("{tag:?}, not {wanted}: {text}")));
        }
    }
    Ok(())
}

impl Connection for Transaction<'_> {
    fn run(&mut self, statements: &[Statement<'_>]) -> Result<Vec<StatementResult>, Fault> {
        let answers = self.run_all(statements).map_err(|failure| failure.fault())?;
        let result = |(answer, (sql, _)): (Answer, &Statement<'_>)| StatementResult {
            rows_affected: if let Tag::Rows(count) = answer.tag { count } else { 0 },
            rows: answer.rows.into_iter().map(|values| row(sql, values)).collect(),
        };
        Ok(answers.into_iter().zip(statements).map(result).collect())
    }

    fn defer(
        &mut self,
        sql: &'static Sql,
        params: Vec<Value>,
        expect: Expect,
    ) -> Result<(), Fault> {
        self.intact().map_err(|failure| failure.fault())?;
        if self.purpose != Purpose::Write {
            return Err(Fault::broken("a read does not write"));
        }
        self.deferred.push(Deferred { sql, params, expect });
        Ok(())
    }
}
