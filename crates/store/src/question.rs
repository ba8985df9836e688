//! Questions that one statement answers: asked within a transaction, or by themselves, together with
//! whatever others ask at that instant.

use crate::fault::Fault;
use crate::sql::Sql;
use crate::tx::Tx;
use crate::value::{Row, Value};

/// A statement that reads a few rows by their keys, and what they mean.
#[derive(Clone, Debug)]
pub struct Question<T> {
    statement: Option<(&'static Sql, Vec<Value>)>,
    read: fn(&[Row]) -> Result<T, Fault>,
}

impl Question<()> {
    /// The question that needs no answer.
    #[must_use]
    pub fn nothing() -> Self {
        Self { statement: None, read: |_| Ok(()) }
    }
}

impl<T> Question<T> {
    pub(crate) fn new(
        sql: &'static Sql,
        params: impl Into<Vec<Value>>,
        read: fn(&[Row]) -> Result<T, Fault>,
    ) -> Self {
        Self { statement: Some((sql, params.into())), read }
    }

    /// Asks it within a transaction.
    ///
    /// # Errors
    /// A fault of the store.
    pub fn ask(self, tx: &mut Tx<'_>) -> Result<T, Fault> {
        Ok(Both(self, Question::nothing()).ask(tx)?.0)
    }
}

/// Two questions that are asked with one wait.
#[derive(Clone, Debug)]
pub struct Both<A, B>(pub Question<A>, pub Question<B>);

impl<A, B> Both<A, B> {
    /// Asks them within a transaction.
    ///
    /// # Errors
    /// A fault of the store.
    pub fn ask(&self, tx: &mut Tx<'_>) -> Result<(A, B), Fault> {
        let statements: Vec<_> = self.statements().collect();
        let statements: Vec<_> =
            statements.iter().map(|(sql, params)| (*sql, params.as_slice())).collect();
        self.read(&tx.query_all(&statements)?)
    }

    /// The statements that answer them.
    pub(crate) fn statements(&self) -> impl Iterator<Item = (&'static Sql, &Vec<Value>)> {
        let both = [&self.0.statement, &self.1.statement];
        both.into_iter().flatten().map(|(sql, params)| (*sql, params))
    }

    /// What those have answered.
    ///
    /// # Errors
    /// Rows that do not mean anything.
    pub(crate) fn read(&self, answers: &[Vec<Row>]) -> Result<(A, B), Fault> {
        let mut answers = answers.iter().map(Vec::as_slice);
        let mut of = |statement: &Option<_>| match statement {
            Some(_) => answers.next().ok_or_else(|| Fault::broken("a statement without an answer")),
            None => Ok([].as_slice()),
        };
        let (first, second) = (of(&self.0.statement)?, of(&self.1.statement)?);
        Ok(((self.0.read)(first)?, (self.1.read)(second)?))
    }
}

/// The row that is the answer, if there is one.
///
/// # Errors
/// More than one.
pub(crate) fn at_most_one(rows: &[Row]) -> Result<Option<&Row>, Fault> {
    match rows {
        [] => Ok(None),
        [row] => Ok(Some(row)),
        _ => Err(Fault::broken("more than one row where one was asked for")),
    }
}
