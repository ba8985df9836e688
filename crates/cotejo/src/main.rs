//! The only binary.

use std::process::ExitCode;

/// On Linux it takes the place of the system's `malloc`, for SQLite too. Decision 0094 says why.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    cotejo::run(std::env::args_os())
}
