//! Which migrations a database still needs. What both engines share: they read what was applied,
//! ask for a plan, and run its steps in one transaction.

mod translate;

use sha2::{Digest, Sha256};

/// The table of applied migrations, in the words of the migrations themselves.
const TABLE: &str = "create table if not exists migrations (
    version bigint not null,
    name text not null,
    checksum bytea not null,
    compatible_from bigint not null,
    applied_at bigint not null,
    primary key (version)
);";

/// What the first line of a migration begins with.
const HEADER: &str = "-- compatible_from: ";

/// A step of the schema. The text serves both engines unless one of them has its own.
struct Migration {
    version: i64,
    name: &'static str,
    text: &'static str,
    sqlite: Option<&'static str>,
    postgres: Option<&'static str>,
}

/// Every step, in order, without gaps.
const MIGRATIONS: &[Migration] = &[
    Migration {
        version: 1,
        name: "foundation",
        text: include_str!("../migrations/0001_foundation.sql"),
        sqlite: None,
        postgres: None,
    },
    Migration {
        version: 2,
        name: "bank_access",
        text: include_str!("../migrations/0002_bank_access.sql"),
        sqlite: None,
        postgres: None,
    },
    Migration {
        version: 3,
        name: "payment_links",
        text: include_str!("../migrations/0003_payment_links.sql"),
        sqlite: None,
        postgres: None,
    },
    Migration {
        version: 4,
        name: "webhooks",
        text: include_str!("../migrations/0004_webhooks.sql"),
        sqlite: None,
        postgres: None,
    },
    Migration {
        version: 5,
        name: "bank_notifications",
        text: include_str!("../migrations/0005_bank_notifications.sql"),
        sqlite: None,
        postgres: None,
    },
    Migration {
        version: 6,
        name: "attempts_of_an_account",
        text: include_str!("../migrations/0006_attempts_of_an_account.sql"),
        sqlite: None,
        postgres: None,
    },
    Migration {
        version: 7,
        name: "notices",
        text: include_str!("../migrations/0007_notices.sql"),
        sqlite: None,
        postgres: None,
    },
    Migration {
        version: 8,
        name: "link_settings",
        text: include_str!("../migrations/0008_link_settings.sql"),
        sqlite: None,
        postgres: None,
    },
    Migration {
        version: 9,
        name: "delivery_log",
        text: include_str!("../migrations/0009_delivery_log.sql"),
        sqlite: None,
        postgres: None,
    },
    Migration {
        version: 10,
        name: "credits_events",
        text: include_str!("../migrations/0010_credits_events.sql"),
        sqlite: None,
        postgres: None,
    },
    Migration {
        version: 11,
        name: "redeliveries",
        text: include_str!("../migrations/0011_redeliveries.sql"),
        sqlite: None,
        postgres: None,
    },
    Migration {
        version: 12,
        name: "webhook_secret_rotation",
        text: include_str!("../migrations/0012_webhook_secret_rotation.sql"),
        sqlite: None,
        postgres: None,
    },
    Migration {
        version: 13,
        name: "proof_of_delivery",
        text: include_str!("../migrations/0013_proof_of_delivery.sql"),
        sqlite: None,
        postgres: None,
    },
    Migration {
        version: 14,
        name: "webhook_operations",
        text: include_str!("../migrations/0014_webhook_operations.sql"),
        sqlite: None,
        postgres: None,
    },
    Migration {
        version: 15,
        name: "event_feed",
        text: include_str!("../migrations/0015_event_feed.sql"),
        sqlite: None,
        postgres: None,
    },
    Migration {
        version: 16,
        name: "room_for_updates",
        text: include_str!("../migrations/0016_room_for_updates.sql"),
        sqlite: None,
        postgres: Some(include_str!("../migrations/0016_room_for_updates.postgres.sql")),
    },
    Migration {
        version: 17,
        name: "ids_first",
        text: include_str!("../migrations/0017_ids_first.sql"),
        sqlite: Some(include_str!("../migrations/0017_ids_first.sqlite.sql")),
        postgres: None,
    },
    Migration {
        version: 18,
        name: "scattered_entries",
        text: include_str!("../migrations/0018_scattered_entries.sql"),
        sqlite: Some(include_str!("../migrations/0018_scattered_entries.sqlite.sql")),
        postgres: None,
    },
    Migration {
        version: 19,
        name: "few_by_fingerprint",
        text: include_str!("../migrations/0019_few_by_fingerprint.sql"),
        sqlite: None,
        postgres: None,
    },
    Migration {
        version: 20,
        name: "lines_are_attempts",
        text: include_str!("../migrations/0020_lines_are_attempts.sql"),
        sqlite: None,
        postgres: None,
    },
    Migration {
        version: 21,
        name: "owner_profiles",
        text: include_str!("../migrations/0021_owner_profiles.sql"),
        sqlite: Some(include_str!("../migrations/0021_owner_profiles.sqlite.sql")),
        postgres: None,
    },
    Migration {
        version: 22,
        name: "movements_are_linked",
        text: include_str!("../migrations/0022_movements_are_linked.sql"),
        sqlite: None,
        postgres: None,
    },
    Migration {
        version: 23,
        name: "lines_are_linked",
        text: include_str!("../migrations/0023_lines_are_linked.sql"),
        sqlite: None,
        postgres: None,
    },
    Migration {
        version: 24,
        name: "tails_backwards",
        text: include_str!("../migrations/0024_tails_backwards.sql"),
        sqlite: None,
        postgres: None,
    },
    Migration {
        version: 25,
        name: "leases_of_verifications",
        text: include_str!("../migrations/0025_leases_of_verifications.sql"),
        sqlite: None,
        postgres: None,
    },
    Migration {
        version: 26,
        name: "endings_by_account",
        text: include_str!("../migrations/0026_endings_by_account.sql"),
        sqlite: Some(include_str!("../migrations/0026_endings_by_account.sqlite.sql")),
        postgres: None,
    },
    Migration {
        version: 27,
        name: "as_the_bank_shows_it",
        text: include_str!("../migrations/0027_as_the_bank_shows_it.sql"),
        sqlite: None,
        postgres: None,
    },
];

/// Whose words a migration is applied in.
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
    in_words_of(dialect, TABLE)
}

/// The steps that a database with these `applied` migrations (in any order) still needs.
///
/// # Errors
/// Where the database and this program must not be used together.
pub(crate) fn plan(dialect: Dialect, applied: &[Applied]) -> Result<Vec<Step>, MigrateError> {
    let known = MIGRATIONS.iter().map(|migration| step(dialect, migration));
    compare(&known.collect::<Result<Vec<_>, _>>()?, applied)
}

fn compare(known: &[Step], applied: &[Applied]) -> Result<Vec<Step>, MigrateError> {
    let newest = known.last().map_or(0, |step| step.version);
    let reached = applied.iter().map(|row| row.version).max().unwrap_or(0);
    for row in applied {
        if row.version > newest && row.compatible_from > newest {
            let (version, compatible_from) = (row.version, row.compatible_from);
            return Err(MigrateError::Newer { version, compatible_from, newest });
        }
    }
    let mut steps = Vec::new();
    for step in known {
        match applied.iter().find(|row| row.version == step.version) {
            Some(row) if row.checksum == step.checksum => {}
            Some(row) => {
                let (version, name) = (row.version, row.name.clone());
                return Err(MigrateError::Altered { version, name });
            }
            None if step.version < reached => {
                return Err(MigrateError::Skipped { version: step.version });
            }
            None => steps.push(step.clone()),
        }
    }
    Ok(steps)
}

fn step(dialect: Dialect, migration: &Migration) -> Result<Step, MigrateError> {
    let version = migration.version;
    let own = match dialect {
        Dialect::Sqlite => migration.sqlite,
        Dialect::Postgres => migration.postgres,
    };
    let compatible_from = migration
        .text
        .lines()
        .next()
        .and_then(|line| line.strip_prefix(HEADER))
        .and_then(|number| number.trim().parse().ok())
        .ok_or(MigrateError::Header { version })?;
    // An engine's own text is in its own words already.
    let text =
        own.map_or_else(|| in_words_of(dialect, migration.text), translate::without_comments);
    let checksum = Sha256::digest(text.as_bytes()).into();
    Ok(Step { version, name: migration.name, text, checksum, compatible_from })
}

fn in_words_of(dialect: Dialect, text: &str) -> String {
    match dialect {
        Dialect::Sqlite => translate::for_sqlite(text),
        Dialect::Postgres => translate::without_comments(text),
    }
}

#[cfg(test)]
mod tests;
