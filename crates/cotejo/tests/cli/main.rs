//! The program from outside: what its commands print, leave behind and end with.
#![expect(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

mod banks;
mod commands;
mod copies;
mod guides;
mod mail;
mod mistakes;
mod owners;
mod plans;
mod program;
mod rates;
mod serve;
mod start;
mod tls;
