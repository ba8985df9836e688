//! Which migrations a database still needs. What both engines share: they read what was applied,
//! ask for a plan, and run its steps in one transaction.

mod translate;

use sha2::{Digest, Sha256};

use crate::schema::Migration;

/// The table of applied migrations, in the words of the migrations themselves.
const TABLE: &str = "create table if not exists migrations (
    version bigint not null,
    name text not null,
    checksum bytea not null,
    compatible_from bigint not null,
    applied_at bigint not null,
    primary key (version)
);";

/// Beginning of the first line of a migration.
const HEADER: &str = "-- compatible_from: ";

/// The migration that makes the schema. Until the first release it is edited, and from then on never again, so that
/// a database with another one was made before that.
const FIRST: i64 = 1;

/// Dialect of SQL that a migration is applied in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    Sqlite,
    Postgres,
}

/// A row of the table of applied migrations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Applied {
    pub(crate) version: i64,
    pub(crate) name: String,
    pub(crate) checksum: Vec<u8>,
    pub(crate) compatible_from: i64,
}

/// A migration to apply now: run `text`, then keep the rest as a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) version: i64,
    pub(crate) name: &'static str,
    /// Statements, each ending in a semicolon, in the words of the engine.
    pub(crate) text: String,
    /// SHA-256 of `text`.
    pub(crate) checksum: [u8; 32],
    pub(crate) compatible_from: i64,
}

/// Why a database's schema does not suit this program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MigrateError {
    /// The database's schema is that of a version that was never released.
    #[error(
        "the database was made by a version from before the first release, and nothing brings its schema up to \
         date: make a new database, in another data folder or as an empty database of the server"
    )]
    Unreleased,
    /// An applied migration reads differently here.
    #[error("migration {version} ({name}) is not the one that was applied to this database")]
    Altered {
        /// The migration's number.
        version: i64,
        /// Its name in the database.
        name: String,
    },
    /// An earlier migration was never applied, although a later one was.
    #[error("migration {version} was skipped in this database")]
    Skipped {
        /// The number of the missing migration.
        version: i64,
    },
    /// The database has been migrated by a newer program with which this one cannot share it.
    #[error(
        "the database is at migration {version}, which needs a program that knows migration \
         {compatible_from}; this one knows {newest}"
    )]
    Newer {
        /// The newest migration of the database.
        version: i64,
        /// What it asks of a program.
        compatible_from: i64,
        /// The newest migration of this program.
        newest: i64,
    },
    /// The database lacks migrations, and was opened to be read alone.
    #[error("the database lacks migrations of this program: migrate it first")]
    Outdated,
    /// A migration without a readable first line: a mistake in this program.
    #[error("migration {version} does not state what it is compatible with")]
    Header {
        /// The migration's number.
        version: i64,
    },
}

/// The statement that makes the table of applied migrations where there is none.
pub(crate) fn table(dialect: Dialect) -> String {
    in_words_of(dialect, TABLE, "")
}

/// Every step, in the words of an engine.
///
/// # Errors
/// Where a migration lacks its first line.
pub(crate) fn steps(dialect: Dialect, migrations: &[Migration]) -> Result<Vec<Step>, MigrateError> {
    migrations.iter().map(|migration| step(dialect, migration)).collect()
}

/// Which of the `known` steps a database with these `applied` migrations (in any order) still needs.
///
/// # Errors
/// Where the database and this program must not be used together.
pub(crate) fn plan(known: &[Step], applied: &[Applied]) -> Result<Vec<Step>, MigrateError> {
    let newest = known.last().map_or(0, |step| step.version);
    let reached = applied.iter().map(|row| row.version).max().unwrap_or(0);
    let mut missing = Vec::new();
    for step in known {
        match applied.iter().find(|row| row.version == step.version) {
            Some(row) if row.checksum == step.checksum => {}
            Some(_) if step.version == FIRST => return Err(MigrateError::Unreleased),
            Some(row) => {
                let (version, name) = (row.version, row.name.clone());
                return Err(MigrateError::Altered { version, name });
            }
            None if step.version < reached => {
                return Err(MigrateError::Skipped { version: step.version });
            }
            None => missing.push(step.clone()),
        }
    }
    for row in applied {
        if row.version > newest && row.compatible_from > newest {
            let (version, compatible_from) = (row.version, row.compatible_from);
            return Err(MigrateError::Newer { version, compatible_from, newest });
        }
    }
    Ok(missing)
}

fn step(dialect: Dialect, migration: &Migration) -> Result<Step, MigrateError> {
    let version = migration.version;
    let compatible_from = migration
        .text
        .lines()
        .next()
        .and_then(|line| line.strip_prefix(HEADER))
        .and_then(|number| number.trim().parse().ok())
        .ok_or(MigrateError::Header { version })?;
    let text = in_words_of(dialect, migration.text, migration.sqlite.unwrap_or_default());
    let checksum = Sha256::digest(text.as_bytes()).into();
    Ok(Step { version, name: migration.name, text, checksum, compatible_from })
}

fn in_words_of(dialect: Dialect, text: &str, sqlite: &str) -> String {
    match dialect {
        Dialect::Sqlite => translate::for_sqlite(text, sqlite),
        Dialect::Postgres => translate::without_comments(text),
    }
}

#[cfg(test)]
mod tests;
