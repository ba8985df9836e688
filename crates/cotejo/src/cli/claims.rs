//! The commands about claims that another system accepted.

use std::path::PathBuf;

use app::admin::OwnerName;
use clap::{Args, Subcommand};

use super::Place;

#[derive(Debug, Subcommand)]
pub(crate) enum ClaimsCommand {
    /// Read in the payments that another system accepted: none of them is new here. All lines are checked first.
    Import(ClaimsFile),
    /// Take back the lines of a file that was imported by mistake: what they name may be new again.
    Withdraw(ClaimsFile),
}

#[derive(Args, Debug)]
pub(crate) struct ClaimsFile {
    /// Columns: account, reference, and where known amount, date; separated by comma or semicolon. - is standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The owner's e-mail address or id
    #[arg(long)]
    pub(crate) owner: OwnerName,
    /// The accounts are test accounts; without it, none may be
    #[arg(long)]
    pub(crate) test: bool,
    /// Check and count, and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Answer with one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: Place,
}
