//! A server in the test's own process, on either engine, by a clock that runs fast.
#![expect(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

mod commands;
mod crowd;
mod drain;
mod first_start;
mod hasty;
mod headers;
mod heads;
mod lost_commits;
mod operations_address;
mod service;
