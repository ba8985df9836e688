//! The only binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    cotejo::run(std::env::args_os())
}
