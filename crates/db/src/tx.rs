//! A transaction as a job sees it: statements that wait for their rows, and statements put off.

use std::any::Any;

use domain::ids::OwnerId;

use crate::after_commit::CommittedEvent;
use crate::fault::Fault;
use crate::lock_order::LockedTables;
use crate::sql::Sql;
use crate::value::{Row, Value};
use crate::writes::Writes;

/// Expectation of a deferred statement: what it must have done when its answer is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expect {
    /// Exactly this many rows written.
    Rows(u64),
    /// Any number: the statement states its own condition.
    Any,
}

/// Result of a statement.
#[derive(Debug, Default)]
pub struct StatementResult {
    /// The rows that it read or returned.
    pub rows: Vec<Row>,
    /// How many rows it wrote; of a read, how many it read.
    pub rows_affected: u64,
}

/// Connection of an engine, on which a transaction runs. Implemented once for each engine.
pub trait Connection {
    /// Runs the statements in this order and waits once for the results of all.
    ///
    /// # Errors
    /// A fault of the engine, after which the transaction is lost.
    fn run(
        &mut self,
        statements: &[(&'static Sql, &[Value])],
    ) -> Result<Vec<StatementResult>, Fault>;

    /// Runs the statement now, or sends it no later than the next `run` or the commit, in order. An unmet
    /// expectation fails the transaction.
    ///
    /// # Errors
    /// As [`Connection::run`].
    fn defer(&mut self, sql: &'static Sql, params: Vec<Value>, expect: Expect)
    -> Result<(), Fault>;
}

/// Cost of a job for the store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Statements sent.
    pub statements: u32,
    /// Times that the job waited for an answer: round trips on PostgreSQL.
    pub waits: u32,
}

/// An open transaction, or on the read side a snapshot.
pub struct Tx<'c> {
    connection: &'c mut dyn Connection,
    /// The owner whose rows a write may touch; reads that look for an owner have none.
    owner: Option<OwnerId>,
    /// What it has locked, where it does not hold the owner's row.
    locked: Option<LockedTables>,
    done: Done,
}

/// Record of what a job has done, beside what it answers.
#[derive(Default)]
pub(crate) struct Done {
    /// What it cost.
    pub(crate) cost: Cost,
    /// The events to publish once the transaction has committed.
    pub(crate) after_commit: Vec<Box<dyn Any + Send>>,
    /// Whether it wrote a table of authentication.
    pub(crate) touches_auth_tables: bool,
}

impl std::fmt::Debug for Tx<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tx").field("owner", &self.owner).field("cost", &self.done.cost).finish()
    }
}

impl<'c> Tx<'c> {
    /// A transaction that is open on this connection, for a job that writes these rows; `None` reads alone, or writes
    /// what is nobody's.
    pub fn new(connection: &'c mut dyn Connection, writes: Option<Writes>) -> Self {
        let owner = writes.map(|writes| writes.owner);
        let locked = writes.and_then(|writes| writes.without_owner).map(LockedTables::new);
        Self { connection, owner, locked, done: Done::default() }
    }

    /// Publishes the event once the transaction has committed.
    pub fn after_commit(&mut self, event: impl CommittedEvent) {
        self.done.after_commit.push(Box::new(event));
    }

    /// Returns what the job has done.
    pub(crate) fn into_done(self) -> Done {
        self.done
    }

    /// Runs one statement that reads or returns rows, and waits for them.
    ///
    /// # Errors
    /// A fault of the engine; the transaction is lost then, and the job must return it.
    pub fn query(&mut self, sql: &'static Sql, params: &[Value]) -> Result<Vec<Row>, Fault> {
        let mut answers = self.query_all(&[(sql, params)])?;
        answers.pop().ok_or_else(|| Fault::broken("a statement returned no rows"))
    }

    /// Runs one statement that answers one row or none.
    ///
    /// # Errors
    /// As [`Tx::query`]; more than one row is a fault too.
    pub fn query_opt(&mut self, sql: &'static Sql, params: &[Value]) -> Result<Option<Row>, Fault> {
        let mut rows = self.query(sql, params)?;
        if rows.len() > 1 {
            return Err(Fault::broken("more than one row where one was asked for"));
        }
        Ok(rows.pop())
    }

    /// Runs one statement that answers exactly one row.
    ///
    /// # Errors
    /// As [`Tx::query`]; no row, or more than one, is a fault too.
    pub fn query_one(&mut self, sql: &'static Sql, params: &[Value]) -> Result<Row, Fault> {
        self.query_opt(sql, params)?.ok_or_else(|| Fault::broken("no row where one is required"))
    }

    /// Runs statements that read or return rows, in this order, and waits once for the rows of all.
    ///
    /// # Errors
    /// As [`Tx::query`].
    pub fn query_all(
        &mut self,
        statements: &[(&'static Sql, &[Value])],
    ) -> Result<Vec<Vec<Row>>, Fault> {
        for (sql, _) in statements {
            debug_assert!(sql.has_rows(), "it returns no rows: {}", sql.text());
        }
        Ok(rows(self.pipeline(statements)?))
    }

    /// Runs one write that returns no rows, and waits; answers how many rows it wrote.
    ///
    /// # Errors
    /// As [`Tx::query`].
    pub fn execute(&mut self, sql: &'static Sql, params: &[Value]) -> Result<u64, Fault> {
        debug_assert!(!sql.has_rows(), "its rows are not looked at: {}", sql.text());
        let result = self.pipeline(&[(sql, params)])?.pop();
        Ok(result.ok_or_else(|| Fault::broken("a statement without a result"))?.rows_affected)
    }

    /// Runs statements of both kinds in this order, and waits once for the results of all.
    ///
    /// # Errors
    /// As [`Tx::query`].
    pub fn pipeline(
        &mut self,
        statements: &[(&'static Sql, &[Value])],
    ) -> Result<Vec<StatementResult>, Fault> {
        for (sql, params) in statements {
            debug_assert!(!sql.is_multi_row_insert(), "it answers no rows: {}", sql.text());
            self.count(sql, params)?;
        }
        self.done.cost.waits += 1;
        self.connection.run(statements)
    }

    /// Sends a statement without waiting for it. Whatever fails in it fails the transaction at the
    /// next wait or at the commit.
    ///
    /// # Errors
    /// As [`Tx::query`]; on SQLite an unmet expectation is seen here already.
    pub fn defer(
        &mut self,
        sql: &'static Sql,
        params: impl Into<Vec<Value>>,
        expect: Expect,
    ) -> Result<(), Fault> {
        let params = params.into();
        debug_assert!(
            !sql.is_multi_row_insert() || expect == Expect::Any,
            "how many rows each insert writes is not known: {}",
            sql.text(),
        );
        self.count(sql, &params)?;
        self.connection.defer(sql, params, expect)
    }

    /// Counts a statement, notes whether it writes a table of authentication, and refuses one that locks rows out of
    /// order, or one about another owner than the transaction's.
    fn count(&mut self, sql: &'static Sql, params: &[Value]) -> Result<(), Fault> {
        debug_assert!(
            !has_null_in_outer_join(sql, params),
            "null in the condition of an outer join: {}",
            sql.text(),
        );
        self.done.cost.statements += 1;
        self.done.touches_auth_tables |= sql.touches_auth_tables();
        if let Some(locked) = &mut self.locked {
            locked.lock(sql)?;
        }
        let is_about = |owner: OwnerId| params.first() == Some(&owner.into());
        if self.owner.is_none_or(|owner| !sql.is_tenant() || is_about(owner)) {
            return Ok(());
        }
        let text = sql.text();
        Err(Fault::broken(format!(
            "a statement about another owner than the transaction's: {text}"
        )))
    }
}

/// Tells whether null is bound where an outer join compares it: see [`crate::outer_joins`].
fn has_null_in_outer_join(sql: &Sql, params: &[Value]) -> bool {
    sql.in_outer_joins().any(|number| params.get(number - 1) == Some(&Value::Null))
}

/// The rows of each result.
fn rows(results: Vec<StatementResult>) -> Vec<Vec<Row>> {
    results.into_iter().map(|result| result.rows).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    static JOINED: Sql =
        Sql::shared("select a.b as b from a left join c on c.d = a.d and c.e = $1 where a.f = $2");

    /// Answers no rows, whatever it is asked.
    struct Empty;

    impl Connection for Empty {
        fn run(
            &mut self,
            statements: &[(&'static Sql, &[Value])],
        ) -> Result<Vec<StatementResult>, Fault> {
            Ok(statements.iter().map(|_| StatementResult::default()).collect())
        }

        fn defer(&mut self, _: &'static Sql, _: Vec<Value>, _: Expect) -> Result<(), Fault> {
            Ok(())
        }
    }

    fn ask(params: &[Value]) -> Vec<Row> {
        Tx::new(&mut Empty, None).query(&JOINED, params).unwrap()
    }

    #[test]
    #[should_panic(expected = "null in the condition of an outer join")]
    fn a_null_that_an_outer_join_compares_is_refused() {
        ask(&[Value::Null, 1.into()]);
    }

    #[test]
    fn a_null_is_taken_elsewhere() {
        assert!(ask(&[1.into(), Value::Null]).is_empty());
    }
}
