//! The service as a program: its configuration, its wiring, its commands. The only crate that reads
//! the environment and the clock, and that spawns tasks.

mod admin;
mod admin_socket;
mod cli;
mod commands;
pub mod config;
mod copy_file;
pub mod data_folder;
mod ended_log;
mod first_start;
mod master_key;
mod metrics;
mod opening;
pub mod server;
pub mod simulated_banks;
pub mod system;
mod telemetry;
#[cfg(test)]
mod testing;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;

pub use crate::config::{Config, Flags, Webhooks};
pub use crate::server::Server;
pub use crate::system::Runtime;

/// Exit status of a command that was called wrongly.
const USAGE: u8 = 2;

/// Runs the program with these arguments, its own name first, and answers what it ends with: 0
/// where it was done, 1 where not, 2 where it was called wrongly.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let command = match cli::Cli::try_parse_from(arguments) {
        Ok(cli) => cli.command,
        Err(error) => {
            // Nothing is left to be done where even that cannot be printed.
            drop(error.print());
            if error.kind() == ErrorKind::InvalidSubcommand {
                drop(writeln!(std::io::stderr(), "\n{}", cli::commands_like(&error)));
            }
            return if error.use_stderr() { ExitCode::from(USAGE) } else { ExitCode::SUCCESS };
        }
    };
    match commands::run(command) {
        Ok(code) => code,
        Err(error) => {
            drop(writeln!(std::io::stderr(), "cotejo: {error:#}"));
            let is_usage = error.is::<config::ConfigError>();
            if is_usage { ExitCode::from(USAGE) } else { ExitCode::FAILURE }
        }
    }
}
