//! A place for an attempt, which whoever has it gives up step by step.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use domain::ids::{EventId, OwnerId};

use super::receivers::Pace;
use super::state::Standing;
use super::{Receiver, Turns};

/// A place, until it is dropped.
pub(crate) struct Place {
    pub(super) turns: Arc<Turns>,
    pub(super) id: EventId,
    pub(super) owner: OwnerId,
    pub(super) receiver: Receiver,
    /// By which it has this place.
    pub(super) pace: Pace,
    pub(super) is_sending: bool,
}

impl Place {
    /// The delivery has been taken, and is due to nobody from now on.
    pub(crate) fn taken(&self) {
        self.turns.lock().known.insert(self.id, Standing::Taken);
    }

    /// The receiver has answered, or will not: another may begin to it, while what came of this one
    /// is being kept. It `took` so long, by which its receiver is known from now on.
    pub(crate) fn heard(&mut self, took: Duration) {
        if std::mem::take(&mut self.is_sending) {
            let Self { turns, owner, receiver, .. } = self;
            turns.lock().end_sending(&turns.limits, *owner, receiver, Some(took));
            self.turns.moved.notify_one();
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut state = self.turns.lock();
        if self.is_sending {
            state.end_sending(&self.turns.limits, self.owner, &self.receiver, None);
        }
        state.under_way.end(self.pace);
        if let Some(owner) = state.owners.get_mut(&self.owner) {
            owner.under_way.end(self.pace);
        }
        state.forget_idle(self.owner, &self.receiver);
        let is_due_again = state.known.remove(&self.id) == Some(Standing::Again);
        drop(state);
        self.turns.moved.notify_one();
        if is_due_again {
            self.turns.is_hungry(self.owner, &self.receiver);
        }
    }
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Place").field(&self.id).finish()
    }
}
