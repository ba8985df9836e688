//! The only binary.

use std::process::ExitCode;

/// SQLite's allocations are served by it too. Decision 0037 says why it is not the system's.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    cotejo::run(std::env::args_os())
}
