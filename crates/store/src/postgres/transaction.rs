//! A transaction on one connection: statements put off travel with the next ones that wait.

use super::connection::Wire;
use super::exchange::{Answer, Message};
use super::failure::{Failure, is_rolled_back};
use crate::fault::Fault;
use crate::sql::Sql;
use crate::tx::{Connection, Expect};
use crate::value::{Row, Value};

/// What a transaction is for.
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
    fn begin(self) -> Option<&'static str> {
        match self {
            Self::Write => Some("begin isolation level read committed read write"),
            Self::Snapshot => Some("begin isolation level repeatable read read only"),
            Self::Points => None,
        }
    }
}

/// How a transaction ended.
pub(super) enum Outcome {
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
    begin: Option<&'static str>,
    deferred: Vec<Deferred>,
    failure: Option<Failure>,
}

impl<'l> Transaction<'l> {
    /// Nothing is sent before the first statement is.
    pub(super) fn new(wire: Wire<'l>, purpose: Purpose) -> Self {
        Self { wire, purpose, begin: purpose.begin(), deferred: Vec::new(), failure: None }
    }

    /// What failed in it, if anything did.
    pub(super) fn failure(&self) -> Option<&Failure> {
        self.failure.as_ref()
    }

    /// Sends what was put off, and the commit. They travel together where no expectation has to be
    /// looked at in between: a statement that fails turns the commit into a rollback on the server.
    pub(super) fn commit(mut self) -> Outcome {
        let must_look = self.deferred.iter().any(|write| write.expect != Expect::Any);
        let flushed = if must_look { self.send(&[]).map(drop) } else { self.intact() };
        if let Err(failure) = flushed {
            self.roll_back();
            return Outcome::Failed(failure);
        }
        if self.begin.is_some() && self.deferred.is_empty() {
            // Nothing was ever sent.
            return Outcome::Committed;
        }
        if self.wire.is_closed() {
            return Outcome::Failed(Failure::lost("the connection was lost before the commit"));
        }
        let outcome = self.send_commit();
        if matches!(outcome, Outcome::Failed(_)) {
            self.roll_back();
        }
        outcome
    }

    /// Ends the transaction without effect. Where the command fails the connection is lost, and
    /// the server undoes it by itself.
    pub(super) fn roll_back(&mut self) {
        self.deferred.clear();
        let was_begun = self.purpose != Purpose::Points && self.begin.is_none();
        if was_begun && !self.wire.is_closed() {
            drop(self.wire.exchange(vec![Message::Command("rollback")]));
        }
    }

    fn intact(&self) -> Result<(), Failure> {
        self.failure.clone().map_or(Ok(()), Err)
    }

    /// Sends what was put off and `statements`, waits once, and keeps the first failure.
    fn send(&mut self, statements: &[Statement<'_>]) -> Result<Vec<Vec<Row>>, Failure> {
        self.intact()?;
        let deferred = std::mem::take(&mut self.deferred);
        let rows = self
            .fly(&deferred, statements, None)
            .and_then(|flight| read(flight.answers, &deferred));
        self.failure = rows.as_ref().err().cloned();
        rows
    }

    fn send_commit(&mut self) -> Outcome {
        let deferred = std::mem::take(&mut self.deferred);
        let mut flight = match self.fly(&deferred, &[], Some("commit")) {
            Ok(flight) => flight,
            Err(failure) => return Outcome::Failed(failure),
        };
        let committed = if flight.is_complete { flight.answers.pop() } else { None };
        let earlier = flight.answers.iter().find_map(|answer| answer.as_ref().err());
        match (earlier, committed) {
            // Without an answer from the server, the statement may have gone well, and the commit
            // behind it too.
            (Some(error), Some(_)) if error.code().is_none() => Outcome::Unknown,
            (Some(error), _) => Outcome::Failed(Failure::of(error)),
            (None, Some(Ok(_))) => Outcome::Committed,
            (None, Some(Err(error))) if is_rolled_back(&error) => {
                Outcome::Failed(Failure::of(&error))
            }
            (None, _) => Outcome::Unknown,
        }
    }

    fn fly(
        &mut self,
        deferred: &[Deferred],
        statements: &[Statement<'_>],
        commit: Option<&'static str>,
    ) -> Result<Flight, Failure> {
        let put_off = deferred.iter().map(|write| write.sql);
        self.wire.prepare(put_off.chain(statements.iter().map(|(sql, _)| *sql)))?;
        let mut messages = Vec::with_capacity(deferred.len() + statements.len() + 2);
        messages.extend(self.begin.map(Message::Command));
        for write in deferred {
            messages.push(Message::Write(self.wire.prepared(write.sql)?, &write.params));
        }
        for (sql, params) in statements {
            messages.push(Message::Read(self.wire.prepared(sql)?, params));
        }
        messages.extend(commit.map(Message::Command));
        self.begin = None;
        let sent = messages.len();
        let answers = self.wire.exchange(messages);
        Ok(Flight { is_complete: answers.len() == sent, answers })
    }
}

/// A statement and its parameters.
type Statement<'p> = (&'static Sql, &'p [Value]);

/// What came back for the messages that travelled together, up to the first that was not sent.
struct Flight {
    answers: Vec<Result<Answer, tokio_postgres::Error>>,
    is_complete: bool,
}

/// The rows of the statements that waited, once all expectations of the others are met.
fn read(
    answers: Vec<Result<Answer, tokio_postgres::Error>>,
    deferred: &[Deferred],
) -> Result<Vec<Vec<Row>>, Failure> {
    let mut writes = deferred.iter();
    let mut all = Vec::new();
    for answer in answers {
        match answer.map_err(|error| Failure::of(&error))? {
            Answer::Done | Answer::Prepared(_) => {}
            Answer::Rows(rows) => all.push(rows),
            Answer::Written(count) => match writes.next() {
                Some(Deferred { sql, expect: Expect::Rows(wanted), .. }) if *wanted != count => {
                    let text = sql.text();
                    return Err(Failure::broken(format!("{count} rows, not {wanted}: {text}")));
                }
                _ => {}
            },
        }
    }
    Ok(all)
}

impl Connection for Transaction<'_> {
    fn query(&mut self, statements: &[(&'static Sql, &[Value])]) -> Result<Vec<Vec<Row>>, Fault> {
        self.send(statements).map_err(|failure| failure.fault())
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
