//! What the tests of all crates share.

pub mod postgres;
pub mod proxy;
