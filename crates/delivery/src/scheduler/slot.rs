//! A slot for an attempt, which its holder gives up step by step.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use domain::ids::{EventId, OwnerId};

use super::Scheduler;
use super::receivers::Pace;
use super::state::Standing;
use super::types::Receiver;

/// A slot, until it is dropped.
pub(crate) struct Slot {
    pub(super) scheduler: Arc<Scheduler>,
    pub(super) id: EventId,
    pub(super) owner: OwnerId,
    pub(super) receiver: Receiver,
    /// By which it has this slot.
    pub(super) pace: Pace,
    pub(super) is_sending: bool,
}

impl Slot {
    /// The delivery has been claimed, and is due to nobody from now on.
    pub(crate) fn claimed(&self) {
        self.scheduler.lock().known.insert(self.id, Standing::Claimed);
    }

    /// The receiver has answered, or will not: another may begin to it, while the result of this one
    /// is being kept. It `took` so long, by which its receiver is known from now on.
    pub(crate) fn ended(&mut self, took: Duration) {
        if std::mem::take(&mut self.is_sending) {
            let Self { scheduler, owner, receiver, .. } = self;
            scheduler.lock().end_sending(&scheduler.limits, *owner, receiver, Some(took));
            self.scheduler.moved.notify_one();
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut state = self.scheduler.lock();
        if self.is_sending {
            state.end_sending(&self.scheduler.limits, self.owner, &self.receiver, None);
        }
        state.under_way.end(self.pace);
        if let Some(owner) = state.owners.get_mut(&self.owner) {
            owner.under_way.end(self.pace);
        }
        state.forget_idle(self.owner, &self.receiver);
        let is_due_again = state.known.remove(&self.id) == Some(Standing::Again);
        drop(state);
        self.scheduler.moved.notify_one();
        if is_due_again {
            self.scheduler.request_backfill(self.owner, &self.receiver);
        }
    }
}

impl fmt::Debug for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Slot").field(&self.id).finish()
    }
}
