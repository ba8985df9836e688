//! The commands about copies of the store.

use std::path::PathBuf;

use clap::Args;

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
