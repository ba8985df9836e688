//! The nouns and the rules of Cotejo, as values and pure functions.
//!
//! Nothing here reads a clock, makes randomness, does I/O or is async: what is needed of these
//! comes in as an argument, so that every decision can be tested by its inputs alone.

pub mod ids;
pub mod keys;
pub mod language;
pub mod money;
pub mod permissions;
pub mod secret;
pub mod text;
pub mod time;
