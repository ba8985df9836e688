//! How SQLite's connections are opened and tuned, and how its schema is brought up to date.

use std::fs::{File, OpenOptions};
use std::path::Path;

use domain::time::Timestamp;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, TransactionBehavior};

use crate::fault::{Fault, FaultKind};
use crate::migrate::{self, Applied, Dialect, MigrateError, Step};
use crate::opening::OpenError;
use crate::schema::Schema;
use crate::sqlite::checkpoint::{self, CheckpointThread};
use crate::sqlite::connection::{BUSY_LIMIT, fault, text};
use crate::sqlite::crash_marker::{self, CrashMarker};

/// The size of a page of a new database; one that is there keeps its own. Every page that a transaction touches is
/// written to the log whole, so larger ones write more; each takes two calls of the operating system and a place in
/// the cache, so smaller ones take longer.
const PAGE_BYTES: u32 = 4096;

/// How long the WAL grows before it is checkpointed. Pages that were written many times are copied once, so a longer
/// WAL means less to write (decision 0054).
const CHECKPOINT_BYTES: u32 = 128 << 20;

/// The writer's cache. What it lacks comes from the operating system's, and at each commit for which a tree
/// was balanced SQLite goes through the whole of its own (decision 0054).
const WRITER_CACHE_KIB: i64 = 8 << 10;

/// The cache of migrations, which write rows of indexes wherever they belong.
const MIGRATIONS_CACHE_KIB: i64 = 64 << 10;

/// The cache of a connection that only reads. Any commit empties it, so there is little to gain.
const READER_CACHE_KIB: i64 = 8 << 10;

/// How long the file of the WAL stays once the WAL has started over. A hold by another program may have made it many
/// times as long, and the disk gets that room back.
const WAL_KEPT_BYTES: u32 = 8 * CHECKPOINT_BYTES;

/// How many prepared statements a connection keeps: more than the program has.
const STATEMENTS_MAX: usize = 512;

/// The connection that writes, its schema up to date.
pub(crate) fn writer(
    path: &Path,
    schema: &Schema,
    now: Timestamp,
) -> Result<Connection, OpenError> {
    make_private(path)?;
    crash_marker::recover_if_marked(path)?;
    make_ready(open(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?, schema, now)
}

/// A connection that does no checkpoint when it is closed: closing the last one would otherwise checkpoint the WAL and
/// delete it, after a failure of the disk too, which nothing may do then (see [`checkpoint`]).
pub(crate) fn open(path: &Path, flags: OpenFlags) -> Result<Connection, Fault> {
    let opened = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX);
    let connection = opened.map_err(|error| fault("open", error))?;
    connection
        .set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
        .map_err(|error| fault("settings", error))?;
    Ok(connection)
}

/// Makes the file, if there is none, for its owner's eyes alone. SQLite gives its other files the
/// same mode.
fn make_private(path: &Path) -> Result<(), OpenError> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop).map_err(|error| unavailable(error).into())
}

pub(crate) fn unavailable(error: std::io::Error) -> Fault {
    Fault::with_source(FaultKind::Unavailable, "the database file", error)
}

/// A database in memory, its schema made.
///
/// # Errors
/// Where the schema cannot be made, or does not know one of its statements.
pub fn in_memory(schema: &Schema) -> Result<Connection, OpenError> {
    let connection = Connection::open_in_memory().map_err(|e| fault("open", e))?;
    make_ready(connection, schema, Timestamp::from_micros(0))
}

/// The size of a page of the database.
pub(crate) fn page_bytes(connection: &Connection) -> Result<u32, Fault> {
    let bytes = connection.query_row("pragma page_size", [], |row| row.get(0));
    bytes.map_err(|error| fault("the size of a page", error))
}

/// How many pages of WAL make a checkpoint worth its syncs, in a database with pages of that size.
pub(crate) fn checkpoint_pages(page_bytes: u32) -> u32 {
    CHECKPOINT_BYTES / page_bytes
}

/// A connection that cannot write, to a database that [`writer`] has made.
pub(crate) fn reader(path: &Path) -> Result<Connection, Fault> {
    let connection = open(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    tune(&connection, READER_CACHE_KIB).map_err(|error| fault("settings", error))?;
    Ok(connection)
}

/// Opens the resources of the checkpoint thread.
pub(crate) fn checkpoint_thread(path: &Path) -> Result<CheckpointThread, Fault> {
    let connection = open(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    let setting = |error| fault("settings", error);
    // The WAL is on the disk before any of it is checkpointed, and the database before the WAL is reused.
    connection.pragma_update(None, "synchronous", "full").map_err(setting)?;
    let file = File::open(path).map_err(unavailable)?;
    Ok(CheckpointThread::new(connection, file, CrashMarker::beside(path)))
}

/// A connection that cannot write, to a database that has the schema of this program already.
pub(crate) fn auditor(path: &Path, schema: &Schema) -> Result<Connection, OpenError> {
    let connection = reader(path)?;
    let applied = applied(&connection).map_err(|error| fault("migrations", error))?;
    if migrate::plan(&migrate::steps(Dialect::Sqlite, schema.migrations)?, &applied)?.is_empty() {
        return Ok(connection);
    }
    Err(MigrateError::Outdated.into())
}

fn make_ready(
    mut connection: Connection,
    schema: &Schema,
    now: Timestamp,
) -> Result<Connection, OpenError> {
    let setting = |error| fault("settings", error);
    refuse_another_programs(&connection)?;
    // The page size can only be chosen before anything else is written.
    connection.pragma_update(None, "page_size", PAGE_BYTES).map_err(setting)?;
    let mode = connection.pragma_update_and_check(None, "journal_mode", "wal", |row| row.get(0));
    let mode: String = mode.map_err(setting)?;
    // SQLite keeps another mode without an error where there can be no log, as on some network file systems.
    if connection.path().is_some_and(|path| !path.is_empty()) && mode != "wal" {
        let text =
            format!("the database's file system has no write-ahead log (journal_mode {mode})");
        return Err(Fault::new(FaultKind::Unavailable, text).into());
    }
    // A commit is on the disk before it is answered.
    connection.pragma_update(None, "synchronous", "full").map_err(setting)?;
    connection.pragma_update(None, "journal_size_limit", WAL_KEPT_BYTES).map_err(setting)?;
    tune(&connection, MIGRATIONS_CACHE_KIB).map_err(setting)?;
    migrate(&mut connection, &migrate::steps(Dialect::Sqlite, schema.migrations)?, now)?;
    set_cache(&connection, WRITER_CACHE_KIB).map_err(setting)?;
    // What a savepoint would restore need not survive the process. Set after the migrations, which may have to
    // sort more than there is room for in memory.
    connection.pragma_update(None, "temp_store", "memory").map_err(setting)?;
    // A statement that the schema does not know is found now, not by a request.
    for sql in schema.each_statement() {
        connection.prepare_cached(&text(sql)).map_err(|error| fault(sql.text(), error))?;
    }
    Ok(connection)
}

/// A file of another program is left as it is: one that is no database, or has tables and none of them ours.
fn refuse_another_programs(connection: &Connection) -> Result<(), OpenError> {
    let tables = "select count(*), count(*) filter (where name = 'migrations') \
         from sqlite_schema where type = 'table'";
    let counted =
        connection.query_row(tables, [], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?)));
    match counted {
        Ok((tables, ours)) if tables > 0 && ours == 0 => Err(OpenError::Foreign),
        Ok(_) => Ok(()),
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::NotADatabase) => {
            Err(OpenError::Foreign)
        }
        Err(error) => Err(fault("the tables", error).into()),
    }
}

/// Lets commits be answered before they are on the disk: whatever ends the process loses none, a machine that fails
/// may.
pub(crate) fn do_without_syncs(connection: &Connection) -> Result<(), Fault> {
    connection.pragma_update(None, "synchronous", "off").map_err(|error| fault("settings", error))
}

fn tune(connection: &Connection, cache_kib: i64) -> rusqlite::Result<()> {
    connection.busy_timeout(BUSY_LIMIT)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
    set_cache(connection, cache_kib)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // A file from elsewhere may carry views and triggers; nothing in it is run.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    // A double-quoted word is a name, as on PostgreSQL, and never a string.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DML, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DDL, false)?;
    // A plan never depends on the values bound to it. Otherwise SQLite prepares several statements
    // again at every use, which takes longer than running them.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

fn set_cache(connection: &Connection, kib: i64) -> rusqlite::Result<()> {
    // A negative size counts in KiB instead of pages.
    connection.pragma_update(None, "cache_size", -kib)
}

fn migrate(connection: &mut Connection, known: &[Step], now: Timestamp) -> Result<(), OpenError> {
    let failed = |error| fault("a migration", error);
    // Most starts find nothing to do, and must not wait for another process to find that out.
    if migrate::plan(known, &applied(connection).map_err(failed)?)?.is_empty() {
        return Ok(());
    }
    // A table that is rebuilt is gone for a moment, with rows that refer to it: what refers to what is
    // looked at as a whole before the commit.
    connection.pragma_update(None, "foreign_keys", false).map_err(failed)?;
    let lock = connection.transaction_with_behavior(TransactionBehavior::Immediate);
    let transaction = lock.map_err(failed)?;
    transaction.execute_batch(&migrate::table(Dialect::Sqlite)).map_err(failed)?;
    let applied = applied(&transaction).map_err(failed)?;
    // A new database is made in a moment, and an operator who starts it first has something else to read.
    let is_new = applied.is_empty();
    for step in migrate::plan(known, &applied)? {
        if !is_new {
            tracing::info!(version = step.version, name = step.name, "migration started");
        }
        transaction.execute_batch(&step.text).map_err(failed)?;
        record(&transaction, &step, now).map_err(failed)?;
        if !is_new {
            tracing::info!(version = step.version, name = step.name, "migration applied");
        }
    }
    if let Some(table) = first_orphaned(&transaction).map_err(failed)? {
        let text = format!("after the migrations, rows of {table} refer to what is not there");
        return Err(Fault::broken(text).into());
    }
    transaction.commit().map_err(failed)?;
    connection.pragma_update(None, "foreign_keys", true).map_err(failed)?;
    // The WAL has what was rebuilt, and would never be shorter again.
    let checkpointed = checkpoint::checkpoint(connection, "truncate").map(drop);
    checkpointed.map_err(|error| Fault::new(FaultKind::Unavailable, error.to_string()).into())
}

/// A table with a row that refers to one that is not there, if there is any.
pub(super) fn first_orphaned(connection: &Connection) -> rusqlite::Result<Option<String>> {
    let text = "select \"table\" from pragma_foreign_key_check limit 1";
    connection.query_row(text, [], |row| row.get(0)).optional()
}

fn applied(connection: &Connection) -> rusqlite::Result<Vec<Applied>> {
    if !connection.table_exists(None, "migrations")? {
        return Ok(Vec::new());
    }
    let text = "select version, name, checksum, compatible_from from migrations";
    let mut statement = connection.prepare(text)?;
    let rows = statement.query_map([], |row| {
        Ok(Applied {
            version: row.get(0)?,
            name: row.get(1)?,
            checksum: row.get(2)?,
            compatible_from: row.get(3)?,
        })
    })?;
    rows.collect()
}

fn record(connection: &Connection, step: &Step, now: Timestamp) -> rusqlite::Result<()> {
    let text = "insert into migrations (version, name, checksum, compatible_from, applied_at) \
                values (?1, ?2, ?3, ?4, ?5)";
    let applied_at = now.as_micros();
    let row = (step.version, step.name, step.checksum, step.compatible_from, applied_at);
    connection.execute(text, row).map(drop)
}

#[cfg(test)]
mod tests;
