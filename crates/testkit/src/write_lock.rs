//! The one right to write that an SQLite database has, held by somebody else.

use std::path::Path;

use rusqlite::Connection;

/// Nobody else writes to the database as long as this is there.
#[derive(Debug)]
pub struct WriteLock(Connection);

impl WriteLock {
    /// Takes the right; a writer that is about to commit comes first.
    ///
    /// # Panics
    /// Where it cannot be had.
    #[must_use]
    pub fn take(database: &Path) -> Self {
        let connection = Connection::open(database).expect("the database");
        connection.busy_timeout(std::time::Duration::from_secs(5)).expect("a limit");
        connection.execute_batch("begin immediate").expect("the right to write");
        Self(connection)
    }
}

impl Drop for WriteLock {
    fn drop(&mut self) {
        // Nothing was written, so that there is nothing to lose.
        drop(self.0.execute_batch("rollback"));
    }
}
