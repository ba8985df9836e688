//! How a store with the schema of this program is opened, and how its rows are copied out and in.

use db::{CopyError, Mishap, OpenError, Options, RowSink, RowSource, Store};

use crate::schema::{SCHEMA, tables};

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

/// Reads every row of the store from one snapshot, table by table, each after those that it refers to. Another process may
/// work on the store. Blocks.
///
/// # Errors
/// Where the database cannot be opened or read, or the sink fails.
pub fn copy_out(options: &Options, sink: &mut dyn RowSink) -> Result<(), CopyError> {
    Store::copy_out(&SCHEMA, options, &tables(), sink)
}

/// Makes the store, which must have no rows, and writes those of the source in one transaction. Blocks.
///
/// # Errors
/// Where the database cannot be opened or written, has rows, or the source fails; nothing is written then.
pub fn copy_in(options: &Options, source: &mut dyn RowSource) -> Result<(), CopyError> {
    Store::copy_in(&SCHEMA, options, &tables(), source)
}

/// Digest of the schema of this program: a copy goes in where it has the same.
#[must_use]
pub fn schema_digest() -> [u8; 32] {
    SCHEMA.digest()
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
