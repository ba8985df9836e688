//! Whose rows a transaction may write.

use domain::ids::OwnerId;

/// Owner of the rows that a job writes, and the tables that it may lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Writes {
    /// The owner of them all.
    pub owner: OwnerId,
    /// The tables whose rows it may lock, in the order of locks, if it does not hold the owner's own row. `None` where
    /// that row is held before any other.
    pub without_owner: Option<&'static [&'static str]>,
}
