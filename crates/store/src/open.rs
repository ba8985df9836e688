//! How a store with the schema of this program is opened.

use db::{Mishap, OpenError, Options, Store};

use crate::schema::SCHEMA;

/// Opens the store and brings its schema up to date. Blocks; meant for the start.
///
/// # Errors
/// Where the database cannot be reached, or its schema does not suit this program.
pub fn open(options: &Options) -> Result<Store, OpenError> {
    Store::open(&SCHEMA, options)
}

/// Opens a store that another process may be working on, to read alone. A file is read without
/// a time limit, on the calling thread: for audits, whose snapshots may take long.
///
/// # Errors
/// Where the database cannot be reached, or its schema is not the one of this program.
pub fn open_to_read(options: &Options) -> Result<Store, OpenError> {
    Store::open_to_read(&SCHEMA, options)
}

/// A store in memory that runs every closure on its caller's thread: for property tests and
/// simulation, where nothing may depend on how threads are scheduled.
///
/// # Errors
/// Where the schema cannot be made.
pub fn inline() -> Result<Store, OpenError> {
    inline_with(|| None)
}

/// Opens a store as [`inline`] does, in which each write meets what `next` says.
///
/// # Errors
/// As [`inline`].
pub fn inline_with(
    next: impl Fn() -> Option<Mishap> + Send + Sync + 'static,
) -> Result<Store, OpenError> {
    Store::inline(&SCHEMA, next)
}
