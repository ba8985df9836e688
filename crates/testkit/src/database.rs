//! The database beneath a service under test, past the service.

use std::path::{Path, PathBuf};
use std::time::Duration;

use domain::time::Timestamp;
use rusqlite::{Connection, ErrorCode};
use store::{OnFatal, Options, PostgresSettings, SqliteSettings, Store};

use crate::folder::Folder;
use crate::postgres;

/// How long a statement waits for the service to be done with the file.
const BUSY_LIMIT: Duration = Duration::from_secs(5);

/// Which database the service works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// A file.
    Sqlite,
    /// A server.
    Postgres,
}

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

    /// The first column of each row that the query answers, which is text.
    ///
    /// # Panics
    /// Where the query is refused, or answers anything else.
    #[must_use]
    pub fn texts(&self, query: &str) -> Vec<String> {
        match self {
            Self::Sqlite(path) => {
                let connection = open(path);
                let mut statement = connection.prepare(query).expect(query);
                let rows = statement.query_map([], |row| row.get(0)).expect(query);
                rows.collect::<Result<_, _>>().expect(query)
            }
            Self::Postgres(database) => database.texts(query),
        }
    }

    /// Runs statements as a tool does that no foreign key holds back.
    ///
    /// # Panics
    /// Where the database refuses them.
    pub fn execute_unchecked(&self, statements: &str) {
        assert!(self.breaks_nothing(statements), "{statements}");
    }

    /// Runs statements as a tool does that no foreign key holds back; answers whether they break none of the other
    /// constraints. On SQLite the statements before one that does are done.
    ///
    /// # Panics
    /// Where the database refuses them for another reason.
    #[must_use]
    pub fn breaks_nothing(&self, statements: &str) -> bool {
        match self {
            Self::Sqlite(path) => {
                let connection = open(path);
                let done =
                    connection.execute_batch(&format!("pragma foreign_keys = off; {statements}"));
                let violation = Some(ErrorCode::ConstraintViolation);
                if let Err(error) = &done {
                    assert_eq!(error.sqlite_error_code(), violation, "{statements}: {error}");
                }
                done.is_ok()
            }
            Self::Postgres(database) => database
                .breaks_nothing(&format!("set session_replication_role = replica; {statements}")),
        }
    }

    /// The store on it, to read alone.
    ///
    /// # Panics
    /// Where it cannot be opened.
    #[must_use]
    pub fn open_to_read(&self) -> Store {
        let engine = match self {
            Self::Sqlite(path) => store::Engine::Sqlite(SqliteSettings::new(path)),
            Self::Postgres(database) => store::Engine::Postgres(PostgresSettings {
                connections: 1,
                readers: 1,
                ..PostgresSettings::at(database.url())
            }),
        };
        let on_fatal = OnFatal::new(|reason| panic!("{reason}"));
        let options = Options { engine, now: Timestamp::from_micros(0), on_fatal };
        store::open_to_read(&options).expect("a store to read")
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
