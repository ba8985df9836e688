//! Point queries: one statement that reads a few rows by their keys, and how its rows are parsed.

use std::hash::{Hash, Hasher};
use std::ptr;

use crate::fault::Fault;
use crate::sql::Sql;
use crate::tx::Tx;
use crate::value::{Row, Value};

/// A statement that reads a few rows by their keys, its parameters, and how its rows are parsed. It runs in a
/// transaction, by itself or beside other statements, or by [`Store::look_up_auth`](crate::Store::look_up_auth).
#[derive(Clone, Debug)]
pub struct PointQuery<T> {
    statement: BoundStatement,
    parse: fn(&[Row]) -> Result<T, Fault>,
}

/// A statement with its parameters: what the answers of a cache are found by.
#[derive(Clone, Debug)]
pub struct BoundStatement {
    pub(crate) sql: &'static Sql,
    pub(crate) params: Vec<Value>,
}

impl<T> PointQuery<T> {
    /// That statement with these parameters, whose rows are parsed so.
    pub fn new(
        sql: &'static Sql,
        params: impl Into<Vec<Value>>,
        parse: fn(&[Row]) -> Result<T, Fault>,
    ) -> Self {
        Self { statement: BoundStatement { sql, params: params.into() }, parse }
    }

    /// Runs it in a transaction.
    ///
    /// # Errors
    /// A fault of the store.
    pub fn run(&self, tx: &mut Tx<'_>) -> Result<T, Fault> {
        self.parse(&tx.query(self.statement.sql, &self.statement.params)?)
    }

    /// Its statement.
    #[must_use]
    pub fn statement(&self) -> &BoundStatement {
        &self.statement
    }

    /// Parses what its statement has answered.
    ///
    /// # Errors
    /// Rows that do not mean anything.
    pub fn parse(&self, rows: &[Row]) -> Result<T, Fault> {
        (self.parse)(rows)
    }
}

impl BoundStatement {
    /// Returns the statement as [`Tx::query_all`] takes it.
    #[must_use]
    pub fn as_pair(&self) -> (&'static Sql, &[Value]) {
        (self.sql, &self.params)
    }
}

/// Statements are statics: the same address is the same statement.
impl PartialEq for BoundStatement {
    fn eq(&self, other: &Self) -> bool {
        ptr::eq(self.sql, other.sql) && self.params == other.params
    }
}

impl Eq for BoundStatement {}

impl Hash for BoundStatement {
    fn hash<H: Hasher>(&self, state: &mut H) {
        ptr::hash(self.sql, state);
        self.params.hash(state);
    }
}

/// The row that is the answer, if there is one.
///
/// # Errors
/// More than one.
pub fn at_most_one(rows: &[Row]) -> Result<Option<&Row>, Fault> {
    match rows {
        [] => Ok(None),
        [row] => Ok(Some(row)),
        _ => Err(Fault::broken("more than one row where one was asked for")),
    }
}
