//! The rows of whole tables on their way out of a database and into another: what a copy of a store is made of, the same
//! on both engines.

use std::io;

use crate::fault::Fault;
use crate::opening::OpenError;
use crate::value::Value;

/// Taker of rows that are read from one snapshot.
pub trait RowSink {
    /// Takes a table, whose rows follow with these columns.
    ///
    /// # Errors
    /// Where it cannot be written down.
    fn begin(&mut self, table: &str, columns: &[String]) -> io::Result<()>;

    /// Takes the next row of the table.
    ///
    /// # Errors
    /// As [`RowSink::begin`].
    fn row(&mut self, values: &[Value]) -> io::Result<()>;
}

/// Giver of rows that one transaction writes.
pub trait RowSource {
    /// Gives the next table, with the columns of its rows; nothing after the last.
    ///
    /// # Errors
    /// Where it cannot be read.
    fn next_table(&mut self) -> io::Result<Option<(String, Vec<String>)>>;

    /// Gives the next row of the table; nothing after its last.
    ///
    /// # Errors
    /// As [`RowSource::next_table`].
    fn next_row(&mut self) -> io::Result<Option<Vec<Value>>>;
}

/// Why a copy was not made, or not written.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    /// The database cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The database failed.
    #[error("the database failed")]
    Database(#[from] Fault),
    /// The copy cannot be read or written.
    #[error("the copy failed")]
    File(#[from] io::Error),
    /// The database has rows already.
    #[error("the database is not empty: {0} has rows")]
    NotEmpty(String),
    /// The copy has a table or a column that the database lacks.
    #[error("the copy has {0}, which the database lacks")]
    Unknown(String),
}

/// Names as a statement quotes them.
pub(crate) fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ")
}

/// Checks that the database has the table and each of the columns.
///
/// # Errors
/// [`CopyError::Unknown`].
pub(crate) fn check_known(
    tables: &[&str],
    (table, columns): (&str, &[String]),
    known: &[String],
) -> Result<(), CopyError> {
    if !tables.contains(&table) {
        return Err(CopyError::Unknown(format!("a table {table}")));
    }
    match columns.iter().find(|column| !known.contains(column)) {
        Some(column) => Err(CopyError::Unknown(format!("a column {table}.{column}"))),
        None => Ok(()),
    }
}
