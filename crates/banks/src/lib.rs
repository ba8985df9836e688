//! The connectors: one module for each bank, and what they share.
//!
//! [`listing`] is for banks that show every movement of a day: it keeps what was shown, so that
//! many questions cost one look. [`breaker`] spares a bank that is down, and whoever asks it.

pub mod bdv;
mod breaker;
mod clock;
mod listing;
pub mod test_bank;

pub use crate::clock::{Clock, Now};
