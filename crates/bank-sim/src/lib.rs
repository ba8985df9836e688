//! Banks, simulated over real HTTP: what a connector meets in the field, without a bank.
//!
//! Each bank has a module with two halves. The *core* is pure: payments go in with instants, and
//! what the bank shows at another instant comes out. The *face* puts that on the wire with the
//! paths, the types and the quirks of the bank's own interface. Everything that banks have in common
//! is outside of these modules: accounts and payments as facts, faults, the operator's routes, the
//! listener. The next bank is one more module and one line in [`books`].
//!
//! The simulator shares nothing with the connectors but the words of `domain`: where both read the
//! bank's manual wrongly, they should not do so alike. It keeps its state in memory, it never reads
//! a clock by itself and opens no connections: see [`runtime`].

mod admin;
pub mod bdv;
pub mod books;
mod courier;
mod door;
mod face;
pub mod faults;
pub mod payment;
pub mod rates;
pub mod runtime;
mod serving;
pub mod simulator;
#[cfg(test)]
mod testing;

pub use crate::runtime::{Clock, ManualClock, Poster, Runtime, Tasks, Time};
pub use crate::serving::{NotLoopback, Reach, Running, serve};
pub use crate::simulator::Simulator;
