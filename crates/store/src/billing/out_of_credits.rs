//! Event for those who watch: an owner has run out of credits.

use crate::CommittedEvent;
use crate::tx::Tx;

/// Event: the balance of an owner has fallen below what its next charge costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfCredits;

impl CommittedEvent for OutOfCredits {}

/// Publishes it after the commit.
pub fn note(tx: &mut Tx<'_>) {
    tx.after_commit(OutOfCredits);
}
