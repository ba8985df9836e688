//! How a store is opened.

use domain::time::Timestamp;

use crate::opening::OnFatal;
use crate::postgres;
use crate::sqlite;

/// How to open a store.
#[derive(Clone, Debug)]
pub struct Options {
    /// The database, and how it is tuned.
    pub engine: Engine,
    /// When this start is; kept with the migrations that it applies.
    pub now: Timestamp,
    /// What to do when the store fails.
    pub on_fatal: OnFatal,
}

/// The database behind the store.
#[derive(Clone, Debug)]
pub enum Engine {
    /// A file of this machine.
    Sqlite(sqlite::Settings),
    /// A server.
    Postgres(postgres::Settings),
}
