//! The store on a real PostgreSQL: what only a server, a network and other sessions can do to it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod batches;
mod bench;
mod cuts;
mod feed;
mod look_ups;
mod one_by_one;
mod order;
mod retries;
mod sessions;
