//! The connectors: one module for each bank.

pub mod test_bank;
