//! What is shared, and what waits for its share.

use std::sync::Arc;

use domain::ids::{EventId, OwnerId};
use store::deliveries::NewDelivery;

/// How much there is of something, and how much of it one may have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quota {
    pub(crate) in_all: usize,
    pub(crate) of_one: usize,
}

impl Quota {
    /// Tells whether somebody who has `own` of the `taken` may have one more: only where that is less than what is
    /// still free. So however many take all that they can, as much is left for the one that comes next as each of them
    /// has.
    pub(super) fn admits(self, taken: usize, own: usize) -> bool {
        own < self.of_one.min(self.in_all.saturating_sub(taken))
    }
}

/// Limits of what is shared.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Attempts, among owners: all of them, of these those at receivers that are not known to be quick,
    /// and of these those at slow ones.
    pub(crate) slots: [Quota; 3],
    /// Attempts to one receiver, among owners.
    pub(crate) at_a_receiver: Quota,
    /// Deliveries that wait for a slot. Where there is no room, the longest makes it: whatever loses
    /// its room is found again.
    pub(crate) room: Quota,
    /// How many of these go from one owner to one receiver, its line.
    pub(crate) in_a_line: usize,
    /// How many receivers are known by how quickly they answer.
    pub(crate) receivers: usize,
}

/// The host and port that deliveries go to.
pub(crate) type Receiver = Arc<str>;

/// A delivery that is due.
#[derive(Debug)]
pub(crate) struct Candidate {
    pub(crate) owner: OwnerId,
    pub(crate) id: EventId,
    pub(crate) receiver: Receiver,
    /// What it is, where that is known from the one that wrote it.
    pub(crate) written: Option<NewDelivery>,
}
