//! A transaction that somebody else has left open on an SQLite database.

use std::path::Path;

use rusqlite::Connection;

/// Open transaction that reads: as long as it is there, nothing that was written since can be checkpointed.
#[derive(Debug)]
pub struct OpenRead {
    /// Closed with it, which ends the transaction.
    _connection: Connection,
}

impl OpenRead {
    /// Begins to read.
    ///
    /// # Panics
    /// Where the database cannot be read.
    #[must_use]
    pub fn begin(database: &Path) -> Self {
        let connection = Connection::open(database).expect("the database");
        connection.execute_batch("begin; select count(*) from sqlite_schema").expect("a read");
        Self { _connection: connection }
    }
}
