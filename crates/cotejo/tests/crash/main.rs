//! The built program under conditions that it cannot choose: killed at any moment, left by its
//! callers, cut off from its database, and in company.
//!
//! `COTEJO_CRASH_SECONDS` says how long each engine is killed and cut under load; `cargo xtask soak`
//! sets it to hours. `COTEJO_CRASH_SEED` repeats the choices of another run.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod audit;
mod cast;
mod chance;
mod episode;
mod hang_up;
mod heard;
mod http;
mod load;
mod mid_check;
mod patience;
mod program;
mod stage;
mod synced;
mod two_nodes;
mod under_load;
