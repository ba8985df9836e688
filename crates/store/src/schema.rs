//! The schema of this program, as far as the engines know it.

use db::fault::Fault;
use db::tx::Tx;
use db::{Migration, Schema};

use crate::registry;
use crate::{installation, owners};

/// The schema.
pub(crate) static SCHEMA: Schema = Schema {
    migrations: MIGRATIONS,
    statements: registry::ALL,
    hold_owner: &owners::HOLD,
    lock_order: LOCK_ORDER,
    probe,
};

/// Every step, in order.
const MIGRATIONS: &[Migration] = &[Migration {
    version: 1,
    name: "schema",
    text: include_str!("../migrations/0001_schema.sql"),
    sqlite: Some(include_str!("../migrations/0001_schema.sqlite.sql")),
}];

/// The tables that hold what a job may lock without its owner's row, in the order of locks.
pub(crate) const LOCK_ORDER: &[&str] =
    &["due", "webhook_deliveries", "webhook_secrets", "client_webhook_secrets", "notices"];

/// Every table of the migrations, each after those that it refers to: which migrations ran is not among them.
pub(crate) fn tables() -> Vec<&'static str> {
    let lines = MIGRATIONS.iter().flat_map(|migration| migration.text.lines());
    lines.filter_map(|line| line.strip_prefix("create table ")?.strip_suffix(" (")).collect()
}

/// Name of the entry that is written to find out whether there is room. Its size is [`PROBE_LEN`] bytes.
const PROBE: &str = "probe";
const PROBE_LEN: usize = 16 * 1024;

/// Takes a few pages, and leaves nothing.
fn probe(tx: &mut Tx<'_>) -> Result<(), Fault> {
    installation::insert(tx, PROBE, &[0; PROBE_LEN])?;
    installation::remove(tx, PROBE)
}

#[cfg(test)]
mod parity;
#[cfg(test)]
mod tests;
