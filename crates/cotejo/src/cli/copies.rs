//! The commands about copies of the store.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use domain::time::{InvalidDate, Timestamp};

use super::Place;

#[derive(Args, Debug)]
pub(crate) struct Backup {
    /// The file that is made, for its owner's eyes alone
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Let it take the place of a file that is there
    #[arg(long)]
    pub(crate) force: bool,
    /// Answer with one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: Place,
}

/// Choice of what happens to the API keys of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum KeysChoice {
    /// All are switched off until their owner rotates them or switches them on again
    Hold,
    /// Those that the copy has go on
    GoOn,
}

#[derive(Args, Debug)]
pub(crate) struct Restore {
    /// The copy, as cotejo backup has made it
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// What happens to API keys; one that was rotated or revoked after the copy is good in the copy
    #[arg(long, value_enum)]
    pub(crate) keys: KeysChoice,
    /// The ended.log of the data folder that was lost, of each node: what it names is ended or held
    #[arg(long, value_name = "FILE")]
    pub(crate) ended: Vec<PathBuf>,
    /// Answer with one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: Place,
}

#[derive(Args, Debug)]
pub(crate) struct Restored {
    /// When the copy was made that was put back, as 2026-11-20T08:00:00-04:00; rather too early than too late
    #[arg(long, value_name = "INSTANT", value_parser = instant)]
    pub(crate) copied_at: Timestamp,
    /// What happens to API keys; one that was rotated or revoked after the copy is good in the copy
    #[arg(long, value_enum)]
    pub(crate) keys: KeysChoice,
    /// The ended.log of each node's data folder: what it names is ended or held
    #[arg(long, value_name = "FILE")]
    pub(crate) ended: Vec<PathBuf>,
    /// All nodes are stopped, which the command cannot see
    #[arg(long)]
    pub(crate) nodes_stopped: bool,
    /// Answer with one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: Place,
}

fn instant(text: &str) -> Result<Timestamp, InvalidDate> {
    Timestamp::parse(text)
}
