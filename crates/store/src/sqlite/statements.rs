//! Prepared statements, by whichever way a connection keeps them.

use std::cell::RefCell;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

use rusqlite::{Connection, PrepFlags, Statement};

use crate::fault::Fault;
use crate::sql::Sql;
use crate::sqlite::connection::{fault, text};

/// Where a job's statements come from.
#[derive(Clone, Copy)]
pub(crate) enum Statements<'s, 'c> {
    /// From the connection's own cache, by their text: for connections that are lent.
    Cached(&'s Connection),
    /// From what the one that holds the connection keeps.
    Kept(&'s Kept<'c>),
}

/// A connection and what it has prepared, found by where a statement stands in the program: the connection's own cache
/// takes a statement out by its text, copies that, and puts it back, which is a twentieth of the writer's time.
pub(crate) struct Kept<'c> {
    connection: &'c Connection,
    prepared: RefCell<HashMap<usize, Statement<'c>>>,
}

impl<'c> Kept<'c> {
    pub(crate) fn new(connection: &'c Connection) -> Self {
        Self { connection, prepared: RefCell::default() }
    }
}

impl<'s> Statements<'s, '_> {
    /// The connection that they are of.
    pub(crate) fn connection(self) -> &'s Connection {
        match self {
            Self::Cached(connection) => connection,
            Self::Kept(kept) => kept.connection,
        }
    }

    /// Has `work` use the prepared statement. What was bound is not kept.
    ///
    /// # Errors
    /// A statement that SQLite does not take, or what `work` answers.
    pub(crate) fn with<T>(
        self,
        sql: &'static Sql,
        work: impl FnOnce(&mut Statement<'_>) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let failed = |error| fault(sql.text(), error);
        match self {
            Self::Cached(connection) => {
                work(&mut *connection.prepare_cached(text(sql)).map_err(failed)?)
            }
            Self::Kept(kept) => {
                let mut prepared = kept.prepared.borrow_mut();
                let statement = match prepared.entry(std::ptr::from_ref(sql).addr()) {
                    Entry::Occupied(there) => there.into_mut(),
                    Entry::Vacant(place) => {
                        let flags = PrepFlags::SQLITE_PREPARE_PERSISTENT;
                        let text = text(sql);
                        place.insert(
                            kept.connection.prepare_with_flags(text, flags).map_err(failed)?,
                        )
                    }
                };
                let outcome = work(statement);
                statement.clear_bindings();
                outcome
            }
        }
    }
}
