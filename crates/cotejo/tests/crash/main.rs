//! The built program as others meet it: on the whole path of a payment, with a bank and a shop that
//! are processes and servers of their own, and under conditions that it cannot choose: killed at any
//! moment, left by its callers, cut off from its database, and in company.
//!
//! `COTEJO_CRASH_SECONDS` says how long each engine is killed and cut under load; `cargo xtask soak`
//! sets it to hours. `COTEJO_CRASH_SEED` repeats the choices of another run.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod answers;
mod audit;
mod bank;
mod cast;
mod chance;
mod cluster;
mod endings;
mod episode;
mod events;
mod failover;
mod fair;
mod foreign_reader;
mod hang_up;
mod http;
mod journey;
mod load;
mod mid_check;
mod patience;
mod payer;
mod program;
mod restored;
mod sales;
mod sales_audit;
mod same_bank;
mod second_factor;
mod shop;
mod stage;
mod subscriptions;
mod subscriptions_audit;
mod synced;
mod two_nodes;
mod two_senders;
mod under_load;
