//! What the engines know of the tables. Everything else about them concerns only the crate that passes the schema in.

use sha2::{Digest, Sha256};

use crate::fault::Fault;
use crate::sql::Sql;
use crate::tx::Tx;

/// A module's name and its statements, each with its own name.
pub type Module = (&'static str, &'static [(&'static str, &'static Sql)]);

/// A step of the schema.
#[derive(Clone, Copy, Debug)]
pub struct Migration {
    /// From 1 on, without gaps.
    pub version: i64,
    /// What it is called.
    pub name: &'static str,
    /// In PostgreSQL's words.
    pub text: &'static str,
    /// What SQLite has otherwise.
    pub sqlite: Option<&'static str>,
}

/// The schema, as far as the engines know it.
#[derive(Debug)]
pub struct Schema {
    /// Every step, in order. Until the first release the first one is edited, and from then on never again, so that a
    /// database with another one was made before that.
    pub migrations: &'static [Migration],
    /// Every statement. They are prepared when a database is opened, so that one that the tables do not know is found
    /// at the start and not by a request.
    pub statements: &'static [Module],
    /// Locks the row of the owner, who is `$1`, until the transaction ends: the first lock of a transaction.
    pub hold_owner: &'static Sql,
    /// The tables whose rows a job may lock without its owner's row, in the order of locks.
    pub lock_order: &'static [&'static str],
    /// Takes a few pages and leaves nothing, to find out whether there is room.
    pub probe: fn(&mut Tx<'_>) -> Result<(), Fault>,
}

impl Schema {
    /// Digest of every migration, by which two programs know that they mean the same tables, on whichever engine.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        let mut digest = Sha256::new();
        for Migration { text, sqlite, .. } in self.migrations {
            for part in [text, sqlite.as_ref().unwrap_or(&"")] {
                digest.update((part.len() as u64).to_be_bytes());
                digest.update(part.as_bytes());
            }
        }
        digest.finalize().into()
    }

    /// Every statement, without the names.
    pub(crate) fn each_statement(&self) -> impl Iterator<Item = &'static Sql> {
        self.statements.iter().flat_map(|(_, statements)| *statements).map(|(_, sql)| *sql)
    }
}
