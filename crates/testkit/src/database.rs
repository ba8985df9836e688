//! The database beneath a service under test, past the service.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::Connection;

use crate::postgres;
use crate::setup::{Engine, Folder};

/// How long a statement waits for the service to be done with the file.
const BUSY_LIMIT: Duration = Duration::from_secs(5);

/// The database of one test, on either engine.
#[derive(Debug)]
pub enum Database {
    /// A file in the data folder.
    Sqlite(PathBuf),
    /// A database on the test server.
    Postgres(postgres::Database),
}

impl Database {
    pub(crate) fn new(engine: Engine, folder: &Folder) -> Self {
        match engine {
            Engine::Sqlite => Self::Sqlite(folder.path().join("cotejo.sqlite")),
            Engine::Postgres => Self::Postgres(postgres::Database::migrated()),
        }
    }

    /// Its address, where it has one.
    #[must_use]
    pub fn url(&self) -> Option<String> {
        match self {
            Self::Sqlite(_) => None,
            Self::Postgres(database) => Some(database.url()),
        }
    }

    /// Runs statements that both engines understand.
    ///
    /// # Panics
    /// Where the database refuses them.
    pub fn execute(&self, statements: &str) {
        match self {
            Self::Sqlite(path) => open(path).execute_batch(statements).expect(statements),
            Self::Postgres(database) => database.execute(statements),
        }
    }

    /// The number that the query answers.
    ///
    /// # Panics
    /// Where it answers anything but one row with one integer.
    #[must_use]
    pub fn number(&self, query: &str) -> i64 {
        match self {
            Self::Sqlite(path) => open(path).query_row(query, [], |row| row.get(0)).expect(query),
            Self::Postgres(database) => database.number(query),
        }
    }
}

fn open(path: &Path) -> Connection {
    let connection = Connection::open(path).expect("the service's database");
    connection.busy_timeout(BUSY_LIMIT).expect("a limit");
    connection
}
