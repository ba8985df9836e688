//! `cargo xtask measure`: what decisions were based on, to be measured again on other machines.

mod charge;
mod layout;
mod schema;

use anyhow::Result;
use clap::Subcommand;

#[derive(Subcommand)]
pub(crate) enum Subject {
    /// How SQLite keeps rows, ids and pages: verifications per second of the writer alone, and
    /// bytes written for each.
    Layout,
}

/// Measures and prints a table.
pub(crate) fn run(subject: &Subject) -> Result<()> {
    if crate::release::hand_over()? {
        return Ok(());
    }
    match subject {
        Subject::Layout => layout::run(),
    }
}
