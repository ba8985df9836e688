//! Questions that one statement answers: asked within a transaction, or by themselves, together with
//! whatever others ask at that instant.

use domain::ids::OwnerId;

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
    pub fn ask(&self, tx: &mut Tx<'_>) -> Result<T, Fault> {
        let statements: Vec<_> = self.statement().collect();
        self.read(&mut tx.query_all(&statements)?.into_iter())
    }

    /// The statement that answers it, if it needs one.
    pub(crate) fn statement(&self) -> impl Iterator<Item = (&'static Sql, &[Value])> {
        self.statement.iter().map(|(sql, params)| (*sql, params.as_slice()))
    }

    /// What its statement has answered, which comes next among the answers.
    ///
    /// # Errors
    /// Rows that do not mean anything.
    pub(crate) fn read<R: AsRef<[Row]>>(
        &self,
        answers: &mut impl Iterator<Item = R>,
    ) -> Result<T, Fault> {
        match &self.statement {
            None => (self.read)(&[]),
            Some(_) => {
                let missing = || Fault::broken("a statement without an answer");
                (self.read)(answers.next().ok_or_else(missing)?.as_ref())
            }
        }
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
        self.read(tx.query_all(&statements)?)
    }

    /// The statements that answer them.
    pub(crate) fn statements(&self) -> impl Iterator<Item = (&'static Sql, &[Value])> {
        self.0.statement().chain(self.1.statement())
    }

    /// The owner whom all of them are about, if it is one.
    pub(crate) fn owner(&self) -> Option<OwnerId> {
        let owner = |(sql, params): (&'static Sql, &[Value])| match params {
            [Value::Id(owner), ..] if sql.is_tenant() => Some(OwnerId::from_bytes(*owner)),
            _ => None,
        };
        let mut owners = self.statements().map(owner);
        let first = owners.next()??;
        owners.all(|other| other == Some(first)).then_some(first)
    }

    /// What those have answered.
    ///
    /// # Errors
    /// Rows that do not mean anything.
    pub(crate) fn read<R: AsRef<[Row]>>(&self, answers: Vec<R>) -> Result<(A, B), Fault> {
        let mut answers = answers.into_iter();
        Ok((self.0.read(&mut answers)?, self.1.read(&mut answers)?))
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
