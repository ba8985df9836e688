//! The list of banks.
//!
//! The rest of the program asks this list and names no bank: what accounts are linked with, which
//! section of the configuration a bank has, and how it is connected.

use crate::definition::Definition;
use crate::{bdv, test_bank};

/// Every bank that there is a connector for. A bank is a folder, and a line here.
pub static BANKS: &[&Definition] = &[
    &test_bank::BANK,
    &bdv::BANK, // Banco de Venezuela, 0102
];

#[cfg(test)]
mod tests;
