//! Jobs in one transaction, and what may be said of it afterwards.

use rusqlite::{Connection, ErrorCode};

use crate::fault::Fault;
use crate::job::{End, Job};
use crate::sqlite::connection::{Session, fault};

/// Why a transaction did not commit for certain.
pub(crate) enum Trouble {
    /// It could not even begin: no job has run.
    Begin(rusqlite::Error),
    /// It is gone, and nothing of it was applied.
    Undone(Fault),
    /// Its commit failed in a way that leaves open what is on the disk.
    Lost(rusqlite::Error),
}

/// For every job of a transaction, why it must not be answered as committed, if so.
pub(crate) type Spoilt = Vec<Option<Fault>>;

/// How the jobs of a transaction are kept apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Isolation {
    /// Not at all: a job that does not want to commit undoes the whole transaction. Right for one
    /// job, and for many as long as none of them fails, which is nearly always.
    Shared,
    /// A savepoint for each, which costs the writer a tenth of its time: a job that does not want
    /// to commit is rolled back alone.
    Savepoints,
}

/// Runs the jobs in one transaction and commits it, by `commit`, which is given the jobs that have run.
pub(crate) fn attempt(
    connection: &Connection,
    jobs: &mut [Box<dyn Job>],
    isolation: Isolation,
    commit: impl FnOnce(&Connection, &[Box<dyn Job>]) -> rusqlite::Result<()>,
) -> Result<Spoilt, Trouble> {
    execute(connection, "begin immediate").map_err(Trouble::Begin)?;
    let mut spoilt = Vec::with_capacity(jobs.len());
    for job in jobs.iter_mut() {
        let lost = match isolation {
            Isolation::Shared => share(connection, job.as_mut())?,
            Isolation::Savepoints => isolate(connection, job.as_mut())
                .map_err(|error| undo(connection, fault("a savepoint", error)))?,
        };
        // An error as grave as a full disk rolls back everything, whatever the savepoints say.
        if connection.is_autocommit() {
            let why =
                || Fault::broken("SQLite rolled the transaction back while its job continued");
            return Err(Trouble::Undone(lost.unwrap_or_else(why)));
        }
        spoilt.push(lost);
    }
    match commit(connection, jobs) {
        Ok(()) => Ok(spoilt),
        Err(error) if is_clean(&error) => Err(undo(connection, fault("a commit", error))),
        Err(error) => Err(Trouble::Lost(error)),
    }
}

/// Runs one job, and gives up the transaction where it does not want to commit.
fn share(connection: &Connection, job: &mut dyn Job) -> Result<Option<Fault>, Trouble> {
    let mut session = Session::new(connection);
    let wants_commit = job.run(&mut session);
    let lost = session.into_fault();
    if wants_commit && lost.is_none() {
        return Ok(None);
    }
    // Where it was the job's own decision, the job answers its own fault instead of this one.
    let why = || Fault::broken("a job asked for a rollback");
    Err(undo(connection, lost.unwrap_or_else(why)))
}

/// Runs one job in a savepoint of its own.
fn isolate(connection: &Connection, job: &mut dyn Job) -> rusqlite::Result<Option<Fault>> {
    execute(connection, "savepoint job")?;
    let mut session = Session::new(connection);
    let wants_commit = job.run(&mut session);
    let lost = session.into_fault();
    if connection.is_autocommit() {
        return Ok(lost);
    }
    if !wants_commit || lost.is_some() {
        execute(connection, "rollback to job")?;
    }
    execute(connection, "release job")?;
    Ok(lost)
}

/// The ordinary commit.
pub(crate) fn commit(connection: &Connection) -> rusqlite::Result<()> {
    execute(connection, "commit")
}

/// The end of a transaction that has only read.
pub(crate) fn rollback(connection: &Connection) -> rusqlite::Result<()> {
    execute(connection, "rollback")
}

/// Answers every job of a committed transaction.
pub(crate) fn finish(jobs: Vec<Box<dyn Job>>, spoilt: Spoilt) {
    for (job, spoilt) in jobs.into_iter().zip(spoilt) {
        job.finish(spoilt.map_or(End::Committed, End::Failed));
    }
}

/// Tells whether what failed, a commit or a checkpoint, certainly left nothing behind. Of an I/O error, or of anything
/// that nobody foresaw, this cannot be said.
pub(crate) fn is_clean(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(
            ErrorCode::DiskFull
                | ErrorCode::ConstraintViolation
                | ErrorCode::DatabaseBusy
                | ErrorCode::DatabaseLocked
                | ErrorCode::OperationInterrupted
                | ErrorCode::OutOfMemory
        )
    )
}

/// Rolls back what is left of a transaction that failed because of `why`.
fn undo(connection: &Connection, why: Fault) -> Trouble {
    if connection.is_autocommit() {
        return Trouble::Undone(why);
    }
    match rollback(connection) {
        Ok(()) => Trouble::Undone(why),
        // It can be neither committed nor rolled back.
        Err(error) => Trouble::Lost(error),
    }
}

/// Runs a statement that begins or ends something, prepared once.
pub(crate) fn execute(connection: &Connection, text: &str) -> rusqlite::Result<()> {
    connection.prepare_cached(text)?.execute([]).map(drop)
}
