//! Facts of a refusal that machines read.

use super::IssuedThing;
use crate::money::{Bolivars, Credits};
use crate::time::Timestamp;

/// A limit as it stood when it refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitFacts {
    /// The monthly limit.
    pub limit: Credits,
    /// What was used of it, reservations included.
    pub used: Credits,
    /// What is left, never below zero.
    pub remaining: Credits,
    /// When the month ends.
    pub resets_at: Timestamp,
}

/// A fact of a refusal for machines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fact {
    /// A number.
    Int(i64),
    /// Yes or no.
    Bool(bool),
    /// An amount in bolívares.
    Amount(Bolivars),
    /// Text.
    Text(String),
    /// An instant.
    Time(Timestamp),
    /// An id.
    Id(String),
    /// Keys and people.
    Issued(Vec<IssuedThing>),
}
