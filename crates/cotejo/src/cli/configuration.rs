//! The commands that look at the configuration and at what it leads to.

use clap::{Args, Subcommand};

use super::Place;

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Check the configuration by itself, and say what should be otherwise. Status as of doctor.
    Check(OfConfig),
    /// Print every key with its value and where that comes from; secrets are masked.
    Dump(OfConfig),
}

#[derive(Args, Debug)]
pub(crate) struct OfConfig {
    /// Answer with one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: Place,
}

#[derive(Args, Debug)]
pub(crate) struct Doctor {
    /// Ask nobody over the network but the database: neither banks nor base_url
    #[arg(long)]
    pub(crate) offline: bool,
    /// Answer with one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: Place,
}
