//! Whose rows a transaction may write.

use domain::ids::OwnerId;

/// Whose rows a job writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Writes {
    /// The owner of them all.
    pub(crate) owner: OwnerId,
    /// Whether the owner's own row is held before any other.
    pub(crate) holds_owner: bool,
}
